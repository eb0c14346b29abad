
## Score of a post.

stars =
    { $count ->
            [one] { $count } Stern
           *[other] { $count } Sterne
        }
score-no-ratings = Noch keine Bewertungen
score-few = · noch wenige Bewertungen
score-label =
    { $count ->
            [one] { $score } von 5, { $count } Bewertung
           *[other] { $score } von 5, { $count } Bewertungen
        }
score-shown =
    { $count ->
            [one] { $score } ★ · { $count } Bewertung
           *[other] { $score } ★ · { $count } Bewertungen
        }
score-missing =
    { $count ->
            [one] Keine Wertung · { $count } Bewertung
           *[other] Keine Wertung · { $count } Bewertungen
        }
score-status-protected = Wertung geschützt
score-status-new = Die Wertung ist ab { $enough } Bewertungen geschützt
score-status-counted =
    { $protected ->
            [yes] Wertung geschützt
           *[no] Die Wertung ist ab { $enough } Bewertungen geschützt
        }: { $counted } von { $count } Bewertungen zählen
score-all-count = Alle { $count } Bewertungen zählen zur Wertung. Eine plötzliche Welle abweichender Bewertungen würde sie kaum verändern.
score-limited =
    { $count ->
            [one] { $count } Bewertung zählt
           *[other] { $count } Bewertungen zählen
        } nicht, weil in dieser Zeit mehr Bewertungen als üblich kamen.
score-surge =
    { $count ->
            [one] { $count } Bewertung zählt
           *[other] { $count } Bewertungen zählen
        } nicht, weil ungewöhnlich viele Bewertungen kamen, die von den früheren abweichen.
your-rating-is = Deine Bewertung: { $stars } ★
score-held-back =
    { $count ->
            [one] { $count } Bewertung ist zurückgestellt, weil sie von den anderen abweicht. Sie zählt,
           *[other] { $count } Bewertungen sind zurückgestellt, weil sie von den anderen abweichen. Sie zählen,
        } wenn weiterhin ähnliche Bewertungen kommen.
score-excluded =
    Die Moderation hat { $count ->
            [one] { $count } Bewertung
           *[other] { $count } Bewertungen
        } von der Wertung ausgeschlossen.
score-excluded-reason = Grund für den letzten ausgeschlossenen Tag, { $last }: „{ $why }“.
score-average = Der Durchschnitt aller Bewertungen beträgt { $average } ★.
score-not-protected = Die Wertung ist erst ab { $enough } Bewertungen vor organisierten Bewertungen geschützt.
score-breakdown-link = Wertung im Detail ansehen
unusual-since = Ungewöhnliche Bewertungsaktivität seit dem { $time }.
unusual-refused =
    { $count ->
            [one] Seitdem wurde { $count } Bewertungsversuch abgewiesen; er hat keinen Einfluss auf die Wertung.
           *[other] Seitdem wurden { $count } Bewertungsversuche abgewiesen; sie haben keinen Einfluss auf die Wertung.
        }
unusual-unchanged = Die Wertung hat sich nicht verändert.
unusual-changed = Die Wertung hat sich von { $before } auf { $now } ★ verändert.

## Rating form of a post.

ratings-heading = Bewertungen
your-rating = Deine Bewertung
rate-this-post = Diesen Beitrag bewerten
rate-sign-in = Melde dich an, um zu bewerten. Wir merken uns deine Auswahl.
rate-own-post = Deinen eigenen Beitrag kannst du nicht bewerten.
rate-how-many = Wie viele Sterne?
rate-button = Bewerten
rate-change = Meine Bewertung ändern
rate-withdraw = Meine Bewertung entfernen
rate-one-more-step = Noch ein Schritt.
rate-change-hint = Du hast diesen Beitrag mit { $before } ★ bewertet. Klicke auf „{ $button }“, um daraus { $stars } ★ zu machen.
rate-submit-hint = Klicke auf „{ $button }“, um deine Bewertung mit { $stars } ★ abzugeben.
rating-current =
    { $stars ->
            [one] Du hast diesen Beitrag mit { $stars } Stern bewertet.
           *[other] Du hast diesen Beitrag mit { $stars } Sternen bewertet.
        }
own-rating-counts = Deine Bewertung zählt voll zur Wertung.
own-rating-share =
    { $none ->
            [yes] Deine Bewertung zählt nicht zur Wertung
           *[no] Deine Bewertung zählt nur zu { $percent } zur Wertung
        }
own-rating-limited = { $counts }, weil dieser Beitrag mehr Bewertungen als üblich bekommen hat.
own-rating-surge = { $counts }, weil dieser Beitrag ungewöhnlich viele Bewertungen bekommen hat, die von den früheren abweichen.
own-rating-held-back = { $counts }. Sie ist zurückgestellt, solange die neuesten Bewertungen von den früheren abweichen, und zählt voll, wenn weiterhin ähnliche Bewertungen kommen.
own-rating-excluded = { $counts }, weil die Moderation die Bewertungen vom { $day } ausgeschlossen hat.
own-rating-can-change = Wie viel davon zählt, kann sich bis zum Ende des { $day } noch ändern.
own-rating-average = Im Durchschnitt zählt sie voll.
rating-try-again-in = Versuch es in <span>{ $wait }</span> noch einmal.
rating-submit-automatically = { $stars } ★ automatisch senden
rating-not-submitted = Deine Bewertung mit { $stars } ★ wurde noch nicht abgegeben.
rating-still = Deine Bewertung ist weiterhin { $stars } ★.
rating-change-not-saved = Die Änderung auf { $stars } ★ ist nicht gespeichert: Nach ein paar Änderungen kannst du eine Bewertung nur noch alle zehn Minuten ändern.
done-rated =
    { $stars ->
            [one] Danke! Du hast diesen Beitrag mit { $stars } Stern bewertet.
           *[other] Danke! Du hast diesen Beitrag mit { $stars } Sternen bewertet.
        }
done-rating-changed =
    { $stars ->
            [one] Du hast deine Bewertung auf { $stars } Stern geändert.
           *[other] Du hast deine Bewertung auf { $stars } Sterne geändert.
        }
done-rating-withdrawn = Du hast deine Bewertung mit { $stars } ★ entfernt.
done-rating-removed = Deine Bewertung wurde entfernt.
invalid-other-post = Lass dieses Feld weg oder gib den Beitrag aus der URL an: { $id }.
invalid-stars = Wähle 1 bis 5 Sterne.
distribution-caption = Alle Bewertungen nach Anzahl der Sterne
mine-title = Deine Bewertungen
mine-none = Du hast noch keine Beiträge bewertet.
column-post = Beitrag
column-date = Datum

## Rating history of a post.

history-title = Bewertungen für { $title }
history-heading = Bewertungsverlauf
history-of = Beitrag: <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = Noch keine Bewertungen.
history-range = Zeitraum
history-range-all = Alles
history-range-days =
    { $days ->
            [one] { $days } Tag
           *[other] { $days } Tage
        }
history-none-in-range = Keine Bewertungen in dieser Zeit.
figure-score = Wertung
figure-average = Durchschnitt
figure-refused = Abgewiesene Versuche
figure-average-with-refused = Durchschnitt mit abgewiesenen Bewertungen
history-refused-on-day =
    Der Limiter hat { $count ->
            [one] einen Bewertungsversuch
           *[other] { $count } Bewertungsversuche
        }{ $all ->
            [yes] {" "}am { $day } abgewiesen
           *[no] {" "}abgewiesen, die meisten am { $day }
        }. Abgewiesene Versuche haben keinen Einfluss auf die Wertung.
history-refused-in-hour =
    Der Limiter hat { $count ->
            [one] einen Bewertungsversuch
           *[other] { $count } Bewertungsversuche
        } abgewiesen{ $all ->
            [yes] , und zwar in der Stunde ab dem { $hour }
           *[no] , die meisten in der Stunde ab dem { $hour }
        }. Abgewiesene Versuche haben keinen Einfluss auf die Wertung.
history-usual-days =
    { $count ->
            [one] { $count } Bewertung
           *[other] { $count } Bewertungen
        } { $days ->
            [one] an { $days } Tag
           *[other] in { $days } Tagen
        }, höchstens { $most } an einem Tag.
history-usual-hours =
    { $count ->
            [one] { $count } Bewertung
           *[other] { $count } Bewertungen
        }, höchstens { $most } in einer Stunde.
history-nothing-unusual = Keine ungewöhnliche Aktivität.
history-surge = { $count } von { $ratings } Bewertungen ({ $days }) zählen nicht: Es kamen mehr als üblich, und ihr Durchschnitt von { $average } ★ weicht stark von der vorherigen Wertung ab.
history-held-back = { $count } von { $ratings } Bewertungen ({ $days }) sind zurückgestellt, weil ihr Durchschnitt von { $average } ★ stark von der vorherigen Wertung abweicht.
history-excluded =
    Die Moderation hat { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        } ({ $days }, Durchschnitt { $average } ★) von der Wertung ausgeschlossen.
history-excluded-reason =
    Die Moderation hat { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        } ({ $days }, Durchschnitt { $average } ★) von der Wertung ausgeschlossen. Grund: „{ $because }“.
period-day = { $day }
period-hour = { $time }
period-words =
    { $when }
    Bewertungen: { $new } neu, { $changed } geändert, { $refused } abgewiesen.
    { $steady } { $average } { $blocked }
period-steady = Wertung: { $score } ★.
period-average = Durchschnitt: { $score } ★.
period-blocked = Mit abgewiesenen Bewertungen: { $score } ★.
nothing = {""}
chart-label = Liniendiagramm der Wertung und des Durchschnitts. Die Daten stehen in der Tabelle darunter.
chart-score = Wertung (1 bis 5 Sterne)
chart-steady = Wertung
chart-counted =
    Bewertungen pro { $period ->
            [day] Tag
           *[other] Stunde
        }
chart-blocked =
    Abgewiesene Versuche pro { $period ->
            [day] Tag
           *[other] Stunde
        }
chart-average =
    { $refused ->
            [yes] Durchschnitt mit abgewiesenen Bewertungen
           *[no] Durchschnitt aller Bewertungen
        }
chart-new = Neue Bewertungen
chart-changed = Geänderte Bewertungen
chart-refused = Vom Limiter abgewiesen
chart-without-weight = Überwiegend zurückgestellt, nicht gezählt oder ausgeschlossen
chart-utc = Zeiten in UTC.
chart-open =
    { $period ->
            [day] Der letzte Tag ist noch nicht vorbei.
           *[other] Die letzte Stunde ist noch nicht vorbei.
        }
legend-title = Was die Wörter bedeuten
legend-refused = Der Limiter hat den Versuch abgewiesen, weil zu viele Bewertungen auf einmal kamen. Die Bewertung ist nicht gespeichert.
legend-held-back = Die Bewertung weicht von den anderen ab. Sie ist gespeichert und zählt zum Durchschnitt. Zur Wertung zählt sie, wenn weiterhin ähnliche Bewertungen kommen.
legend-not-counted = Es kamen mehr Bewertungen als üblich. Die Bewertung ist gespeichert und zählt zum Durchschnitt, aber nicht zur Wertung.
legend-excluded = Die Moderation hat den Tag der Bewertung mit öffentlicher Begründung von der Wertung ausgeschlossen. Die Bewertung zählt zum Durchschnitt.
numbers = Datentabelle
as-csv = CSV herunterladen
all-as-json = Alle Daten als JSON
column-day = Tag
column-hour = Stunde
column-refused = Abgewiesen
column-total-ratings = Bewertungen insgesamt
days-heading = Wertung im Detail
days-description = Die Wertung ist der gewichtete Durchschnitt dieser Zeiträume: die Summe aus Durchschnitt × Gewicht, geteilt durch die Summe der Gewichte. Ein Zeitraum wiegt höchstens das 1,5-Fache des Üblichen, außer solange ein neuer Beitrag weniger als 40 Bewertungen hat. Der letzte Zeitraum kann sich noch ändern.
column-days-utc = Tage (UTC)
column-average = Durchschnitt
column-weight = Gewicht
column-held-back = Zurückgestellt
column-not-counted = Nicht gezählt
column-excluded = Ausgeschlossen
column-reason = Grund
row-total = Summe
score-period-surge = Mehr Bewertungen als üblich, mit einem Durchschnitt weit von der vorherigen Wertung
score-period-held-back = Durchschnitt weit von der vorherigen Wertung; zählt, wenn weiterhin ähnliche Bewertungen kommen
score-period-excluded = Von der Moderation von der Wertung ausgeschlossen
score-period-limited = Mehr Bewertungen als üblich; jede zählt weniger
score-period-whole = Zählt voll
score-period-days =
    { $one ->
            [yes] { $from }
           *[no] { $from } bis { $until }
        }
invalid-of = Wähle `days` oder `periods`.
invalid-format = Wähle `csv` oder `json`, oder lass den Parameter weg.

## Excluding days from the score.

moderations-heading = Entscheidungen der Moderation
moderations-earlier = Frühere Entscheidungen
moderation-exclude-day =
    { $author ->
            [yes] Ein Mitglied der Moderation, das den Beitrag selbst geschrieben hat,
           *[no] Die Moderation
        } hat den { $from } von der Wertung ausgeschlossen ({ $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }). Wertung vorher: { $before }, nachher: { $after }.
moderation-exclude-days =
    { $author ->
            [yes] Ein Mitglied der Moderation, das den Beitrag selbst geschrieben hat,
           *[no] Die Moderation
        } hat die Tage vom { $from } bis zum { $to } von der Wertung ausgeschlossen ({ $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }). Wertung vorher: { $before }, nachher: { $after }.
moderation-restore-day =
    { $author ->
            [yes] Ein Mitglied der Moderation, das den Beitrag selbst geschrieben hat,
           *[no] Die Moderation
        } hat den { $from } wieder in die Wertung aufgenommen ({ $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }). Wertung vorher: { $before }, nachher: { $after }.
moderation-restore-days =
    { $author ->
            [yes] Ein Mitglied der Moderation, das den Beitrag selbst geschrieben hat,
           *[no] Die Moderation
        } hat die Tage vom { $from } bis zum { $to } wieder in die Wertung aufgenommen ({ $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }). Wertung vorher: { $before }, nachher: { $after }.
score-none = keine
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings ->
            [one] { $ratings } Bewertung würde
           *[other] { $ratings } Bewertungen würden
        } { $exclude ->
            [yes] von der Wertung ausgeschlossen.
           *[no] wieder in die Wertung aufgenommen.
        }
preview-days =
    { $from } bis { $to } ({ $days ->
            [one] { $days } Tag mit Bewertungen
           *[other] { $days } Tage mit Bewertungen
        }): { $ratings ->
            [one] { $ratings } Bewertung würde
           *[other] { $ratings } Bewertungen würden
        } { $exclude ->
            [yes] von der Wertung ausgeschlossen.
           *[no] wieder in die Wertung aufgenommen.
        }
age-under-a-day = Unter 1 Tag
age-under-a-week = 1 bis 6 Tage
age-under-a-month = 7 bis 29 Tage
age-under-a-year = 30 bis 364 Tage
age-older = 1 Jahr oder mehr
invalid-nothing-to-exclude = An diesen Tagen gibt es keine Bewertungen mehr, die du von der Wertung ausschließen kannst.
invalid-nothing-to-restore = An diesen Tagen sind keine Bewertungen von der Wertung ausgeschlossen.
invalid-day-not-over = Nur vergangene Tage sind möglich: Wähle den { $day } (UTC) oder einen früheren Tag.
invalid-day = Gib das Datum als JJJJ-MM-TT ein, zum Beispiel 2026-11-21.
invalid-no-reason = Gib eine Begründung an.
invalid-to = Der letzte Tag darf nicht vor dem ersten liegen.
invalid-too-many-days = Wähle höchstens 366 Tage.
exclude-link = Tage von der Wertung ausschließen
exclude-heading = Tage von der Wertung ausschließen
restore-link = Tage wieder in die Wertung aufnehmen
exclude-button =
    { $count ->
            [one] { $count } Bewertung ausschließen
           *[other] { $count } Bewertungen ausschließen
        }
restore-button =
    { $count ->
            [one] { $count } Bewertung wieder aufnehmen
           *[other] { $count } Bewertungen wieder aufnehmen
        }
moderate-description = Die Bewertungen dieser Tage bleiben im Durchschnitt. Deine Entscheidung und die Begründung sind öffentlich; die Entscheidung lässt sich rückgängig machen.
moderate-from-hint = Nur vergangene Tage sind möglich (UTC).
moderate-to-hint = Für einen einzelnen Tag leer lassen.
moderate-preview-button = Vorschau anzeigen
moderate-preview-heading = Vorschau
moderate-score = Wertung: { $before } → { $after }
moderate-ages = Kontoalter
moderate-age = Kontoalter
moderate-reason-hint = Öffentlich neben der Wertung sichtbar. Höchstens 300 Zeichen.
moderate-cancel = Abbrechen

## Paused ratings of a user.

paused-title = Pausierte Bewertungen
paused-none = Keine deiner Bewertungen ist pausiert.
paused-description =
    { $count ->
            [one] Deine Bewertungen dieses Beitrags sind pausiert
           *[other] Deine Bewertungen dieser Beiträge sind pausiert
        }, weil viele Versuche vergeblich waren oder weil die Moderation sie pausiert hat. Bis du die Pause beendest, werden weitere Versuche abgelehnt. Alles andere kannst du wie gewohnt nutzen.
paused-since = pausiert seit dem { $day }
paused-latest = Hier stehen nur die neuesten von { $count } Pausen.
paused-fix-first = Falls ein Programm die Pause verursacht hat, repariere es zuerst. Sonst werden deine Bewertungen erneut pausiert, allerdings frühestens nach zwei Wochen.
unpause-title = Pause beenden
unpause-link = Pause beenden
unpause-button =
    { $count ->
            [one] Pause beenden
           *[other] Alle { $count } Pausen beenden
        }
unpause-heading =
    { $count ->
            [one] Diese Pause beenden?
           *[other] { $count } Pausen beenden?
        }
unpause-description =
    Bewertungen von <bdi>{ $name }</bdi> für <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}und andere Beiträge
        } sind pausiert, weil viele Versuche vergeblich waren oder weil die Moderation sie pausiert hat.
done-unpaused =
    { $count ->
            [one] Pause beendet. Du kannst den Beitrag wieder bewerten.
           *[other] { $count } Pausen beendet. Du kannst diese Beiträge wieder bewerten.
        }
done-unpaused-partly =
    { $count ->
            [one] Pause beendet. Vielleicht gibt es weitere: Öffne den Link noch einmal, um sie zu beenden.
           *[other] { $count } Pausen beendet. Vielleicht gibt es weitere: Öffne den Link noch einmal, um sie zu beenden.
        }
unpublished-post = Unveröffentlichter Beitrag

## Rate limits of a client.

classes-title = Anfragelimits
classes-description = Die Zahl der Anfragen ist für alle begrenzt, damit niemand die Website für andere ausbremst. Wenn du zu viele sendest, wirst du erst gewarnt und musst dann warten. Hier siehst du deinen aktuellen Stand.
classes-none = Derzeit gibt es keine Limits.
classes-counted = Gezählte Anfragen
classes-api-hint = Programme erhalten diese Daten auf dieser Seite als JSON; Änderungen liefert laufend <code>/rate/classes/events/</code>.
class-browse = Lesen
class-write = Beiträge schreiben
class-rate = Bewerten
class-account = Anmeldung und Konto
class-wait = Bitte warte { $wait }.
class-close = Du hast das Limit fast erreicht.
class-warned = Deine Anfragelimits sind strenger als üblich, weil Missbrauch durch dein Konto bestätigt wurde (Warnstufe { $level } %). Die Stufe sinkt um 5 Punkte am Tag.
class-no-limit = kein Limit
class-none-left = Deine nächste Anfrage wird vielleicht gedrosselt.
class-left =
    { $count ->
            [one] Du kannst gerade noch { $count } Anfrage senden.
           *[other] Du kannst gerade noch { $count } Anfragen senden.
        }
class-warning =
    Du { $class ->
            [write] schreibst
            [rate] bewertest
            [account] sendest dieses Formular
           *[other] lädst Seiten
        } zu schnell. Mach langsamer, sonst musst du etwa { $wait } warten.
class-limited =
    Du hast zu schnell { $class ->
            [write] geschrieben
            [rate] bewertet
            [account] dieses Formular gesendet
           *[other] Seiten geladen
        }. In { $wait } kannst du weitermachen.
invalid-class = Wähle `browse`, `write`, `rate` oder `account`.

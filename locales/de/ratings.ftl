
## The score of a post.

ratings =
    { $count ->
            [one] { $count } Bewertung
           *[other] { $count } Bewertungen
        }
stars =
    { $count ->
            [one] { $count } Stern
           *[other] { $count } Sterne
        }
score-no-ratings = Noch keine Bewertungen
score-not-enough = Noch zu wenige Bewertungen · { $count } von { $enough }
score-aloud =
    { $count ->
            [one] { $score } von 5, { $count } Bewertung
           *[other] { $score } von 5, { $count } Bewertungen
        }
score-shown =
    { $count ->
            [one] { $score } ★ · { $count } Bewertung
           *[other] { $score } ★ · { $count } Bewertungen
        }
score-none-of =
    { $count ->
            [one] Keine Wertung · { $count } Bewertung
           *[other] Keine Wertung · { $count } Bewertungen
        }
your-rating-is = Deine Bewertung: { $stars } ★
apart-left-out =
    { $count ->
            [one] { $count } Bewertung zählt
           *[other] { $count } Bewertungen zählen
        } in dieser Wertung nicht: Es kamen mehr als üblich.
apart-held-back =
    { $count ->
            [one] { $count } Bewertung ist zurückgestellt, weil sie von den anderen abweicht. Sie zählt,
           *[other] { $count } Bewertungen sind zurückgestellt, weil sie von den anderen abweichen. Sie zählen,
        } wenn weiterhin solche Bewertungen kommen.
apart-excluded =
    Die Moderation hat { $ratings ->
            [one] { $ratings } Bewertung vom { $last }
           *[other] { $ratings } Bewertungen bis zum { $last }
        } aus der Wertung genommen: „{ $why }“{ $others ->
            [yes] , und aus anderen Gründen.
           *[no] .
        }
apart-average = Der Durchschnitt aller Bewertungen ist { $average } ★.
score-not-protected = Neuer Beitrag: Bis er 40 Bewertungen hat, ist die Wertung nicht vor gesteuerten Bewertungen geschützt.
apart-see-days = So entsteht die Wertung
unusual-since = Ungewöhnlich viele Bewertungen seit dem { $time }.
unusual-refused =
    { $count ->
            [one] Seither kam { $count } Bewertung zu schnell und ist nicht in der Wertung.
           *[other] Seither kamen { $count } Bewertungen zu schnell und sind nicht in der Wertung.
        }
unusual-not-moved = Die Wertung hat sich nicht bewegt.
unusual-moved = Die Wertung hat sich von { $before } auf { $now } ★ bewegt.
unusual-see = Sieh selbst

## Rating a post.

ratings-heading = Bewertungen
your-rating = Deine Bewertung
rate-this-post = Diesen Beitrag bewerten
rate-sign-in = Melde dich an, um zu bewerten. Deine Auswahl bleibt erhalten.
rate-own-post = Das ist dein eigener Beitrag; bewerten können ihn andere.
rate-how-many = Wie viele Sterne?
rate-button = Bewerten
rate-change = Meine Bewertung ändern
rate-one-more-step = Noch ein Schritt.
rate-press-change = Du hattest { $before } ★ gegeben. Drücke „{ $button }“, um daraus { $stars } ★ zu machen.
rate-press =
    Du hast { $stars } ★ gewählt. Drücke „{ $button }“, um { $stars ->
            [one] ihn
           *[other] sie
        } zu geben.
rating-given =
    { $stars ->
            [one] Du hast { $stars } Stern gegeben. Du kannst das ändern.
           *[other] Du hast { $stars } Sterne gegeben. Du kannst das ändern.
        }
rating-can-be-sent-in = Sie kann in <span>{ $wait }</span> gesendet werden.
rating-send-for-me = Automatisch senden
rating-kept = Dieser Beitrag bekommt gerade ungewöhnlich viele Bewertungen. Deine Bewertung mit { $stars } ★ bleibt hier stehen.
rating-change-kept = Eine Bewertung lässt sich ein paarmal ändern, danach einmal in zehn Minuten. Deine Änderung auf { $stars } ★ bleibt hier stehen.
done-rated =
    { $stars ->
            [one] Deine Bewertung mit { $stars } Stern ist gezählt. Du kannst sie ändern.
           *[other] Deine Bewertung mit { $stars } Sternen ist gezählt. Du kannst sie ändern.
        }
done-rating-changed =
    { $stars ->
            [one] Du gibst jetzt { $stars } Stern.
           *[other] Du gibst jetzt { $stars } Sterne.
        }
invalid-stars = Wähle 1 bis 5 Sterne.
distribution-caption = Wie oft wie viele Sterne gegeben wurden
mine-title = Deine Bewertungen
mine-none = Du hast noch nichts bewertet.
column-post = Beitrag
column-when = Wann

## Ratings over time.

history-title = Bewertungen für { $title }
history-heading = Bewertungen im Lauf der Zeit
history-of = beim Beitrag <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = Es gibt noch keine Bewertungen.
figure-shown = Gezeigt: { $score } ★
figure-not-enough = Noch zu wenige Bewertungen für eine Wertung
figure-average = Durchschnitt aller: { $score } ★
figure-with-refused = Mit { $count } Abgewiesenen: { $score } ★
story-more-periods =
    { $count ->
            [one] Die Tabelle unten hat { $count } weiteren solchen Zeitraum.
           *[other] Die Tabelle unten hat { $count } weitere solche Zeiträume.
        }
story-refused-on-day =
    Die Schranke hat { $count ->
            [one] einen Bewertungsversuch
           *[other] { $count } Bewertungsversuche
        } abgewiesen{ $all ->
            [yes] , und zwar am { $day }
           *[no] , die meisten am { $day }
        }. Die Wertung weiß nichts davon.
story-refused-in-hour =
    Die Schranke hat { $count ->
            [one] einen Bewertungsversuch
           *[other] { $count } Bewertungsversuche
        } abgewiesen{ $all ->
            [yes] , und zwar in der Stunde ab dem { $hour }
           *[no] , die meisten in der Stunde ab dem { $hour }
        }. Die Wertung weiß nichts davon.
story-quiet-days =
    { $count ->
            [one] { $count } Bewertung kam
           *[other] { $count } Bewertungen kamen
        } { $days ->
            [one] an { $days } Tag
           *[other] in { $days } Tagen
        }, und nicht mehr als { $most } an einem Tag.
story-quiet-hours =
    { $count ->
            [one] { $count } Bewertung kam
           *[other] { $count } Bewertungen kamen
        }, und nicht mehr als { $most } in einer Stunde.
story-nothing-unusual = Nichts daran ist ungewöhnlich.
story-full-periods =
    { $count ->
            [one] In einem Zeitraum kamen mehr Bewertungen als üblich, sodass jede weniger wiegt.
           *[other] In { $count } Zeiträumen kamen mehr Bewertungen als üblich, sodass jede weniger wiegt.
        }
story-surge =
    { $ratings ->
            [one] { $ratings } Bewertung ({ $days }) zählt
           *[other] { $ratings } Bewertungen ({ $days }) zählen
        } in der Wertung nicht: Es kamen mehr als üblich, und ihr Durchschnitt von { $average } ★ weicht weit von der bisherigen Wertung ab.
story-held-back =
    { $ratings ->
            [one] { $ratings } Bewertung ({ $days }) ist
           *[other] { $ratings } Bewertungen ({ $days }) sind
        } zurückgestellt: Ihr Durchschnitt von { $average } ★ weicht weit von der bisherigen Wertung ab. Sie zählen, wenn weiterhin solche Bewertungen kommen.
story-excluded =
    Die Moderation hat { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        } ({ $days }, { $average } ★) aus der Wertung genommen.
story-excluded-because =
    Die Moderation hat { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        } ({ $days }, { $average } ★) aus der Wertung genommen: „{ $because }“.
period-day = { $day }
period-hour = { $time }
period-words = { $when }: { $new } neu, { $changed } geändert, { $refused } abgewiesen; { $steady } { $average }
period-steady = beständige Wertung { $score } ★,
period-average = Durchschnitt { $score } ★
nothing = {""}
steady-score = Beständige Wertung
chart-aloud =
    Oben die beständige Wertung und der Durchschnitt, darunter, wie viele Bewertungen je { $period ->
            [day] Tag
           *[other] Stunde
        } kamen. Die Zahlen stehen in der Tabelle.
chart-score = Wertung, von 1 bis 5 Sternen
chart-arrivals =
    { $refused ->
            [yes] Bewertungen und abgewiesene Versuche
           *[no] Bewertungen
        } je { $period ->
            [day] Tag
           *[other] Stunde
        }
chart-average =
    Durchschnitt aller{ $refused ->
            [yes] , wenn die Schranke niemanden abgewiesen hätte
           *[no] {""}
        }
chart-new = Neu
chart-changed = Geändert
chart-refused = Abgewiesen, da sie zu schnell kamen
chart-left-out = Nicht in der Wertung
chart-cut = Ein Balken mit Lücke ist länger als gezeigt; seine Zahl steht darüber, und die Anteile der Farben stimmen.
chart-utc = Alle Zeiten in UTC.
numbers = Die Zahlen
as-csv = Als CSV
all-as-json = Alles als JSON
column-day = Tag
column-hour = Stunde
column-refused = Abgewiesen
column-ratings-then = Bewertungen bis dahin
column-average-then = Durchschnitt bis dahin
days-heading = So entsteht die Wertung
days-what = Die Wertung ist der gewichtete Durchschnitt dieser Zeiträume: die Summe aus Durchschnitt mal Gewicht, geteilt durch die Summe der Gewichte. Ein Zeitraum wiegt höchstens das 1,5-Fache des Üblichen, außer solange ein neuer Beitrag weniger als 40 Bewertungen hat. Zurückgestellte Bewertungen weichen von den anderen ab und zählen, wenn weiterhin solche kommen. Der letzte Zeitraum kann sich noch ändern.
column-days-utc = Tage (UTC)
column-average = Durchschnitt
column-weight = Gewicht
column-held-back = Zurückgestellt
column-left-out = Nicht gewertet
column-why = Warum
score-period-surge = mehr als üblich, und weit von der bisherigen Wertung entfernt
score-period-held-back = weit von der bisherigen Wertung entfernt: zählt, wenn weiterhin solche Bewertungen kommen
score-period-excluded = von der Moderation aus der Wertung genommen
score-period-limited = mehr als üblich: Jede wiegt weniger
score-period-days =
    { $one ->
            [yes] { $from }
           *[no] { $from } bis { $until }
        }
invalid-of = Wähle `days` oder `periods`.
invalid-format = Wähle `csv` oder `json`, oder lass es weg.

## What moderators decide.

moderations-heading = Was die Moderation entschieden hat
moderations-earlier = Frühere Entscheidungen
moderation-void-day =
    { $author ->
            [yes] Die Person, die den Beitrag geschrieben hat und zur Moderation gehört,
           *[no] Die Moderation
        } hat den { $from } aus der Wertung genommen, mit { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }. Wertung vorher: { $before }, nachher: { $after }.
moderation-void-days =
    { $author ->
            [yes] Die Person, die den Beitrag geschrieben hat und zur Moderation gehört,
           *[no] Die Moderation
        } hat die Tage vom { $from } bis zum { $to } aus der Wertung genommen, mit { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }. Wertung vorher: { $before }, nachher: { $after }.
moderation-restore-day =
    { $author ->
            [yes] Die Person, die den Beitrag geschrieben hat und zur Moderation gehört,
           *[no] Die Moderation
        } hat den { $from } wieder in die Wertung genommen, mit { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }. Wertung vorher: { $before }, nachher: { $after }.
moderation-restore-days =
    { $author ->
            [yes] Die Person, die den Beitrag geschrieben hat und zur Moderation gehört,
           *[no] Die Moderation
        } hat die Tage vom { $from } bis zum { $to } wieder in die Wertung genommen, mit { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        }. Wertung vorher: { $before }, nachher: { $after }.
score-none = keine
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings ->
            [one] { $ratings } Bewertung würde
           *[other] { $ratings } Bewertungen würden
        } { $void ->
            [yes] nicht mehr gewertet.
           *[no] wieder gewertet.
        }
preview-days =
    { $from } bis { $to } ({ $days ->
            [one] { $days } Tag mit Bewertungen
           *[other] { $days } Tage mit Bewertungen
        }): { $ratings ->
            [one] { $ratings } Bewertung würde
           *[other] { $ratings } Bewertungen würden
        } { $void ->
            [yes] nicht mehr gewertet.
           *[no] wieder gewertet.
        }
age-under-a-day = unter einem Tag
age-under-a-week = 1 bis 6 Tage
age-under-a-month = 7 bis 29 Tage
age-under-a-year = 30 bis 364 Tage
age-older = ein Jahr oder mehr
invalid-nothing-to-void = An diesen Tagen gibt es keine Bewertung, die noch gewertet wird.
invalid-nothing-to-restore = Die Moderation hat keine Bewertungen dieser Tage aus der Wertung genommen.
invalid-day-not-over = Ein Tag muss vorbei sein: Der letzte mögliche ist der { $day } (UTC).
invalid-day = Schreib den Tag so: 2026-11-21.
invalid-no-reason = Sag, warum: Andere werden es wissen wollen.
invalid-to = Das muss derselbe Tag wie `from` sein oder ein späterer.
invalid-too-many-days = Wähle höchstens 366 Tage.
void-link = Tage nicht werten
void-heading = Tage aus der Wertung nehmen
restore-link = Tage wieder werten
void-button =
    { $count ->
            [one] { $count } Bewertung nicht werten
           *[other] { $count } Bewertungen nicht werten
        }
restore-button =
    { $count ->
            [one] { $count } Bewertung wieder werten
           *[other] { $count } Bewertungen wieder werten
        }
moderate-what = Bewertungen dieser Tage bleiben im Durchschnitt. Alle können lesen, was du entscheidest und warum, und es lässt sich zurücknehmen.
moderate-from-hint = Tage sind in UTC und müssen vorbei sein.
moderate-to-hint = Lass es leer, wenn es nur ein Tag ist.
moderate-see = Auswirkung ansehen
moderate-would = Was es bewirken würde
moderate-score = { $before } → { $after }
moderate-ages = Alter der Konten
moderate-age = Alter des Kontos
moderate-reason-hint = Das steht für alle neben der Wertung. Höchstens 300 Zeichen.
moderate-cancel = Nichts ändern

## Paused ratings.

paused-title = Pausierte Bewertungen
paused-none = Keine deiner Bewertungen ist pausiert.
paused-what =
    Dein Konto hat sehr oft versucht, { $count ->
            [one] diesen Beitrag
           *[other] diese Beiträge
        } zu bewerten, auf eine Weise, die nicht gelingen kann. Wahrscheinlich versucht es ein Programm immer wieder. Bis du die Pause beendest, werden weitere Versuche abgewiesen. Alles andere geht weiter.
paused-since = seit dem { $day }
paused-latest = Das sind die neuesten von { $count }.
paused-mend = Repariere erst das Programm: Sonst kommt es wieder zu einer Pause, wenn auch nicht innerhalb von zwei Wochen.
unpause-title = Eine Pause beenden
unpause-one = Pause beenden
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
unpause-what =
    <bdi>{ $name }</bdi> hat sehr oft versucht, <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}und andere Beiträge
        } zu bewerten, auf eine Weise, die nicht gelingen kann. Wahrscheinlich versucht es ein Programm immer wieder.
done-unpaused =
    { $count ->
            [one] Die Pause ist beendet. Du kannst den Beitrag wieder bewerten.
           *[other] { $count } Pausen sind beendet. Du kannst diese Beiträge wieder bewerten.
        }
done-unpaused-some =
    { $count ->
            [one] Die Pause ist beendet, und vielleicht gibt es noch mehr: Benutze den Link noch einmal.
           *[other] { $count } Pausen sind beendet, und vielleicht gibt es noch mehr: Benutze den Link noch einmal.
        }
unpublished-post = Ein unveröffentlichter Beitrag

## How fast one may go.

classes-title = Wie schnell du sein darfst
classes-what = Anfragen werden für alle einzeln gezählt, damit niemand die anderen ausbremst. Wer zu schnell ist, wird gewarnt, muss dann warten und kann nach einer Weile weitermachen. Hier siehst du, wie es gerade bei dir aussieht.
classes-none = Im Moment gibt es hier keine Grenzen.
classes-counted = Was gezählt wird
classes-programs = Programme bekommen alle Zahlen hier als JSON, und Änderungen, sobald sie geschehen, von <code>/rate/classes/events/</code>.
class-browse = Lesen
class-write = Beiträge schreiben
class-rate = Bewerten
class-account = Anmelden und dein Konto
class-wait = Du musst { $wait } warten.
class-close = Du bist nah an der Grenze.
class-none-left = Die nächste Anfrage muss vielleicht warten.
class-left =
    { $count ->
            [one] { $count } weitere Anfrage auf einmal ist in Ordnung.
           *[other] { $count } weitere Anfragen auf einmal sind in Ordnung.
        }
class-warning =
    Du { $class ->
            [write] schreibst
            [rate] bewertest
            [account] sendest dieses Formular
           *[other] liest
        } sehr schnell. Mach langsamer, sonst musst du etwa { $wait } warten.
class-limited =
    Du { $class ->
            [write] hast zu schnell geschrieben
            [rate] hast zu schnell bewertet
            [account] hast dieses Formular zu schnell gesendet
           *[other] hast zu schnell gelesen
        } und kannst in { $wait } weitermachen.
invalid-class = Wähle `browse`, `write`, `rate` oder `account`.

admin-title = Verwaltung
admin-group-moderation = Moderation
admin-group-people = Personen
admin-menu = Verwaltungsmenü
admin-dashboard = Übersicht
admin-description = Beiträge, Personen und Bewertungen verwalten.
log-title = Audit-Protokoll
log-what = Entscheidungen des Teams, Änderungen an Konten und automatische Aktionen. Passwörter und die Texte von Beiträgen und E-Mails werden nie protokolliert.
log-all-actions = Alle Aktionen
log-filter = Filtern
log-clear-filters = Filter zurücksetzen
log-unknown-actor = System oder gelöschtes Konto
log-post = Beitrag { $id }

## Actions in the audit log

act-days-exclude = Tage aus einer Wertung ausgeschlossen
act-days-restore = Ausgeschlossene Tage wieder in eine Wertung aufgenommen
act-post-change = Fremden Beitrag bearbeitet
act-post-delete = Fremden Beitrag gelöscht
act-revision-delete = Frühere Fassung eines fremden Beitrags gelöscht
act-user-delete-drafts = Entwürfe eines gesperrten Kontos gelöscht
act-post-unpublish = Fremden Beitrag zurückgezogen
act-author-approve = Jemandem das Veröffentlichen erlaubt
act-author-disapprove = Jemandem die Erlaubnis zum Veröffentlichen entzogen
act-invitation-make = Einladung erstellt
act-invitation-end = Einladung widerrufen
act-staff-make = Teamkonto angelegt
act-password-change = Passwort geändert
act-password-reset = Passwort per E-Mail zurückgesetzt
act-email-change = E-Mail-Adresse geändert
act-second-factor-on = Zwei-Faktor-Authentisierung eingeschaltet
act-second-factor-off = Zwei-Faktor-Authentisierung ausgeschaltet
act-second-factor-codes = Neue Wiederherstellungscodes erstellt
act-sessions-end = Sitzungen beendet
act-token-create = API-Token erstellt
act-token-revoke = API-Token widerrufen
act-deletion-ask = Löschung des Kontos beantragt
act-deletion-cancel = Löschung des Kontos abgebrochen
act-account-erase = Konto nach Ablauf der Wochenfrist gelöscht
role-reader = Leser
role-author = Autor
role-moderator = Moderation
role-admin = Administration
role-owner = Inhaber
act-limiter-choose = Limiter geändert
act-limiter-undo = Änderung des Limiters rückgängig gemacht
admin-limiter = Limiter
limiter-purpose = Ein Limiter begrenzt, wie schnell jeder Beitrag Bewertungen bekommen kann. Er bremst plötzliche Schübe, damit Warteschlange und Datenbank mitkommen und die Website schnell bleibt.
limiter-protection =
    { $steady ->
        [yes] Er ist nicht das, was die Wertung vor einem Ansturm schützt: Das tut die beständige Wertung, selbst wenn der Limiter jede Bewertung des Ansturms annimmt.
       *[no] Er ist nicht das, was die Wertung vor einem Ansturm schützt: Das tut nur die beständige Wertung, und diese Website zeigt stattdessen den Durchschnitt.
    }
limiter-recommendation = Wir empfehlen „{ $limiter }“: In einem Vergleich mit 300.000 echten Bewertungen hat er keine ehrliche abgewiesen. Limiter, die mehr von einem plötzlichen Ansturm aufhalten, weisen auch ehrliche Bewertungen ab; ein Ansturm, der sich eine Woche Zeit lässt, kommt mit den meisten Bewertungen an allen vorbei; und die beständige Wertung ändert sich mit jedem Limiter kaum. Erwartest du in den ersten Stunden eines Beitrags einen Ansturm, wähle für diesen Beitrag „{ $guard }“.
limiter-recommended = Empfohlen
limiter-active = Aktiver Limiter: { $limiter }
limiter-from-settings = Es gilt die Vorgabe aus RATING_LIMITER.
limiter-overridden = Diese Auswahl ersetzt die Vorgabe aus RATING_LIMITER ({ $limiter }):
limiter-change = Limiter ändern
limiter-change-post = Limiter für Beitrag { $post } ändern
limiter-undo = Limiter aus RATING_LIMITER verwenden
limiter-undo-post = Für Beitrag { $post } das Limit der Website verwenden
limiter-parameter = Parameter
limiter-parameter-value = Wert
limiter-parameter-description = Wirkung
limiter-posts = Beiträge mit eigenem Limiter
limiter-posts-description = Der Limiter eines Beitrags ersetzt dort den der Website.
limiter-posts-none = Kein Beitrag hat einen eigenen Limiter.
limiter-recent-changes = Letzte Änderungen
limiter-choose = Limiter auswählen
limiter-choose-site = Gilt für die ganze Website außer für Beiträge mit eigenem Limiter. Derzeit aktiv: { $limiter }.
limiter-choose-post = Gilt nur für <a href="{ $path }">{ $title }</a>. Derzeit aktiv: { $limiter }.
limiter-list = Limiter
limiter-post-title = Titel enthält
limiter-find-post = Beitrag suchen
limiter-advanced = Erweitert: Parameter von { $limiter }
limiter-advanced-hint = Um geänderte Parameter zu aktivieren, wähle zuerst „Limiter vergleichen“: Das Formular unter dem Vergleich enthält sie dann.
limiter-default = Standard
limiter-same-as-settings = Limiter und Parameter aus den Servereinstellungen
limiter-same-as-site = Derselbe Limiter wie auf der übrigen Website
limiter-confirm-description = Der Limiter gilt sofort für alle neuen Bewertungen, auf jeder Instanz. Was Limiter über Beiträge gelernt haben, wird verworfen. Um zurückzukehren, aktiviere wieder den vorherigen Limiter.
admin-reason-hint = Für das Team im Audit-Protokoll sichtbar. Höchstens 300 Zeichen.
confirm-password-hint = Bestätige mit deinem Passwort. Danach wirst du 15 Minuten lang nicht mehr gefragt.
limiter-activate = Limiter aktivieren
done-limiter-chosen = Limiter geändert. Für die Website jetzt aktiv: { $limiter }.
done-limiter-chosen-post = Limiter geändert. Für Beitrag { $post } jetzt aktiv: { $limiter }.
done-limiter-undone = Änderung rückgängig gemacht. Für die Website jetzt aktiv: { $limiter }.
done-limiter-undone-post = Änderung rückgängig gemacht. Für Beitrag { $post } jetzt aktiv: { $limiter }.
replay-title = Limiter vergleichen
replay-description =
    Grundlage sind alle Bewertungen auf dieser Website { $days ->
            [one] vom letzten Tag
           *[other] aus den letzten { $days } Tagen
        }, auch die abgewiesenen (eine pro Person, Beitrag und Stunde).
replay-description-post =
    Grundlage sind alle Bewertungen von „{ $title }“ { $days ->
            [one] vom letzten Tag
           *[other] aus den letzten { $days } Tagen
        }, auch die abgewiesenen (eine pro Person, Beitrag und Stunde).
replay-brigade-description = Als Manipulationsversuch gilt eine Bewertung, wenn die Moderation ihren Tag von der Wertung ausgeschlossen hat oder wenn sie in einer Stunde mit ungewöhnlicher Aktivität um mindestens einen Stern von der Wertung abweicht, in dieselbe Richtung wie die in dieser Stunde abgewiesenen Bewertungen. Alle anderen Bewertungen gelten als ehrlich. Vor dem Vergleich lernt jeder Limiter aus den Bewertungen der 90 Tage davor. Bewertungen, die abgewiesen wurden, bevor die Website abgewiesene Bewertungen aufzeichnete, fehlen.
replay-method = So werden die Bewertungen eingeteilt
replay-done =
    { $ratings ->
            [one] { $ratings } Bewertung
           *[other] { $ratings } Bewertungen
        } von { $posts ->
            [one] { $posts } Beitrag
           *[other] { $posts } Beiträgen
        }; davon mutmaßlich organisiert: { $crowd }
replay-verdict = Der aktive Limiter { $limiter } hat { $refused } der ehrlichen Bewertungen abgewiesen und { $admitted } der organisierten Bewertungen angenommen.
replay-better = { $limiter } hätte weniger Fehler gemacht: { $refused } der ehrlichen Bewertungen abgewiesen und { $admitted } der organisierten angenommen. Die Wertung eines Beitrags hätte sich um höchstens { $moved } ★ geändert; mit dem aktiven Limiter waren es { $now } ★.
replay-none-better = Kein anderer Limiter hätte weniger Fehler gemacht.
replay-plot-caption = Limiter unten links machen wenige Fehler. Der blaue Punkt ist der aktive Limiter. Über 0 % sind die Skalen logarithmisch.
replay-plot-label = Diagramm der Fehler jedes Limiters. Die Zahlen stehen in der Tabelle darunter.
replay-truncated = Berücksichtigt sind nur die neuesten von { $posts } Beiträgen mit Bewertungen aus dieser Zeit, weil der Vergleich aller zu lange dauern würde. Alle Beiträge vergleicht `evenkeel replay --database`.
replay-empty = In dieser Zeit gibt es keine Bewertungen und damit nichts zu vergleichen.
replay-honest-refused = Ehrliche Bewertungen abgewiesen
replay-brigade-admitted = Organisierte Bewertungen angenommen
replay-point =
    { $limiter }
    Ehrliche Bewertungen abgewiesen: { $refused }
    Organisierte Bewertungen angenommen: { $admitted }
replay-average-change = Größte Änderung im Durchschnitt
replay-steady-change = Größte Änderung der Wertung
replay-change-description = Die Änderungen geben an, wie weit die organisierten Bewertungen den Durchschnitt und die Wertung eines Beitrags zu irgendeiner Zeit höchstens verschoben hätten.
replay-active = derzeit aktiv
replay-selected = deine Auswahl
replay-from-settings = Limiter ohne Kennzeichnung haben die Parameter aus den Servereinstellungen.
replay-days = Zeitraum in Tagen
replay-days-hint = Von 1 bis 90. Die Bewertungen aus dieser Zeit werden mit jedem Limiter durchgespielt.
replay-compare = Limiter vergleichen
users-title = Konten
users-what = Konten sperren, Personen abmelden und Teamrollen verwalten.
users-all = Alle
users-blocked = Gesperrt
users-staff = Team
users-pending-deletion = Zur Löschung vorgemerkt
users-blocked-until = Gesperrt bis { $time }
users-blocked-indefinitely = Unbefristet gesperrt
users-deletion-at = Wird am { $time } gelöscht
users-posts =
    { $count ->
            [one] { $count } Beitrag
           *[other] { $count } Beiträge
        }
users-email-unconfirmed = E-Mail-Adresse nicht bestätigt
action-block = Sperren
action-block-what = Gesperrte können lesen, ihre Daten exportieren und ihr Konto löschen, aber nichts veröffentlichen oder bewerten. Vorhandene Beiträge und Bewertungen bleiben. Grund und Ende der Sperre erfahren sie per E-Mail und auf jeder Seite.
action-block-done =
    { $count ->
            [one] { $name } ist jetzt gesperrt.
           *[other] { $count } Konten gesperrt.
        }
action-unblock = Entsperren
action-unblock-what = Wer entsperrt wird, kann sofort wieder schreiben und bewerten und wird per E-Mail benachrichtigt.
action-unblock-done =
    { $count ->
            [one] { $name } ist nicht mehr gesperrt.
           *[other] { $count } Konten entsperrt.
        }
action-delete-drafts = Entwürfe löschen
action-delete-drafts-what = Alle Entwürfe dieser gesperrten Konten werden gelöscht, außer vom Team entfernte Beiträge. Das lässt sich nicht rückgängig machen.
action-delete-drafts-done =
    { $count ->
            [one] Entwürfe von { $name } gelöscht.
           *[other] Entwürfe von { $count } Konten gelöscht.
        }
action-reset-warning = Warnstufe zurücksetzen
action-reset-warning-what = Die Warnstufe dieser Personen wird 0, sodass wieder die normalen Anfragelimits gelten.
action-reset-warning-done =
    { $count ->
            [one] Für { $name } gelten wieder die normalen Anfragelimits.
           *[other] { $count } Warnstufen zurückgesetzt.
        }
action-sign-out = Überall abmelden
action-sign-out-what = Beendet alle Sitzungen der ausgewählten Konten. Mit dem bisherigen Passwort ist eine neue Anmeldung möglich.
action-sign-out-done =
    { $count ->
            [one] { $name } wurde überall abgemeldet.
           *[other] { $count } Konten überall abgemeldet.
        }
action-role = Rolle ändern
action-role-what = Die Moderation verwaltet Beiträge, Bewertungen und Personen. Die Administration verwaltet zusätzlich die Website, Inhaber vergeben außerdem Rollen.
action-role-done =
    { $count ->
            [one] Die Rolle von { $name } wurde geändert.
           *[other] { $count } Rollen geändert.
        }
users-role-label = Rolle
users-no-role = keine (nicht im Team)
users-skipped-own = übersprungen: dein eigenes Konto
users-skipped-staff = übersprungen: Teammitglied mit gleicher oder höherer Rolle
users-skipped-unchanged = übersprungen: keine Änderung nötig
users-days = Dauer in Tagen
users-days-hint = Von 1 bis 3650. Leer lassen, um unbefristet zu sperren.
users-block-reason-hint = Wird den Gesperrten angezeigt. Höchstens 300 Zeichen.
act-user-block = Konto gesperrt
act-user-unblock = Konto entsperrt
act-user-warning = Warnstufe einer Person zurückgesetzt
act-user-role = Rolle einer Person geändert
users-skipped-unknown = übersprungen: kein Konto mit diesem Namen
users-skipped-not-blocked = übersprungen: nicht gesperrt
pauses-skipped-grace = übersprungen: Pause vor weniger als 14 Tagen beendet
cases-skipped-involved = übersprungen: du hast diesen Beitrag geschrieben oder gemeldet, oder er stammt von jemandem mit derselben oder einer höheren Rolle
cases-skipped-changed = übersprungen: nach der ersten Meldung geändert; entscheide auf der Seite des Falls
act-report-decide = Über eine Meldung entschieden
act-appeal-decide = Über einen Einspruch entschieden
list-no-results = Keine Ergebnisse
list-selected-actions = Aktionen für die Auswahl
cases-title = Meldungen
cases-what = Gemeldete Beiträge. Mehrere Meldungen eines Beitrags bilden einen Fall; bei offenen Fällen stehen die ältesten oben. Nach Meldungen sortiert, stehen Fälle mit verlässlichen Meldungen oben.
cases-pending = Offen
cases-resolved = Erledigt
cases-all = Alle
cases-open = Offen
cases-appealed = Einspruch offen
cases-reports =
    { $count ->
            [one] { $count } Meldung
           *[other] { $count } Meldungen
        }
admin-case-title = Gemeldeter Beitrag
admin-case-view-post = Beitrag ansehen
admin-case-draft = Dieser Beitrag ist jetzt ein Entwurf, den nur sieht, wer ihn geschrieben hat.
admin-case-guest = Gast oder gelöschtes Konto
admin-case-by = Entschieden von { $name }.
admin-case-decide = Entscheidung
admin-case-appeal = Entscheidung über den Einspruch
admin-case-new-decision = Neue Entscheidung
admin-case-description = Wer den Beitrag geschrieben hat und alle, die ihn gemeldet haben, sehen deine Entscheidung und die Begründung. Die unterlegene Seite kann einmal Einspruch einlegen.
admin-case-keep = Beitrag stehen lassen
admin-case-reason-hint = Für beide Seiten sichtbar. Nenne die Stelle und die Regel oder das Gesetz, gegen das sie verstößt, oder erkläre, warum sie zulässig ist. Höchstens 3.000 Zeichen.
admin-case-submit = Entscheidung absenden
admin-case-earlier = Frühere Entscheidungen über Beiträge derselben Person
case-not-yours-author = Du hast diesen Beitrag geschrieben, deshalb muss jemand anderes im Team entscheiden.
case-not-yours-reporter = Du hast diesen Beitrag gemeldet, deshalb muss jemand anderes im Team entscheiden.
case-not-yours-decision = Der Einspruch richtet sich gegen deine Entscheidung, deshalb muss jemand anderes im Team entscheiden.
case-not-yours-rank = Die Autorin oder der Autor hat die gleiche oder eine höhere Rolle, deshalb muss jemand mit einer höheren Rolle entscheiden.
case-view = Fall ansehen
done-taken-down =
    „{ $title }“ wurde entfernt. { $mail ->
            [yes] Beide Seiten werden per E-Mail benachrichtigt und sehen die Begründung in ihrem Konto.
           *[no] Beide Seiten sehen die Begründung in ihrem Konto.
        }
done-report-dismissed =
    Meldung abgewiesen: „{ $title }“ bleibt. { $mail ->
            [yes] Beide Seiten werden per E-Mail benachrichtigt und sehen die Begründung in ihrem Konto.
           *[no] Beide Seiten sehen die Begründung in ihrem Konto.
        }
posts-title = Beiträge
posts-what = Veröffentlichte Beiträge, Beiträge, die auf eine Prüfung warten, und Beiträge, die das Team zurückgezogen oder entfernt hat. Andere Entwürfe stehen hier nicht.
posts-published = Veröffentlicht
posts-pages = Seiten
posts-page = Seite
posts-taken-down = Entfernt
posts-view-report = Meldung ansehen
posts-view-decision = Entscheidung ansehen
ratings-title = Einzelne Bewertungen
ratings-what = Gib einen Beitrag an, um seine Bewertungen zu sehen (neueste Konten zuerst), oder ein Konto für dessen Bewertungen (neueste zuerst).
tags-title = Schlagwörter
tags-what = Schlagwörter der neuesten 5.000 Beiträge und die Zahl der Beiträge zu jedem.
signed-in-title = Sitzungen
signed-in-what = Angemeldete Personen mit Gerät und Netz. Die Gerätenamen stammen von den Browsern.
api-tokens-title = API-Tokens
api-tokens-what = Tokens, mit denen Programme für Benutzer handeln. Melde einen Benutzer ab, um seine Tokens zu widerrufen.
pauses-title = Bewertungspausen
pauses-what = Personen, die einen Beitrag nicht bewerten können, weil Tausende ihrer Versuche gescheitert sind oder das Team sie pausiert hat. Sie können die Pause auch selbst mit einem Link beenden.
pauses-active = Pausiert
pauses-failing = Scheitern, nicht pausiert
mails-title = Postausgang
mails-what = E-Mails, die noch verschickt werden. Verschickte E-Mails werden nicht aufbewahrt, und Texte werden nicht angezeigt.
mails-all = Alle
mails-failed = Zustellung fehlgeschlagen
mails-will-retry = Zustellung fehlgeschlagen, wird wiederholt
states-title = Limiter-Zustände
states-what = Ausschöpfung der Limits für Anmeldeversuche, Meldungen, Exporte, Anfragen und Bewertungen, nach Schlüssel. Konten erscheinen als Nummer oder Fingerabdruck.
warnings-title = Verdächtige Links
warnings-what = Veröffentlichte Beiträge mit URLs, die auf einer Bedrohungsliste stehen. Die Seiten verlinken nicht direkt dorthin.

## Bulk actions of lists

action-keep-posts = Beiträge behalten
action-keep-posts-what = Die Meldungen werden abgelehnt, und die Beiträge bleiben online. Wer sie gemeldet hat, bekommt die Begründung per E-Mail und kann Einspruch einlegen.
action-keep-posts-done =
    { $count ->
            [one] { $count } Beitrag behalten.
           *[other] { $count } Beiträge behalten.
        }
action-take-down-posts = Beiträge entfernen
action-take-down-posts-what = Die Beiträge werden entfernt, weil sie gegen die Regeln dieser Website verstoßen. Beide Seiten bekommen die Begründung per E-Mail; wer die Beiträge geschrieben hat, kann Einspruch einlegen.
action-take-down-posts-done =
    { $count ->
            [one] { $count } Beitrag entfernt.
           *[other] { $count } Beiträge entfernt.
        }
action-decide-reason-hint = Für beide Seiten sichtbar. Nenne die Stelle und die Regel, gegen die sie verstößt, oder erkläre, warum die Beiträge erlaubt sind. Höchstens 300 Zeichen.
action-unpublish = Zurückziehen
action-unpublish-what = Diese Beiträge werden zu Entwürfen und behalten ihre Bewertungen. Wer sie geschrieben hat, kann sie wieder veröffentlichen. Um das zu verhindern, entferne einen Beitrag, indem du über eine Meldung entscheidest.
action-unpublish-done =
    { $count ->
            [one] { $count } Beitrag zurückgezogen.
           *[other] { $count } Beiträge zurückgezogen.
        }
action-publish = Veröffentlichen
action-publish-what = Diese Beiträge werden öffentlich. Beiträge, die es schon waren, behalten URLs und Bewertungen.
action-publish-done =
    { $count ->
            [one] { $count } Beitrag veröffentlicht.
           *[other] { $count } Beiträge veröffentlicht.
        }
action-return-posts = Zurückgeben
action-return-posts-what = Diese Beiträge bleiben Entwürfe. Wer sie geschrieben hat, bekommt eine E-Mail mit deiner Begründung und kann sie erneut einreichen.
action-return-posts-done =
    { $count ->
            [one] { $count } Beitrag zurückgegeben.
           *[other] { $count } Beiträge zurückgegeben.
        }
action-end-sessions = Sitzungen beenden
action-end-sessions-what = Diese Sitzungen enden sofort. Wer das Passwort kennt, kann sich wieder anmelden.
action-end-sessions-done =
    { $count ->
            [one] { $count } Sitzung beendet.
           *[other] { $count } Sitzungen beendet.
        }
action-pause = Pausieren
action-pause-what = Diese Personen können diese Beiträge nicht bewerten, bis sie die Pause mit dem angezeigten Link beenden oder das Team sie beendet.
action-pause-done =
    { $count ->
            [one] { $count } Person für einen Beitrag pausiert.
           *[other] { $count } Paare aus Person und Beitrag pausiert.
        }
action-lift-pauses = Pausen beenden
action-lift-pauses-what = Personen, die einen Beitrag nicht bewerten können, weil Tausende ihrer Versuche gescheitert sind oder das Team sie pausiert hat. Sie können die Pause auch selbst mit einem Link beenden.
action-lift-pauses-done =
    { $count ->
            [one] { $count } Pause beendet.
           *[other] { $count } Pausen beendet.
        }
action-send-mails = Jetzt senden
action-send-mails-what = Die Zustellung wird sofort versucht statt erst zum geplanten Zeitpunkt.
action-send-mails-done =
    { $count ->
            [one] { $count } E-Mail wird jetzt gesendet.
           *[other] { $count } E-Mails werden jetzt gesendet.
        }
action-drop-mails = Ungesendet löschen
action-drop-mails-what = Diese E-Mails werden gelöscht und nie gesendet. Das lässt sich nicht rückgängig machen.
action-drop-mails-done =
    { $count ->
            [one] { $count } E-Mail gelöscht.
           *[other] { $count } E-Mails gelöscht.
        }
action-forget-states = Limits zurücksetzen
action-forget-states-what = Die gespeicherte Nutzung dieser Schlüssel wird gelöscht; ihre Limits stehen wieder voll zur Verfügung. Der gelöschte Zustand bleibt im Audit-Protokoll.
action-forget-states-done =
    { $count ->
            [one] Limits von { $count } Schlüssel zurückgesetzt.
           *[other] Limits von { $count } Schlüsseln zurückgesetzt.
        }
action-reset-limiter = Limiter zurücksetzen
action-reset-limiter-what = Löscht den Zustand des Limiters für diese Beiträge. Bewertungen werden sofort wieder angenommen, und der Limiter lernt von vorn. Bewertungen und Wertungen ändern sich nicht. Der gelöschte Zustand bleibt im Audit-Protokoll.
action-reset-limiter-done =
    { $count ->
            [one] Limiter von { $count } Beitrag zurückgesetzt.
           *[other] Limiter von { $count } Beiträgen zurückgesetzt.
        }
invalid-no-rows-left = Nichts geändert. Die ausgewählten Einträge gibt es nicht mehr, oder sie waren schon in diesem Zustand.
action-affected =
    { $count ->
            [one] Betrifft { $count } Eintrag
           *[other] Betrifft { $count } Einträge
        }
action-skipped =
    { $count ->
            [one] { $count } ausgewählter Eintrag wird übersprungen: Es gibt ihn nicht mehr, er braucht keine Änderung, oder du darfst ihn nicht ändern.
           *[other] { $count } ausgewählte Einträge werden übersprungen: Es gibt sie nicht mehr, sie brauchen keine Änderung, oder du darfst sie nicht ändern.
        }
act-post-publish = Beitrag einer anderen Person veröffentlicht
act-post-return = Eingereichten Beitrag zurückgegeben
act-pause-set = Bewertungen einer Person für einen Beitrag pausiert
act-limit-set = Anderes Anfragelimit für eine Person oder ein Netzwerk gesetzt
act-limit-end = Ausnahme von einem Anfragelimit beendet
act-pause-lift = Bewertungspause einer Person beendet
act-mail-send = E-Mail vorzeitig gesendet
act-mail-drop = E-Mail aus dem Postausgang gelöscht
act-limiter-forget = Limiter zurückgesetzt

## Dashboard

dashboard-pending = Zu erledigen
dashboard-all-clear = Alles erledigt: nichts zu prüfen.
dashboard-reports =
    { $count ->
            [one] { $count } gemeldeter Beitrag zu prüfen
           *[other] { $count } gemeldete Beiträge zu prüfen
        }
dashboard-submitted-posts =
    { $count ->
            [one] { $count } eingereichter Beitrag zu prüfen
           *[other] { $count } eingereichte Beiträge zu prüfen
        }
first-steps-title = Erste Schritte
first-steps-hide = Liste ausblenden
first-step-done = Erledigt:
first-step-skip = Überspringen
first-step-name = Gib deinem Blog einen Namen
first-step-name-hint = Name, Beschreibung, Logo, Farbe und Menü stehen in den Einstellungen.
first-step-people = Entscheide, wer sich registrieren und veröffentlichen darf
first-step-people-hint = Zunächst können sich alle registrieren, veröffentlichen und bewerten.
first-step-post = Schreib den ersten Beitrag
first-step-post-hint = Ein Beitrag braucht einen Titel und einen Text; du kannst ihn als Entwurf speichern.
first-step-invite = Lade jemanden zum Mitschreiben ein
first-step-invite-hint = Per Link oder E-Mail, als Leser, Autor oder für die Moderation.
first-step-mail = Richte E-Mail ein
first-step-mail-hint = Ohne E-Mail kann niemand sein Passwort zurücksetzen. Setze SMTP_URL auf dem Server.
first-step-limiter = Sieh dir die Begrenzung der Bewertungen an
first-step-limiter-hint = Sie bremst Schübe von Bewertungen. Die Voreinstellung passt für die meisten Blogs.
dashboard-failed-emails =
    { $count ->
            [one] { $count } E-Mail mit fehlgeschlagener Zustellung
           *[other] { $count } E-Mails mit fehlgeschlagener Zustellung
        }
dashboard-flagged-links =
    { $count ->
            [one] { $count } Beitrag mit verdächtigen Links
           *[other] { $count } Beiträge mit verdächtigen Links
        }
dashboard-pauses =
    { $count ->
            [one] { $count } Bewertungspause
           *[other] { $count } Bewertungspausen
        }
dashboard-refused-ratings =
    { $count ->
            [one] { $count } Bewertungsversuch in den letzten 24 Stunden abgewiesen.
           *[other] { $count } Bewertungsversuche in den letzten 24 Stunden abgewiesen.
        }
dashboard-last-day = Letzte 24 Stunden
dashboard-visits-by-hour = Besuche pro Stunde
dashboard-ratings-by-hour = Bewertungen und Änderungen pro Stunde
dashboard-blocked-by-hour = Abgewiesene Bewertungsversuche pro Stunde
dashboard-hour =
    { $time }
    Besuche: { $visits }, Bewertungen: { $ratings }, abgewiesene Versuche: { $refused }
dashboard-times = Zeiten in { $zone }. Die letzte Stunde ist noch nicht vorbei.
dashboard-visits-description = Ein Konto oder Netz, das Beiträge oder Listen von Beiträgen aufruft, zählt als ein Besuch pro Stunde. Das Team und die übrigen Seiten zählen nicht. Jede Instanz zählt für sich. Wird alle zehn Sekunden aktualisiert.
column-hour-of-day = Stunde
column-visits = Besuche
column-page-views = Seitenaufrufe
column-rate-limited = Gedrosselt
column-errors = Fehler
dashboard-system = System
dashboard-version = Version
dashboard-database = Datenbank
dashboard-free-disk-space = Freier Speicherplatz
action-reset-password = Passwort zurücksetzen
action-reset-password-what = Die Passwörter der ausgewählten Konten gelten nicht mehr, und alle ihre Sitzungen enden. Über einen Link in einer E-Mail lässt sich ein neues Passwort wählen.
action-reset-password-done =
    { $count ->
            [one] Das Passwort von { $name } wurde zurückgesetzt. Eine E-Mail mit einer Anleitung ist unterwegs.
           *[other] { $count } Passwörter zurückgesetzt. E-Mails mit einer Anleitung sind unterwegs.
        }
users-skipped-unreachable = übersprungen: per E-Mail nicht erreichbar
act-password-take = Fremdes Passwort zurückgesetzt
cases-guests =
    { $count ->
            [one] { $count } von einem Gast
           *[other] { $count } von Gästen
        }
admin-case-reported-text = Text zum Zeitpunkt der ersten Meldung
admin-case-current-text = Aktueller Text
admin-case-description-final = Wer den Beitrag geschrieben hat und alle, die ihn gemeldet haben, sehen deine Entscheidung und die Begründung. Die Entscheidung ist endgültig. Einspruch einlegen kann danach nur noch, wer den Beitrag geschrieben hat und noch nicht angehört wurde.
posts-unpublished = Vom Team zurückgezogen
posts-submitted = Wartet auf Prüfung
action-affected-none = Auf keinen dieser Einträge anwendbar
action-unpublish-reason-hint = Für die Autorin oder den Autor und im Audit-Protokoll für das Team sichtbar. Höchstens 300 Zeichen.
log-kept = behalten
log-taken-down = entfernt
log-gone = vor der Entscheidung gelöscht
log-law = rechtswidrig
log-rules = verstößt gegen die Regeln dieser Website
action-end-invitations = Einladungen widerrufen
action-end-invitations-what = Mit diesen Links kann niemand mehr ein Konto erstellen. Bereits erstellte Konten bleiben.
action-end-invitations-done =
    { $count ->
            [one] { $count } Einladung widerrufen.
           *[other] { $count } Einladungen widerrufen.
        }

## Custom limits

limits-title = Anfragelimits
limits-what = Andere Limits für eine Person oder ein Netzwerk, etwa ein Büro mit gemeinsamer Adresse oder einen Bot, der sich gut verhält.
limits-target-hint = Ein Benutzername, eine IP-Adresse oder ein Netzwerk wie 203.0.113.0/24.
limits-allowance-hint = Faktor für die normalen Limits, etwa 10 oder 0,5, oder „exempt“ für kein Limit.
limits-days-hint = Anzahl der Tage, bis wieder das normale Limit gilt. Leer lassen, damit es bis zum Beenden gilt.
limits-sign-in = Anmeldungen, Registrierungen und E-Mail-Anforderungen eines Netzwerks
limits-failed-ratings = fehlgeschlagene Bewertungen eines Kontos bis zur Pause
limits-add = Limit setzen
limits-list = Aktuelle Ausnahmen
limits-none = Für alle Personen und Netzwerke gelten die normalen Limits.
limits-times = das { $factor }-Fache des normalen Limits
limits-exempt = kein Limit
limits-over = endete { $time }
limits-no-end = bis das Team das Limit beendet
limits-end = Beenden
done-custom-limit-set = Das Limit von { $target } wurde gesetzt.
done-custom-limit-ended = Es gilt wieder das normale Limit.

## Tables, pages of users and the dashboard.

column-select = Auswählen
column-flagged-urls = Gemeldete URLs
column-joined = Beigetreten
column-created = Erstellt
column-key = Schlüssel
column-state = Zustand
column-last-used = Zuletzt benutzt
column-expires = Läuft ab
column-recipient = Empfänger
column-queued = Eingereiht
column-next-attempt = Nächster Versuch
mails-handed-over = Wird gesendet
mails-waiting = Wartet
column-changed-or-published = Veröffentlicht oder geändert
column-score = Wertung
column-rated = Bewertet
column-changed = Geändert
column-account-created = Konto erstellt
column-device = Gerät
column-signed-in = Angemeldet
column-last-active = Zuletzt aktiv
column-paused = Pausiert
column-failures = Gescheiterte Versuche
column-affected = Konto oder Beitrag
column-details = Einzelheiten
column-time = Zeit
column-source = Netz und Anfrage
column-opened = Eröffnet
column-registered = Registriert
column-text-size = Größe der Texte
column-warning-level = Warnstufe
column-ratings-and-changes = Bewertungen und Änderungen
user-actions = Aktionen für dieses Konto
user-see-all = Alle ansehen
dashboard-unchanged = Wie am Vortag
dashboard-almost-unchanged = Etwa so viele wie am Vortag
dashboard-none-before = Am Vortag keine
dashboard-more = { $percent } mehr als am Vortag
dashboard-fewer = { $percent } weniger als am Vortag
dashboard-latest = Zuletzt: { $time }.
dashboard-review = Prüfen
dashboard-exclude-day = Tag ausschließen
dashboard-exclude-later = Der Tag kann ausgeschlossen werden, sobald er vorbei ist (UTC).
act-webhook-create = Webhook angelegt
act-webhook-change = Webhook geändert
act-webhook-delete = Webhook gelöscht
act-webhook-send = Ereignis eines Webhooks noch einmal gesendet
action-send-webhooks = Noch einmal senden
action-send-webhooks-what = Diese Ereignisse werden noch einmal an ihre Webhooks gesendet. Server erkennen wiederholte Ereignisse an der ID.
action-send-webhooks-done =
    { $count ->
        [one] { $count } Ereignis wird gesendet.
       *[other] { $count } Ereignisse werden gesendet.
    }
webhooks-title = Webhooks
webhooks-what = Ein Webhook sendet Ereignisse dieser Website an einen anderen Server, zum Beispiel an einen Chat. Ereignisse, die nicht zugestellt werden können, werden drei Tage lang wiederholt.
webhooks-none = Es gibt noch keine Webhooks.
webhooks-new = Webhook hinzufügen
webhooks-create = Webhook hinzufügen
webhooks-url-hint = Adresse, die die Ereignisse empfängt, zum Beispiel https://example.com/hook
webhooks-waiting = Wartende Ereignisse
webhooks-latest = Letzte erfolgreiche Zustellung
webhooks-never = Nie
webhooks-enabled = Eingeschaltet
webhooks-disabled = Ausgeschaltet
webhooks-failing = Zustellung schlägt fehl
webhooks-disabled-failing = Ausgeschaltet, weil die Zustellung fehlschlug
webhooks-gone = Ausgeschaltet, weil der Empfänger mit 410 Gone antwortete
webhook-title = Webhook
webhook-disabled-what = Es werden keine Ereignisse gesendet. Prüfe den Server und schalte den Webhook dann unten ein.
webhook-secret-what = Mit diesem Schlüssel prüft der Server, ob Anfragen von dieser Website kommen, wie in <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> beschrieben. Wenn der Schlüssel bekannt wurde, lege einen neuen Webhook an und lösche diesen.
webhook-test = Testereignis senden
webhook-settings = Einstellungen
webhook-save = Speichern
webhook-delete = Webhook löschen
webhook-delete-what = Ereignisse, die noch nicht zugestellt sind, werden verworfen. Das lässt sich nicht rückgängig machen.
webhook-event-post-published = Ein Beitrag wurde veröffentlicht.
webhook-event-rating-surge-began = Ein Beitrag bekommt plötzlich ungewöhnlich viele Bewertungen, und einige wurden abgewiesen.
webhook-event-rating-surge-ended = Ein Beitrag bekommt nicht mehr ungewöhnlich viele Bewertungen.
webhook-event-report-filed = Ein Beitrag wurde gemeldet.
webhook-event-test = Ein Admin hat den Webhook getestet.
deliveries-title = Zustellungen von Webhooks
deliveries-what = Ereignisse, die in den letzten 30 Tagen an Webhooks gesendet wurden oder noch gesendet werden.
deliveries-delivered = Zugestellt
deliveries-failed = Fehlgeschlagen
deliveries-will-retry = Wird wiederholt
deliveries-waiting = Wartet
done-webhook-created = Webhook hinzugefügt. Kopiere seinen Schlüssel auf den Server und sende dann ein Testereignis.
done-webhook-changed = Webhook gespeichert.
done-webhook-tested = In wenigen Sekunden wird ein Testereignis gesendet. Lade diese Seite neu, um das Ergebnis zu sehen.
done-webhook-deleted = Webhook gelöscht.
dashboard-failing-webhooks =
    { $count ->
        [one] { $count } Webhook schlägt fehl
       *[other] { $count } Webhooks schlagen fehl
    }
deliveries-now = Jetzt
settings-title = Einstellungen
settings-what = Einstellungen der Website. Änderungen gelten sofort.
settings-site = Website
settings-language = Sprache und Zeit
settings-people = Leser und Autoren
settings-ratings = Bewertungen
settings-save = Einstellungen speichern
settings-from-environment = Von der Umgebungsvariable <code>{ $variable }</code> des Servers gesetzt. Entferne die Variable, um die Einstellung hier zu ändern.
settings-description-hint = Ein oder zwei Sätze für die Startseite, Suchmaschinen und Feeds.
settings-footer-hint = Text unten auf jeder Seite, etwa ein Link zum Impressum. Du kannst Markdown verwenden.
settings-menu-hint = Links oben auf jeder Seite. Ein Link pro Zeile, höchstens 8: der Text, ein Leerzeichen und ein Pfad oder eine URL. „Vögel /blogs/?tag=vögel“ verlinkt zum Beispiel die Beiträge mit einem Tag.
settings-logo-hint = Steht auf jeder Seite oben neben dem Namen, 28 Pixel hoch. PNG, JPEG oder WebP.
settings-logo-current = Jetziges Logo
settings-icon-hint = Erscheint in Browser-Tabs und auf Startbildschirmen. Ein quadratisches Bild mit mindestens 240 Pixeln.
settings-icon-current = Jetziges Symbol
settings-footer-menu-hint = Links unten auf jeder Seite, geschrieben wie das Menü oben.
settings-menu-lines = Zeilen für Seiten und Schlagwörter:
settings-menu-choices = Seite oder Schlagwort zum Menü hinzufügen
settings-new-page = Eine Seite anlegen, etwa ein Impressum
invalid-menu-entry = Schreib einen Text, ein Leerzeichen und einen Pfad oder eine URL, etwa „Über uns /blogs/3/ueber-uns/“, statt „{ $line }“. Der Text kann bis zu 40 Zeichen haben.
invalid-menu-length = Ein Menü kann bis zu { $most } Links haben.
settings-accent-hint = Farbe von Links und Schaltflächen auf hellen Seiten, zum Beispiel #0b5573. Dunkle Seiten bekommen bei Bedarf einen helleren Ton.
settings-accent-picker = Akzentfarbe auswählen
settings-accent-too-light = Links in dieser Farbe wären auf einer hellen Seite schwer zu lesen. Wähle eine dunklere Farbe.
settings-preview-link = Ein Link
settings-language-hint = Für Besucher, deren Browser keine der Sprachen der Website bevorzugt, und für E-Mails an Nutzer, die keine gewählt haben.
settings-time-zone-hint = Zeiten werden in dieser Zone angezeigt, wenn ein Nutzer keine andere wählt.
settings-registration-open = Alle
settings-registration-invite = Personen mit einer Einladung
settings-registration-closed = Niemand
settings-publishing-hint = Andere können Entwürfe schreiben.
settings-publishing-everybody = Alle Nutzer
settings-publishing-reviewed = Autoren und das Team; Beiträge anderer warten auf eine Prüfung
settings-publishing-approved = Freigeschaltete Autoren und das Team
settings-publishing-staff = Das Team
settings-account-age-hint = In Stunden. Leer: Ein neues Konto kann sofort bewerten.
settings-confirmed-email-hint = Bremst Brigaden: Jede Bewertung braucht dann ein Postfach.
settings-not-required = Nicht erforderlich
settings-required = Erforderlich
settings-score-hint = Der stabile Wert ändert sich kaum, wenn viele Konten gemeinsam einen Beitrag bewerten, um seinen Wert zu verschieben.
settings-score-steady = Stabiler Wert
settings-score-average = Durchschnitt aller Bewertungen
done-settings = Einstellungen gespeichert.
done-settings-unchanged = Nichts hat sich geändert.
act-setting-change = Einstellung der Website geändert

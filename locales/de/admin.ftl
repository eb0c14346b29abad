admin-title = Verwaltung
admin-what = Für alle, die diese Website betreiben. Andere finden hier nichts.
admin-invitations = Links, über die sich Leute registrieren können, und wer darüber kam.
log-title = Wer hat was getan?
log-what = Was das Team entscheidet, was Leute an ihren Konten ändern und was die Website von selbst tut. Keine Passwörter, Texte oder E-Mails.
log-any-act = Alles
log-filter = Anzeigen
log-all = Alles zeigen
log-nobody = Die Website, oder jemand, der nicht mehr da ist
log-post = Beitrag { $id }

## What was done

act-days-void = Tage aus einer Wertung herausgenommen
act-days-restore = Tage wieder in eine Wertung aufgenommen
act-post-change = Beitrag von jemandem geändert
act-post-delete = Beitrag von jemandem gelöscht
act-post-unpublish = Beitrag von jemandem zurückgezogen
act-author-approve = jemandem das Veröffentlichen erlaubt
act-author-disapprove = jemandem das Veröffentlichen nicht mehr erlaubt
act-invitation-make = Einladung gemacht
act-invitation-end = Einladung beendet
act-staff-make = Konto für das Team angelegt
act-password-change = Passwort geändert
act-password-reset = Passwort per E-Mail neu gesetzt
act-email-change = E-Mail-Adresse geändert
act-second-factor-on = zweiten Faktor eingeschaltet
act-second-factor-off = zweiten Faktor ausgeschaltet
act-second-factor-codes = neue Wiederherstellungscodes erstellt
act-sessions-end = anderswo abgemeldet
act-deletion-ask = Löschung eines Kontos verlangt
act-deletion-cancel = Konto doch behalten
act-account-erase = Konto nach Ablauf der Woche gelöscht
role-moderator = Moderation
role-admin = Administration
role-owner = Inhaber
act-gate-choose = Begrenzer für Bewertungen gewählt
act-gate-undo = Wahl eines Begrenzers zurückgenommen
admin-limiter = Begrenzer
admin-limiter-what = Was vor jeder neuen Bewertung steht, damit keine Menge eine Wertung auf einmal verschiebt.
gate-in-force = In Kraft: { $limiter }
gate-of-settings = So sagen es die Einstellungen (RATING_LIMITER), und niemand hat anders gewählt.
gate-chosen = Das wurde hier gewählt, statt der Einstellungen, die { $limiter } sagen:
gate-change = Anders wählen
gate-change-post = Für Beitrag { $post } anders wählen
gate-undo = Diese Wahl zurücknehmen
gate-undo-post = Die Wahl für Beitrag { $post } zurücknehmen
gate-undone = nahm die Wahl davor zurück
gate-parameters = Parameter
gate-parameter = Parameter
gate-value = Wert
gate-what = Was er tut
gate-posts = Beiträge mit eigenem Begrenzer
gate-posts-what = Was für einen Beitrag gewählt ist, gilt dort statt des Begrenzers der Website.
gate-posts-none = Kein Beitrag hat einen.
gate-of-post = Nummer eines Beitrags, wie in seiner Adresse
gate-choices = Die letzten Entscheidungen
gate-choose = Begrenzer wählen
gate-choose-site = Für die ganze Website, außer Beiträgen mit eigenem. Jetzt in Kraft: { $limiter }.
gate-choose-post = Nur für den Beitrag <a href="{ $path }">{ $title }</a>. Jetzt in Kraft: { $limiter }.
gate-kinds = Begrenzer
gate-default = Die Vorgabe
limiter-of-settings = Wieder der Begrenzer der Einstellungen, mit deren Parametern.
limiter-of-site = Wieder der Begrenzer der Website.
gate-sure = Der Begrenzer gilt sofort für jede neue Bewertung, auf jeder Instanz der Website. Er beginnt ohne gespeicherte Zustände: Was Begrenzer über Beiträge gelernt haben, wird nicht übernommen. Wartende Bewertungen warten, bis er sie annimmt. Die Wahl lässt sich mit einem Klick zurücknehmen.
gate-reason-hint = Für andere im Team, im Protokoll. Höchstens 300 Zeichen.
second-look-hint = Du wirst noch einmal gefragt, weil es alle betrifft. Danach 15 Minuten lang nicht mehr.
gate-put-in-force = In Kraft setzen
gate-without-looking = Ohne Nachsehen weiter
done-gate-chosen = Für die Website jetzt in Kraft: { $limiter }.
done-gate-chosen-post = Für Beitrag { $post } jetzt in Kraft: { $limiter }.
done-gate-undone = Die Wahl ist zurückgenommen. Für die Website jetzt in Kraft: { $limiter }.
done-gate-undone-post = Die Wahl ist zurückgenommen. Für Beitrag { $post } jetzt in Kraft: { $limiter }.
replay-link = Was andere getan hätten
replay-title = Was jeder Begrenzer getan hätte
replay-what =
    Mit den Bewertungen, die { $days ->
            [one] am letzten Tag
           *[other] in den letzten { $days } Tagen
        } zu dieser Website kamen, gezählt oder abgewiesen.
replay-what-post =
    Mit den Bewertungen, die { $days ->
            [one] am letzten Tag
           *[other] in den letzten { $days } Tagen
        } zu „{ $title }“ kamen, gezählt oder abgewiesen.
replay-crowd = Bewertungen an Tagen, die die Moderation herausgenommen hat, und solche in ungewöhnlichen Stunden, die zu einer Seite zogen, sehen nach einer Menge aus; alle anderen sehen ehrlich aus. Begrenzer haben aus 90 Tagen davor gelernt. Was abgewiesen wurde, bevor das festgehalten wurde, fehlt.
replay-begins = Bewertungen werden gelesen …
replay-progress =
    { $read } von { $posts ->
            [one] einem Beitrag
           *[other] { $posts } Beiträgen
        }
replay-failed = Das ließ sich nicht zu Ende rechnen. Lade die Seite neu.
replay-done =
    { $ratings ->
            [one] Eine Bewertung
           *[other] { $ratings } Bewertungen
        } von { $posts ->
            [one] einem Beitrag
           *[other] { $posts } Beiträgen
        }, davon { $crowd } wohl von einer Menge.
replay-cut = Das sind die neuesten von { $posts } Beiträgen mit Bewertungen aus dieser Zeit: alle dauerten zu lange. `evenkeel replay --database` nimmt alle.
replay-nothing = In dieser Zeit hat niemand bewertet, also gibt es nichts zu vergleichen.
replay-chart = Anteile abgewiesener ehrlicher Bewertungen und der angenommenen Menge, je Begrenzer; die Zahlen stehen in der Tabelle
replay-honest-refused = Ehrliche, abgewiesen
replay-crowd-admitted = Menge, angenommen
replay-average-moved = Durchschnitt verschoben
replay-steady-moved = Beständige Wertung verschoben
replay-in-force = in Kraft
replay-wanted = gefragt
replay-other = wie eingestellt
replay-choose = Das Gefragte wählen
replay-days = Tage zurück
replay-days-hint = Von 1 bis 90. Du siehst, was jeder Begrenzer in dieser Zeit mit den Bewertungen getan hätte, die kamen.
replay-see = Nachsehen, was er getan hätte
users-title = Konten
users-what = Wer hier ist; sperren, abmelden, und wer zum Team gehört.
users-all = Alle
users-blocked = Gesperrte
users-staff = Team
users-leaving = Werden gelöscht
users-blocked-until = gesperrt bis { $time }
users-blocked-for-good = ohne Ende gesperrt
users-leaves = wird am { $time } gelöscht
users-since = hier seit { $time }
users-seen = zuletzt hier { $ago }
users-posts =
    { $count ->
            [one] ein Beitrag
           *[other] { $count } Beiträge
        }
users-unconfirmed = nicht bestätigt
users-block = Sperren
users-block-what = Wer gesperrt ist, kann lesen, seine Daten mitnehmen und gehen, aber nichts schreiben oder bewerten; wartende Bewertungen verfallen. Was geschrieben und bewertet ist, bleibt. Warum und bis wann, sagen eine Mail und jede Seite.
users-unblock = Entsperren
users-unblock-what = Sie können sofort wieder schreiben und bewerten. Eine Mail sagt es ihnen.
users-sign-out = Abmelden
users-sign-out-what = Alle ihre Sitzungen enden. Die Passwörter bleiben: sie können sich wieder anmelden.
users-role = Rolle ändern
users-role-what = Die Moderation entscheidet über Beiträge, Bewertungen und Leute; die Administration auch darüber, wie die Website läuft; Inhaber auch darüber, wer zum Team gehört.
users-role-label = Rolle
users-no-role = keine: nicht im Team
users-will-be =
    { $count ->
            [one] Das geschieht mit einem Konto
           *[other] Das geschieht mit { $count } Konten
        }
users-will-be-nobody = Das geschieht mit niemandem
users-passed-own = ausgelassen: es ist deins
users-passed-staff = ausgelassen: im Team mit gleich hoher Rolle
users-passed-already = ausgelassen: es ist schon so
users-nobody-left = Wähle in der Liste andere Konten aus.
users-days = Für wie viele Tage
users-days-hint = Von 1 bis 3650. Leer: ohne Ende.
users-block-reason-hint = Die Gesperrten lesen das. Höchstens 300 Zeichen.
done-users-one =
    { $act ->
            [block] { $name } ist gesperrt.
            [unblock] { $name } ist nicht mehr gesperrt.
            [sign_out] { $name } ist überall abgemeldet.
            [reset_password] { $name } hat kein Passwort mehr; eine E-Mail ist unterwegs.
           *[other] Die Rolle von { $name } ist geändert.
        }
done-users =
    { $act ->
            [block] { $count } Konten sind gesperrt.
            [unblock] { $count } Konten sind nicht mehr gesperrt.
            [sign_out] { $count } Konten sind überall abgemeldet.
            [reset_password] { $count } Konten haben kein Passwort mehr; E-Mails sind unterwegs.
           *[other] Die Rollen von { $count } Konten sind geändert.
        }
act-user-block = Konto gesperrt
act-user-unblock = Konto entsperrt
act-user-role = Rolle von jemandem geändert
users-passed-unknown = ausgelassen: so ein Konto gibt es nicht
act-report-decide = über einen gemeldeten Beitrag entschieden
act-appeal-decide = über einen Widerspruch entschieden
list-none = Nichts dergleichen ist da.
list-with-picked = Mit den ausgewählten
cases-title = Meldungen
cases-what = Beiträge, die gemeldet wurden. Gleich, wie viele einen melden: Es ist ein Fall. Was wartet, beginnt mit dem ältesten.
cases-waiting = Wartende
cases-decided = Entschiedene
cases-all = Alle
cases-open = wartet auf eine Entscheidung
cases-appealed = jemand hat widersprochen
cases-reports =
    { $count ->
            [one] Eine Meldung
           *[other] { $count } Meldungen
        }
cases-since = seit { $time }
admin-case-title = Ein gemeldeter Beitrag
admin-case-read = Beitrag lesen
admin-case-hidden = Der Beitrag ist jetzt ein Entwurf; nur wer ihn geschrieben hat, sieht ihn.
admin-case-guest = ein Gast, oder jemand, der nicht mehr da ist
admin-case-by = Entschieden von { $name }.
admin-case-decide = Entscheiden
admin-case-appeal = Über den Widerspruch entscheiden
admin-case-anew = Erneut entscheiden
admin-case-what = Wer den Beitrag geschrieben und wer ihn gemeldet hat, erfährt, was du entscheidest und warum. Die Seite, gegen die es geht, kann einmal widersprechen.
admin-case-keep = Behalten
admin-case-reason-hint = Für beide Seiten: welche Stelle, und wogegen sie verstößt oder warum nicht. Höchstens 3.000 Zeichen.
admin-case-send = Entscheiden und beiden sagen
admin-case-earlier = Frühere Entscheidungen über Beiträge derselben Person
case-not-yours-author = Du hast diesen Beitrag geschrieben: Jemand anderes entscheidet.
case-not-yours-reporter = Du hast diesen Beitrag gemeldet: Jemand anderes entscheidet.
case-not-yours-judge = Du hast die Entscheidung getroffen, der widersprochen wird: Jetzt entscheidet jemand anderes.
case-again = Den Fall noch einmal ansehen
done-taken-down =
    „{ $title }“ ist herausgenommen. { $mail ->
            [yes] Beide Seiten bekommen eine E-Mail und sehen den Grund bei ihrem Konto.
           *[no] Beide Seiten sehen den Grund bei ihrem Konto.
        }
done-kept =
    „{ $title }“ bleibt. { $mail ->
            [yes] Beide Seiten bekommen eine E-Mail und sehen den Grund bei ihrem Konto.
           *[no] Beide Seiten sehen den Grund bei ihrem Konto.
        }
posts-title = Beiträge
posts-what = Was alle sehen, und was das Team herausgenommen hat. Entwürfe gehören denen, die sie schreiben.
posts-published = Veröffentlichte
posts-taken-down = Herausgenommene
posts-is-reported = jemand hat ihn gemeldet
posts-was-taken-down = warum er herausgenommen wurde
posts-at = { $time }
posts-ratings =
    { $count ->
            [one] eine Bewertung
           *[other] { $count } Bewertungen
        }, Wertung { $score }
ratings-title = Wer was gegeben hat
ratings-what = Die Bewertungen eines Beitrags, die der neuesten Konten zuerst; oder die einer Person, die neuesten zuerst. Wähle eins davon.
ratings-at = gegeben { $time }
ratings-changed = geändert { $time }
ratings-account-since = Konto seit { $time }
tags-title = Schlagwörter
tags-what = Die der neuesten 5.000 Beiträge, und wie viele davon jedes haben.
tags-posts =
    { $count ->
            [one] ein Beitrag
           *[other] { $count } Beiträge
        }
signed-in-title = Sitzungen
signed-in-what = Wer angemeldet ist, womit und woher. Geräte heißen so, wie sie es von sich sagen.
signed-in-since = seit { $time }
pauses-title = Angehaltene
pauses-what = Wer einen Beitrag vorerst nicht bewerten kann, weil Tausende Versuche fehlschlugen. Mit einem Link heben sie es auch selbst auf.
pauses-since = seit { $time }
mails-title = Wartende E-Mails
mails-what = Was noch verschickt wird. Verschicktes wird nicht aufbewahrt, und die Texte liest hier niemand.
mails-all = Alle
mails-failed = Versucht und fehlgeschlagen
mails-has-failed = ließ sich noch nicht verschicken
mails-since = wartet seit { $time }
mails-next = nächster Versuch { $time }
mails-until = brauchbar bis { $time }
states-title = Was Begrenzer sich merken
states-what = Wie weit Anmeldeversuche, Meldungen, Exporte und Anfragen aufgebraucht sind, nach Schlüssel. Konten stehen da als Nummer oder Fingerabdruck. Was über Beiträge gemerkt ist, steht bei den Beiträgen.
states-used = benutzt { $time }
states-until = von selbst vergessen { $time }
warnings-title = Verdächtige Links
warnings-what = Veröffentlichte Beiträge mit Adressen, die eine Liste verdächtiger nennt. Seiten verlinken nicht dorthin.
warnings-count =
    { $count ->
            [one] eine Adresse
           *[other] { $count } Adressen
        }

## What is done to rows of lists

action-unpublish = Zurückziehen
action-unpublish-what = Diese Beiträge werden Entwürfe, ihre Bewertungen bleiben. Wer sie geschrieben hat, kann sie wieder veröffentlichen. (Damit einer unten bleibt, entscheide über eine Meldung.)
action-unpublish-done =
    { $count ->
            [one] Ein Beitrag ist jetzt ein Entwurf.
           *[other] { $count } Beiträge sind jetzt Entwürfe.
        }
action-publish = Wieder veröffentlichen
action-publish-what = Diese Beiträge sehen wieder alle, unter ihren alten Adressen und mit ihren Bewertungen.
action-publish-done =
    { $count ->
            [one] Ein Beitrag ist wieder veröffentlicht.
           *[other] { $count } Beiträge sind wieder veröffentlicht.
        }
action-end-sessions = Abmelden
action-end-sessions-what = Diese Sitzungen enden sofort. Wer das Passwort kennt, kann sich wieder anmelden.
action-end-sessions-done =
    { $count ->
            [one] Eine Sitzung ist beendet.
           *[other] { $count } Sitzungen sind beendet.
        }
action-lift-pauses = Wieder bewerten lassen
action-lift-pauses-what = Diese Leute können diese Beiträge wieder bewerten. Wer weiter Tausende Male scheitert, wird wieder angehalten.
action-lift-pauses-done =
    { $count ->
            [one] Eine Sperre ist aufgehoben.
           *[other] { $count } Sperren sind aufgehoben.
        }
action-send-mails = Jetzt versuchen
action-send-mails-what = Diese E-Mails werden sofort versucht und nicht erst zu ihrer Zeit.
action-send-mails-done =
    { $count ->
            [one] Eine E-Mail wird jetzt versucht.
           *[other] { $count } E-Mails werden jetzt versucht.
        }
action-drop-mails = Nicht verschicken
action-drop-mails-what = Diese E-Mails werden gelöscht und nie verschickt. Nichts bringt sie zurück.
action-drop-mails-done =
    { $count ->
            [one] Eine E-Mail ist gelöscht.
           *[other] { $count } E-Mails sind gelöscht.
        }
action-forget-states = Neu beginnen
action-forget-states-what = Was zu diesen Schlüsseln gemerkt ist, wird vergessen: Sie dürfen wieder alles auf einmal, was sie aufgebraucht hatten. Was gemerkt war, bleibt im Protokoll.
action-forget-states-done =
    { $count ->
            [one] Ein Schlüssel beginnt neu.
           *[other] { $count } Schlüssel beginnen neu.
        }
action-reset-limiter = Bewertungsbegrenzung zurücksetzen
action-reset-limiter-what = Löscht, was die Begrenzung der Bewertungen zu diesen Beiträgen gespeichert hat. Bewertungen werden sofort wieder angenommen, und die Begrenzung lernt von vorn. Bewertungen und Punktzahlen bleiben. Der gelöschte Zustand steht im Protokoll.
action-reset-limiter-done =
    { $count ->
            [one] Die Begrenzung eines Beitrags wurde zurückgesetzt.
           *[other] Die Begrenzungen von { $count } Beiträgen wurden zurückgesetzt.
        }
action-done-none = Nichts wurde getan: Das Ausgewählte ist weg, oder es war schon so.
action-rows =
    { $count ->
            [one] Es geschieht mit einem Eintrag
           *[other] Es geschieht mit { $count } Einträgen
        }
action-passed-over =
    { $count ->
            [one] Ein ausgewählter Eintrag wird übergangen: Er ist weg, es ist schon so, oder du darfst ihn nicht ändern.
           *[other] { $count } ausgewählte Einträge werden übergangen: Sie sind weg, es ist schon so, oder du darfst sie nicht ändern.
        }
act-post-publish = einen fremden Beitrag wieder veröffentlicht
act-pause-lift = jemanden einen Beitrag wieder bewerten lassen
act-mail-send = eine E-Mail sofort versuchen lassen
act-mail-drop = eine wartende E-Mail gelöscht
act-limiter-forget = einen Begrenzer neu beginnen lassen

## The front page

glance-waits = Was auf jemanden wartet
glance-nothing = Nichts, und kein Beitrag hat einen Ansturm.
glance-reports =
    { $count ->
            [one] Über einen gemeldeten Beitrag ist zu entscheiden
           *[other] Über { $count } gemeldete Beiträge ist zu entscheiden
        }
glance-mails =
    { $count ->
            [one] Eine E-Mail ließ sich noch nicht verschicken
           *[other] { $count } E-Mails ließen sich noch nicht verschicken
        }
glance-links =
    { $count ->
            [one] Ein Beitrag hat verdächtige Links
           *[other] { $count } Beiträge haben verdächtige Links
        }
glance-pauses =
    { $count ->
            [one] Eine Person ist angehalten
           *[other] { $count } Leute sind angehalten
        }
glance-crowd =
    { $count ->
            [one] Eine Bewertung wurde binnen einer Stunde abgewiesen:
           *[other] { $count } Bewertungen wurden binnen einer Stunde abgewiesen:
        }
glance-hours = Die letzten 24 Stunden
glance-visitors =
    { $count ->
            [one] ein Besuch
           *[other] { $count } Besuche
        }
glance-pages =
    { $count ->
            [one] eine Seite
           *[other] { $count } Seiten
        }
glance-ratings =
    { $count ->
            [one] eine Bewertung
           *[other] { $count } Bewertungen
        }
glance-refused = { $count } abgewiesen
glance-limited = { $count } vertröstet
glance-failures =
    { $count ->
            [one] ein Fehler
           *[other] { $count } Fehler
        }
glance-visitors-by-hour = Besuche nach Stunden
glance-ratings-by-hour = Bewertungen nach Stunden
glance-aloud = Balken nach Stunden; die Zahlen stehen in der Tabelle darunter.
glance-key-ratings = gezählt
glance-how = Ein Konto oder ein Netz, das Seiten ansieht, ist in jeder Stunde ein Besuch; jede Instanz des Programms zählt für sich. Alle zehn Sekunden geschrieben.
column-hour-here = Stunde
column-visitors = Besuche
column-pages = Seiten
column-limited = Vertröstet
column-failures = Fehler
glance-machine = Das Programm
glance-version = Version
glance-database = Datenbank
glance-disk = Frei auf der Platte
glance-places = Alles hier
users-reset-password = Passwort beenden
users-reset-password-what = Das Passwort gilt nicht mehr, sie sind überall abgemeldet, und per E-Mail können sie ein anderes wählen.
users-passed-unreachable = ausgelassen: keine E-Mail erreicht sie
act-password-take = ein fremdes Passwort beendet
cases-guests =
    { $count ->
            [one] eine von einem Gast
           *[other] { $count } von Gästen
        }
admin-case-reported-text = Was er sagte, als er zuerst gemeldet wurde
admin-case-present-text = Was er jetzt sagt
admin-case-what-final = Wer den Beitrag geschrieben und wer ihn gemeldet hat, erfährt, was du entscheidest und warum. Danach kann hier nur noch widersprechen, wer den Beitrag geschrieben hat und noch nicht gehört wurde.
posts-unpublished = Vom Team zurückgezogene
action-rows-none = Es geschieht mit keinem Eintrag
action-unpublish-reason-hint = Für die, die ihn geschrieben haben, und für andere im Team im Protokoll. Höchstens 300 Zeichen.
log-kept = geblieben
log-taken-down = herausgenommen
log-gone = vorher gelöscht
log-law = ein Gesetz
log-rules = die Regeln dieser Website
action-end-invitations = Beenden
action-end-invitations-what = Mit diesen Links kann sich niemand mehr registrieren. Wer mit ihnen gekommen ist, bleibt.
action-end-invitations-done =
    { $count ->
            [one] Eine Einladung ist beendet.
           *[other] { $count } Einladungen sind beendet.
        }

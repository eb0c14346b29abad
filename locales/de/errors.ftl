
## Errors. The value is the title; .detail says what happened and what to do.

error-invalid = Bitte korrigiere die Fehler unten
    .detail =
        { $count ->
                [one] { $count } Feld muss korrigiert werden.
               *[other] { $count } Felder müssen korrigiert werden.
            }
error-malformed = Die Anfrage konnte nicht gelesen werden
error-bad-host = Falscher Hostname
    .detail = Der Host-Header passt nicht zu dieser Website. Prüfe die URL – oder ALLOWED_HOSTS, wenn du die Website betreibst.
error-not-signed-in = Bitte melde dich an
    .detail = Dafür musst du angemeldet sein.
error-wrong-credentials = Benutzername oder Passwort falsch
    .detail = Es gibt kein Konto mit diesem Benutzernamen und Passwort. Prüfe beides; beim Passwort zählt die Groß- und Kleinschreibung.
error-second-factor-needed = Zwei-Faktor-Authentisierung erforderlich
    .detail = Sende zu Benutzername und Passwort den `code` aus deiner Authenticator-App oder einen Wiederherstellungscode mit.
error-wrong-code = Falscher Code
    .detail = Dieser Code gilt gerade nicht oder wurde schon benutzt. Warte auf den nächsten Code deiner Authenticator-App oder verwende einen Wiederherstellungscode.
error-sign-in-again = Die Anmeldung hat zu lange gedauert
    .detail = Seit du dein Passwort eingegeben hast, sind mehr als fünf Minuten vergangen. Bitte melde dich noch einmal an.
error-forbidden = Das ist nicht dein Beitrag
    .detail = Bearbeiten oder löschen können ihn nur die Moderation und wer ihn geschrieben hat.
error-own-post = Deinen eigenen Beitrag kannst du nicht bewerten
    .detail = Du siehst, wie andere ihn bewerten.
error-ratings-closed = Dieser Beitrag kann nicht bewertet werden
    .detail = Bewertungen sind für diesen Beitrag ausgeschaltet.
error-staff-only = Nur für das Team
    .detail = Das kann nur das Team dieser Website.
error-cross-site = Anfrage von einer anderen Website
    .detail = Diese Anfrage kam von einer Seite einer anderen Website, deshalb ist nichts geschehen. Wenn du das wolltest, mach es von einer Seite dieser Website aus.
error-not-found = Seite nicht gefunden
    .detail = Vielleicht ist ein Tippfehler in der URL, oder die Seite wurde gelöscht.
error-method-not-allowed = Diese Seite lässt sich nicht direkt öffnen
    .detail = Sie ist für Formulare und Programme da, die etwas senden. Sie akzeptiert nur { $allow }.
error-method-not-accepted = Methode nicht erlaubt
    .detail = Diese URL akzeptiert nur { $allow }.
error-timeout = Zeitüberschreitung
    .detail = Ein Teil der Anfrage kam nicht rechtzeitig an, deshalb ist nichts geschehen. Bitte versuch es noch einmal.
error-already-rated = Du hast diesen Beitrag schon bewertet
    .detail = Du kannst jeden Beitrag einmal bewerten. Deine Bewertung kannst du ändern.
error-not-rated = Du hast diesen Beitrag nicht bewertet
    .detail = Vielleicht hast du deine Bewertung in einem anderen Tab oder auf einem anderen Gerät entfernt.
error-conflict = Dieser Beitrag wurde inzwischen geändert
    .detail = Er wurde anderswo gespeichert, nachdem du mit dem Bearbeiten begonnen hast. Deine Fassung ist deshalb noch nicht gespeichert. Vergleiche die beiden Fassungen und wähle eine aus.
error-precondition-failed = Dieser Beitrag wurde inzwischen geändert
    .detail = Er hat nicht die Version in der Kopfzeile If-Match. Es wurde nichts geändert. Lies ihn noch einmal und wiederhole deine Änderung.
error-too-large = Die Anfrage ist zu groß
    .detail = Du kannst hier höchstens { $limit } Bytes senden.
error-unsupported-type = Dieser Inhaltstyp wird nicht unterstützt
    .detail = Sende ein Formular (application/x-www-form-urlencoded; für Dateien multipart/form-data) oder JSON (application/json), in UTF-8 und ohne Content-Encoding.
error-post-rate-limited = Dieser Beitrag bekommt gerade viele Bewertungen
    .detail = Die Website nimmt nur einige davon auf einmal an. Bitte versuch es in { $wait } noch einmal.
error-edit-limited = Diese Bewertung wurde zu oft geändert
    .detail = Nach ein paar Änderungen kannst du eine Bewertung nur noch alle zehn Minuten ändern. Bitte versuch es in { $wait } noch einmal.
error-sign-in-limited = Zu viele Versuche
    .detail = Es gab zu viele Versuche, deshalb wurde deine Eingabe nicht geprüft. Bitte versuch es in { $wait } noch einmal.
error-class-limited = Zu viele Anfragen
    .detail =
        Du hast zu viele Anfragen dieser Art gesendet. Bitte versuch es in { $wait } noch einmal.{ $closed ->
                [yes] {" "}Weil die Anfragen nicht aufhörten, wurdest du abgemeldet.
               *[no] {""}
            }
error-paused = Deine Bewertungen dieses Beitrags sind pausiert
    .detail = Dein Konto hat zu oft vergeblich versucht, diesen Beitrag zu bewerten, wahrscheinlich durch ein Programm, das es immer wieder probiert, oder das Team hat deine Bewertungen pausiert. Wenn du das Programm repariert hast, kannst du die Pause selbst beenden; von allein endet sie nicht.
error-unpause-link-invalid = Dieser Link ist unvollständig
    .detail = Vielleicht ging beim Kopieren ein Teil verloren. Es wurde nichts geändert. Einen neuen Link findest du in der Liste deiner pausierten Bewertungen.
error-unpause-link-expired = Dieser Link ist abgelaufen
    .detail = Links, die eine Pause beenden, gelten 14 Tage. Es wurde nichts geändert. Einen neuen Link findest du in der Liste deiner pausierten Bewertungen.
error-unpause-link-used = Diese Pause ist schon vorbei
    .detail = Sie wurde mit diesem oder einem anderen Link beendet, oder der Beitrag wurde gelöscht. Links für andere Pausen findest du in der Liste deiner pausierten Bewertungen.
error-unpause-link-of-another = Dieser Link gehört zu einem anderen Konto
    .detail = Er beendet Pausen eines anderen Kontos als dem, mit dem du angemeldet bist. Es wurde nichts geändert. Melde dich erst ab oder öffne den Link in einem anderen Browser.
error-mail-link-invalid = Dieser Link ist unvollständig
    .detail = Vielleicht ging beim Kopieren ein Teil verloren. Es wurde nichts geändert. Bitte fordere einen neuen Link an.
error-mail-link-expired = Dieser Link ist abgelaufen
    .detail = Es wurde nichts geändert. Bitte fordere einen neuen Link an.
error-mail-link-used = Dieser Link ist nicht mehr gültig
    .detail = Jeder Link funktioniert nur einmal. Er wird auch ungültig, wenn du einen neuen anforderst oder deine E-Mail-Adresse oder dein Passwort änderst. Es wurde nichts geändert.
error-email-in-use = Ein anderes Konto verwendet diese E-Mail-Adresse bereits
    .detail = Jedes Postfach kann ein Konto bestätigen. Melde dich mit dem anderen Konto an oder verwende eine andere Adresse.
error-registration-closed = Die Registrierung ist geschlossen
    .detail = Im Moment kannst du kein Konto anlegen. Alle veröffentlichten Beiträge kannst du auch ohne Konto lesen.
error-invitation-needed = Registrierung nur mit Einladung
    .detail = Öffne einen Einladungslink vom Team dieser Website, um dich zu registrieren.
error-invitation-invalid = Dieser Einladungslink ist unvollständig
    .detail = Vielleicht ging beim Kopieren ein Teil verloren. Frag die Person, die ihn geschickt hat, nach dem vollständigen Link.
error-invitation-expired = Diese Einladung ist abgelaufen
    .detail = Frag die Person, die sie geschickt hat, nach einer neuen.
error-invitation-used = Diese Einladung ist aufgebraucht
    .detail = Es haben sich schon so viele Personen damit registriert, wie vorgesehen waren. Frag die Person, die sie geschickt hat, nach einer neuen.
error-has-owner = Diese Website hat schon einen Inhaber
    .detail = Das Konto des Inhabers gibt es bereits, deshalb gilt der Einrichtungslink nicht mehr. Wenn dieses Konto dir gehört, melde dich an.
error-last-owner = Diese Website braucht einen Inhaber
    .detail = Das ist das einzige Inhaberkonto, das die Website verwalten kann. Mach erst jemand anderes zum Inhaber (in der Verwaltung oder mit evenkeel createsuperuser).
error-image-in-use = Dieses Bild wird noch verwendet
    .detail = Es erscheint in einem Beitrag, in einem Entwurf oder in deinem Profil. Entferne es erst dort.
error-images-limited = Zu viele Bilder
    .detail = Du hast in kurzer Zeit viele Bilder hochgeladen. Bitte warte mit dem nächsten ein wenig.
error-deletion-started = Dein Konto kann nicht mehr behalten werden
    .detail = Die Woche, in der du die Löschung abbrechen konntest, ist vorbei. Dein Konto wird gerade gelöscht.
error-export-limited = Du hast deine Daten zu oft heruntergeladen
    .detail = Nach drei Downloads geht das nur noch alle 20 Minuten. Bitte versuch es in { $wait } noch einmal.
error-may-not-publish = Du darfst hier nicht veröffentlichen
    .detail = Zum Veröffentlichen brauchst du die Erlaubnis des Teams. Du kannst jetzt einen Entwurf speichern und ihn veröffentlichen, sobald du die Erlaubnis hast.
error-no-mail = Diese Website verschickt keine E-Mails
    .detail = Frag die Betreiber der Website nach einem neuen Passwort.
error-too-many-streams = Zu viele offene Streams
    .detail = Du hast die Höchstzahl offener Streams erreicht. Schließe erst einen.
error-internal = Bei uns ist etwas schiefgegangen
    .detail = Der Fehler wurde protokolliert. Bitte versuch es später noch einmal.
error-busy = Die Website ist gerade überlastet
    .detail = Es wurde nichts gespeichert. Bitte versuch es gleich noch einmal.
error-starting = Die Website startet gerade
    .detail = Aktueller Schritt: { $doing }. Bitte versuch es gleich noch einmal.
error-unavailable = Vorübergehend nicht erreichbar
    .detail = Die Website kann gerade nicht auf ihre Daten zugreifen. Falls du etwas gespeichert hast, ist es vielleicht nicht angekommen. Bitte versuch es gleich noch einmal.
invalid-network-needed = Limits für Anmeldungen gelten für Netzwerke. Gib eine IP-Adresse oder ein Netzwerk ein.
invalid-user-needed = Dieses Limit gilt für Konten. Gib einen Benutzernamen ein.
invalid-too-many-custom-limits = Höchstens { $most } Ausnahmen sind möglich. Beende zuerst andere.
invalid-network = Gib eine IP-Adresse oder ein Netzwerk von höchstens /8 (IPv4) oder /16 (IPv6) ein.
invalid-allowance = Gib eine Zahl von { $least } bis { $most } oder „exempt“ ein.
invalid-pauses-off = Pausen sind auf dieser Site ausgeschaltet (ZOMBIE_PAUSE).
invalid-no-such-user = Es gibt hier niemanden mit dem Namen { $name }.
invalid-lifetime = Gib eine Anzahl von Tagen von 1 bis { $most } ein, oder `never`.
invalid-scopes = Wähle mindestens ein Recht: read, rate, write, account oder admin.
invalid-scope-admin = Nur das Team kann das Recht admin wählen.
invalid-too-many-tokens = Du kannst höchstens { $most } API-Tokens haben. Widerrufe zuerst einen.
error-invalid-token = Der API-Token ist ungültig
    .detail = Er ist unvollständig, abgelaufen oder wurde widerrufen. Auf deiner Kontoseite kannst du einen neuen erstellen.
error-two-credentials = Sende entweder ein Sitzungscookie oder einen API-Token
    .detail = Die Anfrage hat beides. Es wurde nichts geändert.
error-scope-needed = Der API-Token erlaubt das nicht
    .detail = Die Anfrage braucht das Recht „{ $scope }“. Es wurde nichts geändert.
error-session-needed = Melde dich dafür an
    .detail = API-Tokens können sich nicht registrieren oder anmelden, keine Passwörter, E-Mail-Adressen, Sitzungen, Zwei-Faktor-Authentifizierung oder Tokens ändern, keine Konten löschen und nichts tun, wofür das Passwort noch einmal nötig ist. Es wurde nichts geändert.
error-role-needed = Dazu fehlt dir die Berechtigung
    .detail =
        { $role ->
                [owner] Das können nur Inhaber.
               *[other] Das können nur Administratoren und Inhaber.
            } Es wurde nichts geändert.
error-blocked = Dein Konto ist gesperrt
    .detail = Du kannst lesen, aber nichts schreiben oder bewerten. Grund: { $reason }
error-blocked-until = Dein Konto ist bis { $time } gesperrt
    .detail = Bis dahin kannst du lesen, aber nichts schreiben oder bewerten. Grund: { $reason }
error-too-new-to-rate = Dieses Konto kann noch nicht bewerten
    .detail =
        Es kann ab { $time } bewerten. So können Gruppen neuer Konten keine Bewertungen verfälschen.{ $email ->
                [needed] { "" } Bestätige bis dahin auch deine E-Mail-Adresse auf deiner Kontoseite.
               *[other] { "" }
            }
error-email-needed-to-rate = Bestätige deine E-Mail-Adresse, um zu bewerten
    .detail = Öffne deine Kontoseite und folge dem Link, den wir an deine Adresse senden.
error-settings-changed = Eine Einstellung wurde inzwischen geändert
    .detail = Deine Änderungen sind noch nicht gespeichert. Prüfe die Einstellungen unten und speichere noch einmal.
error-limiter-changed = Jemand anderes hat diesen Limiter gerade geändert
    .detail = Deine Änderung wurde nicht übernommen. Sieh nach, was jetzt eingestellt ist, und entscheide neu.
invalid-report-category = Wähle einen Grund aus der Liste.
invalid-no-explanation = Erkläre in ein paar Sätzen, warum.
invalid-own-report = Das ist dein eigener Beitrag. Du kannst ihn bearbeiten, zurückziehen oder löschen.
invalid-choice = Wähle einen Eintrag aus der Liste.
invalid-ruling = Wähle eine Entscheidung: Der Beitrag bleibt, oder ein Grund, ihn zu entfernen.
error-reports-limited = Zu viele Meldungen
    .detail = Nach 20 Meldungen geht das nur noch alle 3 Minuten. Bitte versuch es in { $wait } noch einmal. Dein Text steht noch im Formular.
error-already-reported = Du hast diesen Beitrag schon gemeldet
    .detail = Über deine Meldung wurde noch nicht entschieden. Deine Meldungen findest du in deinem Konto.
error-enough-reports = Dieser Beitrag wurde schon sehr oft gemeldet
    .detail = Er wartet auf eine Entscheidung. Eine weitere Meldung würde nichts ändern.
error-no-appeal = Hier ist kein Einspruch möglich
    .detail = Es gibt noch keine Entscheidung, sie fiel zu deinen Gunsten aus, es wurde schon Einspruch eingelegt, oder die Frist ist abgelaufen.
error-not-your-case = Diesen Fall muss jemand anderes entscheiden
    .detail = Du hast den Beitrag geschrieben oder gemeldet oder über diesen Fall schon einmal entschieden. Inhaber dürfen trotzdem entscheiden.
error-already-decided = Dieser Fall ist schon entschieden
    .detail = Jemand anderes war schneller, der Beitrag wurde gelöscht, oder die Entscheidung ist endgültig. Sieh dir den Fall noch einmal an; dein Text steht noch im Formular.
error-withheld = Das Team hat diesen Beitrag entfernt
    .detail = Du kannst ihn als Entwurf speichern, aber nicht veröffentlichen, solange die Entscheidung gilt. Auf seiner Seite steht der Grund und wie du Einspruch einlegen kannst.
invalid-no-rows = Wähle mindestens einen Eintrag aus.
invalid-too-many-rows = Wähle höchstens { $most } Einträge auf einmal aus.
error-post-changed = Der Beitrag wurde inzwischen geändert
    .detail = Der Beitrag wurde geändert, nachdem du ihn geöffnet hast. Lies unten die neue Fassung, bevor du entscheidest; dein Text steht noch im Formular.
invalid-action = Wähle eine Aktion aus der Liste.
error-request-in-progress = Eine Anfrage mit demselben Idempotency-Key läuft noch
    .detail = Warte eine Sekunde und sende die Anfrage dann noch einmal.
error-response-lost = Die Antwort auf diese Anfrage ging verloren
    .detail = Die Anfrage mit diesem Idempotency-Key wurde unterbrochen und hat vielleicht gewirkt. Prüfe das Ergebnis, bevor du die Anfrage mit einem neuen Schlüssel sendest.
error-key-reused = Dieser Idempotency-Key gehört zu einer anderen Anfrage
    .detail = Jede Anfrage braucht einen eigenen Schlüssel. Wiederhole eine Anfrage nur dann mit ihrem Schlüssel, wenn Methode und URL gleich sind.


## What went wrong: its title, and in .detail what happened and what to do about it.

error-invalid = Bitte sieh deine Angaben durch
    .detail =
        { $count ->
                [one] Eine davon kann so nicht übernommen werden.
               *[other] { $count } davon können so nicht übernommen werden.
            }
error-malformed = Diese Anfrage ist nicht lesbar
error-bad-host = Diese Website heißt anders
    .detail = Der Host-Header nennt nicht diese Website. Prüfe die Adresse – oder ALLOWED_HOSTS, wenn du die Website betreibst.
error-not-signed-in = Bitte melde dich an
    .detail = Dafür musst du angemeldet sein.
error-wrong-credentials = Benutzername oder Passwort falsch
    .detail = Kein Konto hat diesen Benutzernamen und dieses Passwort. Prüfe beides; beim Passwort zählt die Groß- und Kleinschreibung.
error-second-factor-needed = Noch ein Schritt
    .detail = Sende zu Benutzername und Passwort den `code` deiner Authenticator-App oder einen Wiederherstellungscode mit.
error-wrong-code = Falscher Code
    .detail = Dieser Code gilt gerade nicht, oder er wurde schon benutzt. Jeder gilt einmal: Warte auf den nächsten. Auch ein Wiederherstellungscode geht.
error-sign-in-again = Das hat zu lange gedauert
    .detail = Seit du dein Passwort eingegeben hast, sind mehr als fünf Minuten vergangen. Bitte melde dich noch einmal an.
error-forbidden = Dieser Beitrag gehört jemand anderem
    .detail = Ändern oder löschen können ihn nur die Moderation und wer ihn geschrieben hat.
error-own-post = Deinen eigenen Beitrag kannst du nicht bewerten
    .detail = Andere bewerten ihn, und du siehst, was sie gegeben haben.
error-staff-only = Das ist der Moderation vorbehalten
    .detail = Das kann nur das Team dieser Website.
error-cross-site = Das kam von einer anderen Website
    .detail = Eine Seite einer anderen Website hat diese Anfrage geschickt, deshalb ist nichts geschehen. Wenn du das wolltest, tu es von einer Seite dieser Website aus.
error-not-found = Hier ist nichts
    .detail = Vielleicht ist ein Tippfehler in der Adresse, oder was hier war, wurde gelöscht.
error-method-not-allowed = Diese Seite lässt sich nicht direkt öffnen
    .detail = Formulare und Programme senden etwas hierher: Die Adresse nimmt nur { $allow } an.
error-method-not-accepted = Diese Methode wird hier nicht angenommen
    .detail = Die URL nimmt nur { $allow } an.
error-timeout = Das kam nicht rechtzeitig an
    .detail = Der Rest der Anfrage kam nicht rechtzeitig, deshalb ist nichts geschehen. Bitte versuch es noch einmal.
error-already-rated = Du hast diesen Beitrag schon bewertet
    .detail = Jede Person kann einen Beitrag einmal bewerten. Deine Bewertung kannst du ändern.
error-conflict = Dieser Beitrag wurde inzwischen geändert
    .detail = Seit du mit dem Ändern begonnen hast, wurde er anderswo gespeichert. Deine Fassung ist deshalb noch nicht gespeichert. Vergleiche die beiden und wähle.
error-too-large = Das ist zu viel auf einmal
    .detail = Hierher können höchstens { $limit } Bytes gesendet werden.
error-unsupported-type = Diese Art von Inhalt wird nicht verstanden
    .detail = Sende ein Formular (application/x-www-form-urlencoded; für Dateien multipart/form-data) oder JSON (application/json), in UTF-8 und ohne Content-Encoding.
error-post-rate-limited = Noch nicht gezählt
    .detail = Dieser Beitrag bekommt gerade ungewöhnlich viele Bewertungen, deshalb müssen neue warten. Bitte versuch es in { $wait } noch einmal.
error-edit-limited = Du hast diese Bewertung oft geändert
    .detail = Eine Bewertung lässt sich ein paarmal ändern, danach einmal in zehn Minuten. Bitte versuch es in { $wait } noch einmal.
error-sign-in-limited = Zu viele Versuche
    .detail = Es gab viele Versuche, deshalb muss der nächste warten. Bitte versuch es in { $wait } noch einmal. Deine Eingabe wurde nicht geprüft.
error-class-limited = Zu viele Anfragen
    .detail =
        Von dir kamen so viele Anfragen dieser Art, dass diese nicht beantwortet wurde. Bitte versuch es in { $wait } noch einmal.{ $closed ->
                [yes] {" "}Da sie nicht aufhörten, bist du abgemeldet.
               *[no] {""}
            }
error-paused = Deine Bewertungen dieses Beitrags sind pausiert
    .detail = Dein Konto hat sehr oft versucht, diesen Beitrag zu bewerten, auf eine Weise, die nicht gelingen kann. Wahrscheinlich versucht es ein Programm immer wieder. Wenn es repariert ist, kannst du die Pause selbst beenden; Warten hilft nicht.
error-unpause-link-invalid = Dieser Link ist unvollständig
    .detail = So haben wir ihn nicht erstellt; vielleicht ging beim Kopieren ein Stück verloren. Es wurde nichts geändert. In der Liste deiner pausierten Bewertungen steht ein neuer.
error-unpause-link-expired = Dieser Link ist zu alt
    .detail = Links, die eine Pause beenden, gelten 14 Tage. Es wurde nichts geändert. In der Liste deiner pausierten Bewertungen steht ein neuer.
error-unpause-link-used = Diese Pause ist schon vorbei
    .detail = Sie wurde mit diesem oder einem anderen Link beendet, oder der Beitrag wurde gelöscht. Andere Pausen haben eigene Links; die stehen in der Liste deiner pausierten Bewertungen.
error-unpause-link-of-another = Dieser Link gehört zu einem anderen Konto
    .detail = Du bist mit einem Konto angemeldet, und der Link beendet Pausen eines anderen. Es wurde nichts geändert. Melde dich erst ab, oder öffne den Link in einem anderen Browser.
error-mail-link-invalid = Dieser Link ist unvollständig
    .detail = So haben wir ihn nicht erstellt; vielleicht ging beim Kopieren ein Stück verloren. Es wurde nichts geändert. Fordere einen neuen an.
error-mail-link-expired = Dieser Link ist zu alt
    .detail = Es wurde nichts geändert. Fordere einen neuen an.
error-mail-link-used = Dieser Link ist nicht mehr gültig
    .detail = Ein Link gilt einmal. Auch ein neuerer Link, eine andere E-Mail-Adresse oder ein anderes Passwort beendet ihn. Es wurde nichts geändert.
error-registration-closed = Die Registrierung ist geschlossen
    .detail = Im Moment kann sich hier niemand registrieren. Alles Veröffentlichte lässt sich ohne Konto lesen.
error-invitation-needed = Registrieren geht nur mit Einladung
    .detail = Du brauchst einen Link von denen, die diese Website betreiben. Öffne ihn, um dich zu registrieren.
error-invitation-invalid = Diese Einladung ist unvollständig
    .detail = So haben wir sie nicht erstellt; vielleicht ging beim Kopieren ein Stück verloren. Frag die Person, die sie geschickt hat, nach dem ganzen Link.
error-invitation-expired = Diese Einladung ist abgelaufen
    .detail = Die Zeit dafür ist um. Frag die Person, die sie geschickt hat, nach einer neuen.
error-invitation-used = Diese Einladung ist aufgebraucht
    .detail = Es haben sich schon so viele damit registriert, wie vorgesehen war. Frag die Person, die sie geschickt hat, nach einer neuen.
error-has-owner = Diese Website gehört schon jemandem
    .detail = Das Konto wurde schon angelegt, und der Code ist verbraucht. Wenn es deins ist, melde dich an.
error-last-of-staff = Dann wäre niemand mehr für diese Website da
    .detail = Es ist das einzige Konto eines Inhabers, der hier entscheiden kann. Mach erst jemand anders zum Inhaber (am Schreibtisch oder mit evenkeel createsuperuser).
error-image-in-use = Dieses Bild wird noch verwendet
    .detail = Ein Beitrag, ein Entwurf oder dein Profil zeigt es. Nimm es erst dort heraus.
error-one-at-a-time = Ein Bild nach dem anderen
    .detail = Ein anderes Bild von dir ist noch unterwegs. Sende dieses noch einmal, sobald das andere da ist.
error-images-limited = Zu viele Bilder
    .detail = Du hast in kurzer Zeit viele Bilder gesendet. Bitte warte mit dem nächsten.
error-week-is-over = Die Woche zum Zurückkommen ist vorbei
    .detail = Dein Konto wird in diesem Moment gelöscht und lässt sich nicht mehr behalten.
error-export-limited = Du hast deine Daten oft heruntergeladen
    .detail = Das geht dreimal, danach einmal in 20 Minuten – das nächste Mal in { $wait }.
error-may-not-publish = Du darfst hier nicht veröffentlichen
    .detail = Das kann nur, wem es die Betreibenden dieser Website erlauben. Einen Entwurf kannst du speichern und veröffentlichen, sobald du darfst.
error-no-mail = Diese Website verschickt keine E-Mails
    .detail = Wer sie betreibt, kann dir ein neues Passwort geben.
error-too-many-streams = Zu viele Datenströme auf einmal
    .detail = Du hast schon so viele Datenströme offen, wie du darfst. Schließe erst einen.
error-internal = Bei uns ist etwas schiefgegangen
    .detail = Der Fehler ist notiert. Vielleicht klappt es später.
error-busy = Gerade ist zu viel los
    .detail = Es wurde nichts gespeichert. Bitte versuch es gleich noch einmal.
error-starting = Die Website startet gerade
    .detail = Gerade: { $doing }. Bitte versuch es gleich noch einmal.
error-unavailable = Gerade nicht erreichbar
    .detail = Die Website kommt nicht an ihre Daten. Falls du etwas speichern wolltest, ist es vielleicht nicht gespeichert: Bitte versuch es gleich noch einmal.
invalid-nobody = Niemand hier heißt { $name }.
error-role-needed = Das ist anderen im Team vorbehalten
    .detail =
        { $role ->
                [owner] Das dürfen nur Inhaber.
               *[other] Das dürfen nur Administratoren und Inhaber.
            } Es wurde nichts geändert.
error-blocked = Dein Konto ist gesperrt
    .detail = Du kannst lesen, aber nichts schreiben oder bewerten. Der Grund: { $reason }
error-blocked-until = Dein Konto ist bis { $time } gesperrt
    .detail = Bis dahin kannst du lesen, aber nichts schreiben oder bewerten. Der Grund: { $reason }
error-gate-changed = Jemand anders hat das gerade geändert
    .detail = Es wurde nichts getan. Sieh nach, was jetzt gilt, und entscheide neu.
error-replay-runs = Ein anderer Vergleich läuft gerade
    .detail = Es wird immer nur einer gerechnet. Lade die Seite in einer halben Minute neu.
invalid-report-category = Wähle aus der Liste, was nicht in Ordnung ist.
invalid-no-explanation = Schreib ein paar Sätze, die sagen, warum.
invalid-own-report = Das ist dein eigener Beitrag: Du kannst ihn ändern, zurückziehen oder löschen.
invalid-choice = Wähle etwas aus der Liste.
invalid-ruling = Wähle, ob er bleibt oder weshalb er herausgenommen wird.
error-reports-limited = Du hast viel gemeldet
    .detail = Das geht 20-mal, danach einmal in 3 Minuten – das nächste Mal in { $wait }. Was du geschrieben hast, steht noch im Formular.
error-already-reported = Du hast diesen Beitrag schon gemeldet
    .detail = Es wurde noch nicht entschieden. Deine Meldungen stehen bei deinem Konto.
error-enough-reports = Sehr viele haben diesen Beitrag schon gemeldet
    .detail = Er wartet auf eine Entscheidung, und eine weitere Meldung würde nichts ändern.
error-no-appeal = Es gibt nichts, dem du widersprechen kannst
    .detail = Es ist noch nicht entschieden, es wurde in deinem Sinn entschieden, jemand hat schon widersprochen, oder es ist zu spät.
error-not-your-case = Das muss jemand anderes entscheiden
    .detail = Du hast den Beitrag geschrieben oder gemeldet oder schon einmal darüber entschieden. Inhaber dürfen trotzdem entscheiden.
error-already-decided = Das ist schon entschieden
    .detail = Jemand anderes war schneller, der Beitrag ist weg, oder das letzte Wort ist gesprochen. Sieh dir den Fall noch einmal an; was du geschrieben hast, steht noch im Formular.
error-withheld = Das Team hat diesen Beitrag herausgenommen
    .detail = Er lässt sich als Entwurf speichern, aber nicht veröffentlichen, solange das gilt. Auf seiner Seite steht, warum, und wie du widersprechen kannst.
invalid-no-rows = Wähle mindestens einen Eintrag aus.
invalid-too-many-rows = Höchstens { $most } auf einmal.
error-post-changed = Der Beitrag wurde geändert
    .detail = Er sagt etwas anderes als das, was du gesehen hast. Lies ihn unten noch einmal und entscheide dann; was du geschrieben hast, steht noch im Formular.
invalid-action = Wähle aus der Liste, was getan werden soll.

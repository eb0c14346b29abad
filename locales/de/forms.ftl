
## What is wrong with a field, and what is allowed in it.

invalid-missing = Bitte füll dieses Feld aus.
invalid-no-string = Das muss eine Zeichenkette sein.
invalid-no-file-field = In dieses Feld gehört keine Datei.
invalid-null = Das Nullzeichen darf hier nicht vorkommen.
invalid-unknown-field = Ein solches Feld gibt es hier nicht.
invalid-choose-file = Wähle eine Datei.
invalid-no-file = Sende das als Datei, mit einem Formular vom Typ multipart/form-data.
invalid-file-too-large = Höchstens { $most } MiB; diese Datei hat { $size }.
invalid-id = Das muss eine Kennung (id) sein: eine ganze Zahl ab 1.
invalid-zone = Nimm eine Zeitzone wie Europe/Berlin, Asia/Tehran oder UTC.
invalid-language = Wähle eine davon: { $languages }.
invalid-too-many-characters = Höchstens { $most } Zeichen; hier sind es { $count }.
invalid-boolean = Wähle true oder false.

## Why a request cannot be read.

malformed-request = Die Anfrage war nicht lesbar.
malformed-body = Der Inhalt der Anfrage war nicht lesbar.
malformed-broke-off = Der Inhalt der Anfrage brach ab.
malformed-not-utf8 = Der Inhalt der Anfrage ist kein UTF-8.
malformed-parts = Der Inhalt der Anfrage ist kein Formular, dessen Teile lesbar sind.
malformed-json = Der Inhalt der Anfrage ist kein JSON-Objekt, in dem jedes Feld einmal steht.
malformed-twice = Ein Feld oder Parameter steht zweimal da.
malformed-too-many = Es sind zu viele Felder oder Parameter.
malformed-parameter-twice = Ein Parameter steht zweimal da.
malformed-null = Ein Parameter enthält das Nullzeichen.
malformed-percent = Ein prozentkodierter Teil ist kein UTF-8.
malformed-cursor = Dieser Link gehört nicht zu dieser Liste.

## Labels of fields: on top of the field, and in the list of what is wrong. Named after the fields.

label-username = Benutzername
label-email = E-Mail
label-username-or-email = Benutzername oder E-Mail
label-password = Passwort
label-current-password = Aktuelles Passwort
label-old-password = Aktuelles Passwort
label-new-password = Neues Passwort
label-code = Code
label-title = Titel
label-content = Text
label-tags = Schlagwörter
label-publish-at = Später veröffentlichen
label-slug = Adresse
label-excerpt = Auszug
label-cover = Titelbild
label-status = Status
label-version = Fassung
label-image = Bild
label-avatar = Bild
label-alt = Was es zeigt
label-spot = Stelle
label-display-name = Anzeigename
label-about = Über dich
label-link = Link
label-language = Sprache
label-time-zone = Zeitzone
label-people = Personen
label-days = Tage
label-posts = Veröffentlichte Beiträge
label-from = Erster Tag
label-to = Letzter Tag
label-reason = Begründung
label-rating = Sterne

## Stands before the title of a page whose form was not accepted.

title-with-error = Fehler: { $title }

## What is shown as it is.

verbatim = { $text }

## Units.

seconds =
    { $count ->
            [one] { $count } Sekunde
           *[other] { $count } Sekunden
        }
minutes =
    { $count ->
            [one] { $count } Minute
           *[other] { $count } Minuten
        }
hours =
    { $count ->
            [one] { $count } Stunde
           *[other] { $count } Stunden
        }
kilobytes = { $size } kB
megabytes = { $size } MB
gigabytes = { $size } GB
percent = { $percent } %
label-act = Was
label-actor = Wer
label-user = Wessen Konto
label-post = Nummer des Beitrags
label-invitation = Einladung
label-ratings = Bewertungen
label-score-before = Wertung vorher
label-score-after = Wertung danach
label-sessions = Sitzungen
label-command = Befehl
invalid-too-many-gates = Höchstens { $most } Beiträge können einen eigenen Begrenzer haben. Nimm erst den eines anderen zurück.
label-limiter = Begrenzer
label-before = Vorher
label-after = Nachher
label-params-before = Parameter vorher
label-params-after = Parameter nachher
invalid-no-users = Wähle mindestens ein Konto aus.
invalid-too-many-users = Höchstens { $most } Konten auf einmal, nicht { $count }.
invalid-block-days = Eine ganze Zahl von Tagen von 1 bis { $most }, oder nichts.
invalid-staff-role = Die Rollen sind moderator, admin und owner; none nimmt sie weg.
label-users = Konten
label-role = Rolle
label-until = Bis
invalid-look-twice = Gib dein Passwort ein: davor wird noch einmal danach gefragt.
label-category = Was nicht in Ordnung ist
label-explanation = Was und warum
label-appeal = Warum anders entschieden werden soll
label-ruling = Entscheidung
label-case = Fall
label-ground = Herausgenommen wegen
label-name = Name beginnt mit
label-words = Wörter darin
label-author = Geschrieben von
label-tag = Schlagwort
label-key = Schlüssel beginnt mit
label-mail = E-Mail
label-made-by = Von

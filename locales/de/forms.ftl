
## Validation errors of fields.

invalid-missing = Bitte fülle dieses Feld aus.
invalid-not-a-string = Dieser Wert muss eine Zeichenkette sein.
invalid-file-not-accepted = Dieses Feld nimmt keine Dateien an.
invalid-null-character = Nullzeichen sind nicht erlaubt.
invalid-unknown-field = Unbekanntes Feld. Prüfe den Namen.
invalid-choose-file = Wähle eine Datei.
choose-file-again = Wähle die Datei noch einmal aus.
invalid-not-a-file = Lade das als Datei hoch, mit multipart/form-data.
invalid-file-too-large = Diese Datei ist zu groß ({ $size } MiB). Erlaubt sind höchstens { $most } MiB.
invalid-id = Gib eine ID ein: eine ganze Zahl ab 1.
invalid-zone = Gib eine Zeitzone ein, zum Beispiel Europe/Berlin, Asia/Tehran oder UTC.
invalid-language = Wähle eine dieser Sprachen: { $languages }.
invalid-too-many-characters = Verwende höchstens { $most } Zeichen. Du hast { $count } eingegeben.
invalid-boolean = Wähle true oder false.

## Errors of malformed requests.

malformed-request = Die Anfrage konnte nicht gelesen werden.
malformed-body = Der Inhalt der Anfrage konnte nicht gelesen werden.
malformed-if-match = Die Kopfzeile If-Match ist nicht lesbar. Sende den Wert der Kopfzeile ETag, in Anführungszeichen.
malformed-incomplete = Der Inhalt der Anfrage ist unvollständig. Versuch es noch einmal.
malformed-not-utf8 = Der Inhalt der Anfrage ist kein gültiges UTF-8.
malformed-multipart = Der Inhalt der Anfrage ist kein gültiges multipart/form-data.
malformed-json = Der Inhalt der Anfrage muss ein JSON-Objekt ohne doppelte Felder sein.
malformed-duplicate-field = Die Anfrage enthält dasselbe Feld oder denselben Parameter doppelt.
malformed-too-many = Die Anfrage enthält zu viele Felder oder Parameter.
malformed-duplicate-parameter = Die URL enthält denselben Parameter doppelt.
malformed-null = Ein URL-Parameter enthält ein Nullzeichen.
malformed-percent = Ein prozentkodierter URL-Parameter ist kein gültiges UTF-8.
malformed-cursor = Dieser Seitenlink gehört nicht zu dieser Liste. Geh zurück zur ersten Seite.

## Field labels, shown above the field, in error summaries and in the audit log. The key is label- and the name of the field.

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
label-slug = URL-Slug
label-is-page = Art
label-accepts-ratings = Bewertungen
label-excerpt = Auszug
label-cover = Titelbild
label-status = Status
label-version = Version
label-image = Bild
label-avatar = Profilbild
label-alt = Alternativtext
label-spot = Position
label-display-name = Anzeigename
label-about = Über dich
label-link = Link
label-language = Sprache
label-time-zone = Zeitzone
label-max-uses = Anzahl der Personen
label-target = Person oder Netzwerk
label-limit = Limit
label-allowance = Faktor
label-network = Netzwerk
label-expires = Endet
label-days = Tage
label-posts = Veröffentlichte Beiträge
label-from = Erster Tag
label-to = Letzter Tag
label-reason = Grund
label-rating = Bewertung

## Title of a page whose form was rejected.

title-with-error = Fehler: { $title }

## Text that is not translated.

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
days =
    { $count ->
            [one] { $count } Tag
           *[other] { $count } Tage
        }
kilobytes = { $size } kB
megabytes = { $size } MB
gigabytes = { $size } GB
percent = { $percent } %
label-act = Aktion
label-actor = Ausgeführt von
label-user = Benutzer
label-post = Beitrags-ID
label-invitation = Einladung
label-ratings = Bewertungen
label-score-before = Wertung vor der Änderung
label-score-after = Wertung nach der Änderung
label-sessions = Sitzungen
label-command = Befehl
invalid-too-many-overrides = Höchstens { $most } Beiträge können einen eigenen Limiter haben. Entferne erst einen anderen.
label-limiter = Limiter
label-before = Vor der Änderung
label-after = Nach der Änderung
label-params-before = Parameter vor der Änderung
label-params-after = Parameter nach der Änderung
invalid-staff-role = Wähle moderator, admin oder owner, oder none, um die Rolle zu entfernen.
label-users = Konten
label-role = Rolle
label-until = Gesperrt bis
invalid-password-needed = Gib dein Passwort ein, um diese Aktion zu bestätigen.
label-category = Grund deiner Meldung
label-explanation = Einzelheiten
label-appeal = Begründung deines Einspruchs
label-ruling = Entscheidung
label-case = Fall
label-ground = Grund der Herausnahme
label-name-starts = Name beginnt mit
label-name = Name
label-words = Enthält Text
label-author = Verfasst von
label-tag = Schlagwort
label-key = Schlüssel beginnt mit
label-mail = Art der E-Mail
label-made-by = Erstellt von
label-token = Token
label-scopes = Rechte
label-expires-in-days = Läuft ab nach
label-end-tokens = API-Tokens widerrufen
label-tokens = API-Tokens
malformed-idempotency-key = Der Header Idempotency-Key muss aus 1 bis 255 sichtbaren ASCII-Zeichen ohne Anführungszeichen bestehen.
label-event = Ereignis
label-events = Ereignisse
label-url = URL
label-webhook = Webhook
label-attempts = Versuche
label-error = Fehler
label-secret = Schlüssel
label-enabled = Eingeschaltet
label-is-enabled = Zustand
copy = Kopieren
copied = Kopiert.
invalid-webhook-url = Gib eine vollständige URL an, die mit https:// beginnt und weder Benutzername noch Passwort noch Fragment enthält.
invalid-webhook-http = Die URL muss mit https:// beginnen.
invalid-webhook-address = Diese Adresse ist nicht öffentlich. Die Einstellung WEBHOOK_PRIVATE_NETWORKS kann sie erlauben.
invalid-webhook-events = Wähle mindestens eines dieser Ereignisse: { $names }.
invalid-webhook-no-events = Wähle mindestens ein Ereignis.
invalid-too-many-webhooks = Es sind höchstens { $most } Webhooks möglich. Lösche zuerst einen.
label-site-name = Name der Website
label-site-description = Beschreibung
label-site-footer = Fußzeile
label-site-menu = Menü
label-site-logo = Logo
label-site-icon = Symbol
label-footer-menu = Fußzeilenmenü
label-accent-color = Akzentfarbe
label-site-language = Sprache
label-site-time-zone = Zeitzone
label-registration = Wer sich registrieren darf
label-publishing = Wer Beiträge veröffentlichen darf
label-min-account-age-hours = Mindestalter von Konten, die bewerten dürfen
label-confirmed-email = Bestätigte E-Mail-Adresse zum Bewerten
label-score-shown = Angezeigter Wert
label-setting = Einstellung
invalid-color = Gib eine Farbe als # und sechs Ziffern von 0 bis f an, zum Beispiel #0b5573.
invalid-contrast = Links in dieser Farbe wären auf einer hellen Seite schwer zu lesen. Wähle eine dunklere Farbe, zum Beispiel { $color }.
invalid-from-environment = Die Umgebungsvariable { $variable } des Servers setzt diesen Wert, deshalb kann er hier nicht geändert werden.
invalid-no-mail = Die Website verschickt keine Mails, deshalb kann keine E-Mail-Adresse bestätigt werden. Setze zuerst SMTP_URL auf dem Server.

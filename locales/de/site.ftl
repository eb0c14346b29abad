
## Page header and footer.

site-description = Ein Blog, dessen Bewertungen gegen Manipulationsversuche geschützt sind.
site-footer = Bewertungen sind hier gegen Manipulationsversuche geschützt.
skip-to-content = Zum Inhalt springen
search-label = Suche
search-button = Suchen
search-hint = Beiträge, Personen
nav-site = Hauptmenü
nav-menu = Menü
nav-write = Schreiben
nav-sign-out = Abmelden
nav-account = Kontomenü
nav-sign-in = Anmelden
nav-register = Registrieren
nav-atom = Atom-Feed
nav-json = JSON-Feed
language-choose = Sprache
staff-need-second-factor = Auf dieser Website braucht das Team die Zwei-Faktor-Authentisierung. <a href="/users/second_factor/">Richte sie ein</a>, um die Funktionen des Teams zu nutzen.
account-deleted-on = Dein Konto wird am { $time } gelöscht.
account-keep = Mein Konto behalten
pages-label = Seitennavigation
pages-first = Erste Seite
pages-previous = Vorherige Seite
pages-next = Nächste Seite

## Error pages.

error-try-again = Erneut versuchen
error-see-paused = <a href="/rate/paused/">Deine pausierten Bewertungen</a>
error-see-sign-in = <a href="/users/login/">Anmelden</a>
error-see-account = Um eine E-Mail-Adresse zu bestätigen, hol dir einen neuen Link in <a href="/users/account/">deinem Konto</a>. Um dein Passwort zurückzusetzen, <a href="/users/password_reset/">fordere einen neuen Link an</a>.
error-read-latest = Die neuesten Beiträge lesen
error-status = Status { $status } · Anfrage-ID <code>{ $id }</code>

## Startup steps.

starting-connecting = Verbindung zur Datenbank wird hergestellt
starting-waiting-database = Warten auf die Datenbank
starting-waiting-lock = Warten auf einen Lock in der Datenbank
starting-waiting-instance = Warten auf eine andere Instanz, die die Datenbank aktualisiert
starting-updating = Datenbank wird aktualisiert ({ $number } von { $all })
blocked = Dein Konto ist gesperrt. Du kannst lesen, aber nichts schreiben oder bewerten. Grund: <q>{ $reason }</q>
blocked-until = Dein Konto ist bis { $time } gesperrt. Du kannst lesen, aber nichts schreiben oder bewerten. Grund: <q>{ $reason }</q>

# Reference of the API.
api-title = API-Referenz
api-description = Programme verwenden dieselben URLs wie Browser, senden mit jeder Anfrage <code>Accept: application/json</code> und melden sich mit einem <a href="/users/tokens/">API-Token</a> an. Diese Seite führt alle Operationen auf, auf Englisch.
api-json = Beschreibung in JSON (OpenAPI 3.1)
api-yaml = Beschreibung in YAML
api-needs-scripts = Die Liste der Operationen braucht JavaScript. Die Beschreibung in JSON oder YAML enthält dasselbe.
nav-api = API


## What stands around every page.

site-description = Ein Blog, dessen Bewertungen auf ebenem Kiel bleiben: Jede Bewertung zählt im Durchschnitt, und daneben steht eine Wertung, die kein Ansturm im Handumdrehen hoch- oder herunterzieht.
site-footer = Bewertungen bleiben hier auf ebenem Kiel: Kein Ansturm zieht sie im Handumdrehen hoch oder herunter.
skip-to-content = Zum Inhalt springen
search-label = Suche
search-button = Suchen
search-hint = Beiträge, Leute
nav-site = Website
nav-write = Schreiben
nav-sign-out = Abmelden
nav-sign-in = Anmelden
nav-register = Registrieren
nav-atom = Atom-Feed
nav-json = JSON-Feed
language-choose = Sprache
staff-need-second-factor = Du gehörst zum Team, doch hier braucht das Team einen zweiten Faktor. <a href="/users/second_factor/">Richte ihn ein</a>; bis dahin kannst du, was alle können.
account-deleted-on = Dein Konto wird am { $time } gelöscht.
account-keep = Mein Konto behalten
pages-label = Seiten
pages-previous = Vorige Seite
pages-next = Nächste Seite

## The page of an error.

error-try-again = Noch einmal versuchen
error-see-paused = <a href="/rate/paused/">Deine pausierten Bewertungen</a>
error-see-sign-in = <a href="/users/login/">Anmelden</a>
error-see-account = Einen neuen Link für eine Adresse bekommst du bei <a href="/users/account/">deinem Konto</a>, einen für ein neues Passwort auf <a href="/users/password_reset/">dieser Seite</a>.
error-read-latest = Die neuesten Beiträge lesen
error-status = Status { $status } · Anfrage <code>{ $id }</code>

## What the site is doing while it starts.

starting-connecting = Verbindung zur Datenbank wird aufgebaut
starting-waiting-database = Warten auf die Datenbank
starting-waiting-lock = Warten auf eine Sperre in der Datenbank
starting-waiting-instance = Warten auf eine andere Instanz, die die Datenbank aktualisiert
starting-updating = Datenbank wird aktualisiert, { $number } von { $all }
blocked = Dein Konto ist gesperrt: du kannst lesen, aber nichts schreiben oder bewerten. Der Grund: <q>{ $reason }</q>
blocked-until = Dein Konto ist bis { $time } gesperrt: du kannst lesen, aber nichts schreiben oder bewerten. Der Grund: <q>{ $reason }</q>

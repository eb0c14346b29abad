
## Validation errors of account fields.

invalid-current-password = Das Passwort stimmt nicht. Gib dein aktuelles Passwort ein.
invalid-approval-unused = Freigaben gibt es nur, wenn PUBLISHING auf approved steht.
invalid-approval-staff = Das Team darf immer veröffentlichen und braucht keine Freigabe.
invalid-posts-choice = Wähle, was mit deinen veröffentlichten Beiträgen geschieht: behalten (keep) oder löschen (delete).
invalid-whole-number = Gib eine ganze Zahl von 1 bis { $most } ein.
invalid-email = Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.
invalid-name-taken = Dieser Name ist schon vergeben. Wähle einen anderen.
invalid-claim-name = Deine Beiträge stehen hier unter dem Namen { $name }. Er lässt sich nicht ändern.
invalid-name-looks-taken = Dieser Name ist einem vorhandenen zu ähnlich. Wähle einen anderen.
invalid-username = Verwende 1 bis 30 Buchstaben, Ziffern, Unterstriche, Bindestriche und Punkte.
invalid-accents = Verwende Buchstaben mit höchstens einem Akzent.
invalid-scripts = Verwende nur Buchstaben desselben Alphabets.
invalid-name-reserved = Dieser Name ist reserviert. Wähle einen anderen.
invalid-display-name = Verwende 1 bis 50 Zeichen.
invalid-no-letter = Verwende mindestens einen Buchstaben oder eine Ziffer.
invalid-former-author = Dieser Name steht für gelöschte Konten. Wähle einen anderen.
invalid-role-name = Dieser Name ist dem Team vorbehalten. Wähle einen anderen.
invalid-display-name-taken = Dieser Name ist einem anderen Benutzernamen zu ähnlich. Wähle einen anderen.
invalid-owner-code = Der Code stimmt nicht. Verwende den Code aus dem Einrichtungslink, den der Server beim Start ausgegeben oder in eine Datei geschrieben hat.
invalid-password-short = Verwende mindestens 8 Zeichen.
invalid-password-long = Verwende höchstens 256 Zeichen.
invalid-password-easy = Dieses Passwort ist zu leicht zu erraten. Versuch es mit mehreren Wörtern ohne Zusammenhang.
invalid-password-name = Das Passwort darf weder deinen Benutzernamen noch deine E-Mail-Adresse enthalten.
invalid-username-or-email = Gib entweder einen Benutzernamen oder eine E-Mail-Adresse an, nicht beides.
invalid-website = Gib eine URL an, die mit https:// oder http:// beginnt, keine Zugangsdaten enthält und höchstens 500 Bytes lang ist.
invalid-avatar = Lade eine Datei hoch oder gib den Pfad eines deiner Bilder auf dieser Website an (/images/…).
invalid-no-such-image = Dieses Bild hast du nicht. Wähle eins deiner hochgeladenen Bilder.
invalid-code-needed = Die Zwei-Faktor-Authentisierung ist eingeschaltet. Gib einen Code aus deiner Authenticator-App oder einen Wiederherstellungscode ein.
invalid-code = Dieser Code ist falsch, abgelaufen oder schon benutzt. Prüfe ihn oder warte auf den nächsten.
invalid-two-factor-on = Die Zwei-Faktor-Authentisierung ist schon eingeschaltet.
invalid-two-factor-off = Die Zwei-Faktor-Authentisierung ist schon ausgeschaltet.
invalid-concurrent-change = Dein Konto wurde gerade eben geändert. Lade die Seite neu und versuch es noch einmal.

## Reserved names: the author name of deleted accounts, and names of staff roles, separated by commas.

former-author = Gelöschtes Konto
reserved-roles = Admin, Administrator, Administratorin, Administration, Moderator, Moderatorin, Moderation, Team, Betreiber, Betreiberin, Inhaber, Inhaberin

## Messages after successful actions.

done-approved = { $name } darf jetzt Beiträge veröffentlichen.
done-not-approved = { $name } darf keine Beiträge mehr veröffentlichen. Veröffentlichte Beiträge bleiben online, geplante werden nicht veröffentlicht.
done-deletion-scheduled = Du bist überall abgemeldet, und dein Konto wird am { $time } gelöscht. Wenn du es behalten willst, melde dich vorher an und brich die Löschung ab.
done-deletion-cancelled = Löschung abgebrochen. Dein Konto bleibt, wie es ist.
done-no-deletion-scheduled = Für dein Konto war keine Löschung geplant.
done-email-change-link-sent = Wir haben einen Link an { $email } geschickt. Öffne ihn, um die neue Adresse zu bestätigen.
done-email-set = Deine E-Mail-Adresse ist jetzt { $email }.
done-email-confirmed = { $email } ist bestätigt.
done-email-already-confirmed = { $email } ist bereits bestätigt.
done-confirmation-link-sent = Wir haben einen Bestätigungslink an { $email } geschickt. Er gilt drei Tage.
done-session-already-ended = Diese Sitzung ist bereits beendet.
done-session-ended = Aus dieser Sitzung abgemeldet.
sessions-no-others = Du hast keine anderen Sitzungen.
done-sessions-ended =
    { $count ->
            [one] Aus einer anderen Sitzung abgemeldet.
           *[other] Aus { $count } anderen Sitzungen abgemeldet.
        }
done-invitation-created = Einladung erstellt. Ihr Link steht oben in der Liste und gilt bis { $time }.
done-invitation-revoked = Einladung widerrufen. Mit ihrem Link kann sich niemand mehr registrieren.
done-owner = Willkommen, { $name }. Du bist jetzt Inhaber dieser Website.
done-password-reset = Dein Passwort ist geändert, und du bist überall abgemeldet. Melde dich mit dem neuen Passwort an.
done-password-reset-requested = Wenn es dieses Konto gibt und seine E-Mail-Adresse bestätigt ist, bekommst du eine E-Mail mit einem Link. Er gilt eine Stunde.
done-profile = Profil gespeichert.
done-registered =
    Willkommen, { $name }. Du bist angemeldet.{ $mail ->
            [yes] {" "}Du bekommst eine E-Mail mit einem Link, um deine Adresse zu bestätigen.
           *[no] {""}
        }
done-welcome-back = Willkommen zurück, { $name }.
done-two-factor-off = Die Zwei-Faktor-Authentisierung ist ausgeschaltet. Zum Anmelden genügt jetzt dein Passwort.
done-signed-out = Du bist abgemeldet.
done-password-changed = Dein Passwort ist geändert. Überall sonst bist du abgemeldet.
done-language = Die Sprache der Website ist jetzt { $language }.

## Device names in the list of sessions.

device-on = { $program } auf { $system }
device-unknown = Unbekannte App
device-unknown-on = Unbekannte App auf { $system }

## Account pages.

list-comma = ,{" "}
account-title = Dein Konto
account-security = Sicherheit
account-data = Deine Daten
account-email-confirmed = bestätigt
account-email-unconfirmed = noch nicht bestätigt
account-confirm-email-hint = Bis du diese E-Mail-Adresse bestätigst, schicken wir sonst keine E-Mails dorthin, und du kannst ein vergessenes Passwort nicht zurücksetzen.
account-send-confirmation-link = Bestätigungslink schicken
account-no-mail = Diese Website verschickt keine E-Mails. Wenn du dein Passwort vergisst, bitte das Team, es zurückzusetzen.
account-new-email = Neue E-Mail-Adresse
account-new-email-description = Wir schicken einen Bestätigungslink an die neue Adresse. Sobald du sie bestätigt hast, bekommt die alte eine Nachricht.
account-change-email = E-Mail-Adresse ändern
confirm-title = E-Mail-Adresse bestätigen
confirm-heading = Ist das deine E-Mail-Adresse?
confirm-description = <bdi dir="ltr">{ $email }</bdi> wird die E-Mail-Adresse des Kontos <bdi>{ $name }</bdi>. E-Mails zum Konto gehen dann dorthin.
confirm-button = E-Mail-Adresse bestätigen
delete-account-title = Konto löschen
delete-account-scheduled = Dein Konto wird gelöscht
delete-account-with-posts = Deine veröffentlichten Beiträge werden ebenfalls gelöscht.
delete-account-posts-stay = Deine veröffentlichten Beiträge bleiben online, unter dem Namen „{ $name }“.
delete-account-cancel-hint = Bis dein Konto gelöscht wird, kannst du die Löschung abbrechen: mit der Schaltfläche oben auf jeder Seite.
delete-account-export = Alle deine Daten herunterladen
delete-account-description = Du wirst sofort überall abgemeldet. Eine Woche lang ändert sich sonst nichts: Wenn du dein Konto behalten willst, melde dich an und brich die Löschung ab. Nach einer Woche gilt:
delete-account-name = Dein Name, deine E-Mail-Adresse, dein Passwort und die Liste deiner Anmeldungen werden gelöscht. Dein Name wird für andere frei.
delete-account-drafts = Deine Entwürfe werden gelöscht.
delete-account-ratings = Deine Bewertungen zählen weiter, damit sich keine Wertung ändert. Niemand kann mehr sehen, dass sie von dir sind.
delete-account-export-first = Vielleicht möchtest du vorher <a href="/users/export/">alle deine Daten herunterladen</a>.
delete-account-posts = Was soll mit deinen veröffentlichten Beiträgen geschehen?
delete-account-keep-posts = Beiträge behalten, unter dem Namen „{ $name }“
delete-account-delete-posts = Beiträge löschen, zusammen mit ihren Bewertungen
delete-account-button = Mein Konto löschen
invitations-title = Einladungen
invitations-open = Die Registrierung ist für alle offen. Mit einem Link kannst du jemanden per E-Mail einladen oder zum Autor oder zur Autorin machen.
invitations-email-hint = Der Link wird an diese Adresse geschickt und gilt einmal. Lass das Feld leer, um den Link selbst weiterzugeben.
invalid-invited-role = Nur Inhaber können jemanden für die Moderation einladen.
invalid-no-mail-server = Die Website verschickt keine E-Mails. Lass das Feld leer und kopiere den Link.
done-invitation-sent = Einladung an { $email } verschickt. Der Link gilt bis { $time }.
invitations-closed = Die Registrierung ist geschlossen, deshalb funktionieren Einladungslinks nicht. Sie werden nur benutzt, wenn <code>REGISTRATION</code> auf <code>invite</code> steht.
invitations-max-uses-hint = Wie viele Personen sich mit dem Link registrieren können: 1 bis 1.000.
invitations-days-hint = Wie lange der Link gilt: 1 bis 365 Tage.
invitations-create = Einladung erstellen
invitations-none = Noch keine Einladungen.
invitations-joined = { $uses } von { $max_uses } registriert.
invitations-created-by = Erstellt von <bdi>{ $name }</bdi>.
invitations-used-up = Aufgebraucht
invitations-expired = Abgelaufen am { $time }
invitations-valid-until = Gültig bis { $time }
invitations-accounts-deleted = Alle mit diesem Link erstellten Konten wurden gelöscht.
invitations-others = und andere
invitations-revoke = Widerrufen
sign-in-title = Anmelden
sign-in-to-rate =
    { $stars ->
            [one] Melde dich an, um „<bdi>{ $title }</bdi>“ mit { $stars } Stern zu bewerten
           *[other] Melde dich an, um „<bdi>{ $title }</bdi>“ mit { $stars } Sternen zu bewerten
        }
sign-in-two-factor = Zwei-Faktor-Authentisierung
sign-in-code-hint = Der sechsstellige Code aus deiner Authenticator-App oder ein Wiederherstellungscode.
sign-in-codes-lost = Authenticator-App und Wiederherstellungscodes verloren? Wende dich an das Team der Website.
sign-in-start-over = Neu anfangen
sign-in-no-account = Neu hier?
username-hint = Steht bei deinen Beiträgen. 1 bis 30 Buchstaben eines beliebigen Alphabets, Ziffern, Unterstriche, Bindestriche und Punkte.
email-hint = Nur du kannst sie sehen.
password-hint = Mindestens 8 Zeichen. Am besten mehrere Wörter ohne Zusammenhang und kein häufiges Passwort.
owner-title = Inhaberkonto
owner-heading = Inhaberkonto erstellen
owner-description = Diese Website hat noch keinen Inhaber. Wenn sie dir gehört, erstelle hier dein Konto. Inhaber können alle Beiträge bearbeiten und löschen und bestimmen, wer das außerdem darf.
owner-code-hint = Der Code ist Teil des Einrichtungslinks, den der Server beim Start ausgegeben oder in eine Datei geschrieben hat. Er belegt, dass du den Server betreibst.
owner-button = Inhaberkonto erstellen
owner-just-browsing = Nur zum Lesen hier? Geh zu den <a href="/blogs/">Beiträgen</a>.
owner-just-browsing-register = Nur zum Lesen hier? <a href="/users/register/">Registriere dich</a>, um zu bewerten, oder geh zu den <a href="/blogs/">Beiträgen</a>.
password-change-title = Passwort ändern
password-change-description = Wenn du dein Passwort änderst, wirst du überall sonst abgemeldet.
password-change-button = Passwort ändern
password-reset-choose = Neues Passwort wählen
password-reset-title = Passwort vergessen?
password-reset-description = Wenn du ein neues Passwort wählst, wirst du überall abgemeldet.
password-reset-instructions = Wenn die E-Mail-Adresse deines Kontos bestätigt ist, schicken wir einen Link dorthin. Er gilt eine Stunde.
password-reset-button = Link schicken
password-reset-no-mail = Diese Website verschickt keine E-Mails. Bitte das Team, dein Passwort zurückzusetzen.
profile-title = Dein Profil
profile-avatar-hint = Wird quadratisch zugeschnitten. PNG, JPEG, WebP oder GIF, bis 10 MiB.
profile-avatar-current = Dein aktuelles Profilbild
profile-avatar-remove = Bild entfernen
profile-display-name-hint = Freiwillig. Wird statt deines Benutzernamens angezeigt; bis zu 50 Zeichen.
profile-about-hint = Steht auf deiner Autorenseite. Bis zu 2.000 Zeichen, Markdown ist möglich.
profile-link-hint = Deine Website oder ein anderes Profil (https://…).
profile-language-hint = Für diese Website und für E-Mails an dich.
profile-language-browser = Sprache des Browsers
profile-time-zone-site = Wie die Website ({ $zone })
profile-save = Speichern
register-title = Registrieren
register-invited =
    <bdi>{ $name }</bdi> lädt dich zu <bdi>{ $site }</bdi> ein, als { $role ->
        [author] Autor
        [moderator] Moderator
       *[reader] Leser
    }. Die Einladung gilt bis { $time }.
register-signed-in = Du bist als <bdi>{ $name }</bdi> angemeldet. Wenn du ein weiteres Konto erstellst, wirst du damit angemeldet.
register-already = Schon registriert?
claim-title = Konto übernehmen
claim-intro = Deine Beiträge aus dem früheren Blog stehen hier unter dem Namen <bdi>{ $name }</bdi>. Um dieses Konto zu übernehmen, gib deine E-Mail-Adresse ein und wähle ein Passwort.
second-factor-title = Zwei-Faktor-Authentisierung
second-factor-codes = Deine Wiederherstellungscodes
second-factor-codes-description = Speichere diese Codes jetzt: Sie werden nicht noch einmal angezeigt. Mit jedem kannst du dich einmal ohne deine Authenticator-App anmelden. Frühere Codes gelten nicht mehr.
second-factor-on-since = Die Zwei-Faktor-Authentisierung ist seit dem { $day } eingeschaltet. Zum Anmelden brauchst du einen Code aus deiner Authenticator-App.
second-factor-codes-left =
    { $count ->
            [one] Du hast noch { $count } Wiederherstellungscode.
           *[other] Du hast noch { $count } Wiederherstellungscodes.
        }
second-factor-new-codes-hint = Du kannst unten neue Wiederherstellungscodes erstellen.
second-factor-new-codes = Neue Wiederherstellungscodes
second-factor-new-codes-button = Neue Codes erstellen
second-factor-code-hint = Ein Code aus deiner Authenticator-App oder ein Wiederherstellungscode.
second-factor-digits-hint = Der sechsstellige Code aus deiner Authenticator-App.
second-factor-scan-qr-code = Scanne diesen QR-Code mit deiner Authenticator-App, oder gib dort diesen Schlüssel ein: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = Authenticator-App auf diesem Gerät öffnen
second-factor-qr-code = QR-Code für deine Authenticator-App
second-factor-on-button = Zwei-Faktor-Authentisierung einschalten
second-factor-off-button = Zwei-Faktor-Authentisierung ausschalten
second-factor-sign-out-hint = Wenn du fortfährst, wirst du überall sonst abgemeldet.
second-factor-is-off = Die Zwei-Faktor-Authentisierung ist ausgeschaltet. Wenn du sie einschaltest, brauchst du zum Anmelden außer dem Passwort einen Code aus einer App auf deinem Telefon. Dein Passwort zu kennen, reicht dann nicht mehr aus.
second-factor-set-up = Zwei-Faktor-Authentisierung einrichten
sessions-title = Sitzungen
sessions-description = Die Gerätenamen stammen vom Browser. Die letzte Aktivität ist auf fünf Minuten genau.
sessions-unknown-device = Unbekanntes Gerät
sessions-current = (diese Sitzung)
sessions-from = Angemeldet von <bdi dir="ltr">{ $network }</bdi>.
sessions-since = Begonnen am { $since }, zuletzt aktiv { $used }
sessions-sign-out = Diese Sitzung beenden
sessions-sign-out-others = Überall sonst abmelden
sessions-unrecognized = Eine Sitzung ist nicht von dir? Beende sie und <a href="/users/password_change/">ändere dein Passwort</a>.
tokens-title = API-Tokens
tokens-description = Mit einem API-Token kann ein Programm ohne dein Passwort für dich handeln. Sende ihn im Header <code>Authorization: Bearer ek_…</code>.
tokens-created = Neuer API-Token: { $name }
tokens-created-description = Kopiere den Token jetzt. Er wird nicht noch einmal angezeigt.
tokens-none = Du hast keine API-Tokens.
tokens-scopes = Rechte: { $scopes }
tokens-expires = Läuft am { $time } ab.
tokens-never-expires = Läuft nicht ab.
tokens-used = Zuletzt benutzt { $used } von <bdi dir="ltr">{ $network }</bdi>.
tokens-unused = Nie benutzt.
tokens-revoke = Widerrufen
tokens-new = Neuer API-Token
tokens-name-hint = Das Programm, das den Token benutzt, zum Beispiel „Backup-Skript“.
tokens-days =
    { $days ->
        [one] { $days } Tag
       *[other] { $days } Tage
    }
tokens-never = Nie
tokens-create = Token erstellen
done-token-revoked = Der API-Token „{ $name }“ wurde widerrufen.
scope-read = Beiträge, Bewertungen, Entwürfe und Meldungen lesen. Das kann jeder Token.
scope-rate = Beiträge bewerten.
scope-write = Beiträge schreiben, Bilder hochladen und Beiträge melden.
scope-account = Das Konto lesen und ändern, außer Passwort, Zwei-Faktor-Authentifizierung und Tokens.
scope-admin = Deine Rolle im Team und den Adminbereich benutzen.
password-change-end-tokens = Auch alle API-Tokens widerrufen
device = { $program }
export-readme =
    Dieses Archiv enthält die Daten, die die Website zu deinem Konto speichert. Nicht enthalten sind dein Passwort, von dem
    nur ein Hash gespeichert ist, und die Anfragezähler, die die Website vor Überlastung schützen.
    
    account.json – dein Konto, und wer dich eingeladen hat
    sessions.json – deine Sitzungen und die IP-Netze, aus denen du dich angemeldet hast
    posts.json – deine Beiträge und Entwürfe, ohne ihre Texte
    posts/ – die Texte deiner Beiträge und Entwürfe, wie du sie geschrieben hast (Markdown)
    revisions.json – frühere Fassungen deiner Beiträge und Entwürfe, mit ihren Texten
    images.json – deine Bilder und ihre Alternativtexte
    images/ – die Bilddateien, wie die Website sie speichert
    ratings.json – deine Bewertungen; bei noch nicht gezählten ist „waits“ true
    refused_ratings.json – deine Bewertungen aus letzter Zeit, die ein Limiter abgewiesen hat
    reports.json – deine Meldungen sowie Entscheidungen darüber und über deine Beiträge
    limits.json – andere Limits für deine Anfragen, falls das Team welche gesetzt hat
    pauses.json – Beiträge, bei denen deine fehlgeschlagenen Bewertungsversuche gezählt wurden, und etwaige Pausen
    staff.json – deine Entscheidungen im Team und die Personen, die du eingeladen hast
    log.json – Protokolleinträge über deine Aktionen und über dein Konto
    
    Alle Zeiten sind in UTC. Änderungen, die während der Erstellung des Archivs gemacht wurden, können fehlen.
invitations-what = Links, mit denen man sich registrieren kann, mit Ersteller und Zahl der Registrierungen.
invitations-all = Alle
invitations-valid = Gültig
invitations-expired-or-used-up = Abgelaufen oder aufgebraucht
invitations-all-link = Alle Einladungen durchsuchen oder mehrere auf einmal widerrufen

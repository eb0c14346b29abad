
## What is wrong with an account's fields.

invalid-current-password = Das ist nicht dein aktuelles Passwort.
invalid-approval-unused = Nur wo PUBLISHING auf approved steht, entscheidet das Team darüber.
invalid-approval-staff = Das Team darf immer veröffentlichen.
invalid-posts = Wähle, ob sie bleiben (keep) oder gelöscht werden (delete).
invalid-whole-number = Nimm eine ganze Zahl von 1 bis { $most }.
invalid-email = Gib eine E-Mail-Adresse wie name@example.com an.
invalid-name-taken = Dieser Name ist vergeben. Bitte wähle einen anderen.
invalid-claim-name = Deine Beiträge stehen hier unter dem Namen { $name }, der sich nicht ändern lässt.
invalid-name-looks-taken = Es gibt schon einen Namen, der fast genauso aussieht. Bitte wähle einen anderen.
invalid-username = Nimm 1 bis 30 Buchstaben, Ziffern, Unterstriche, Bindestriche und Punkte.
invalid-accents = Nimm Buchstaben ohne mehrere Akzente übereinander.
invalid-scripts = Nimm Buchstaben einer einzigen Schrift.
invalid-name-reserved = Dieser Name ist reserviert. Bitte wähle einen anderen.
invalid-display-name = Nimm 1 bis 50 Zeichen.
invalid-no-letter = Nimm mindestens einen Buchstaben oder eine Ziffer.
invalid-former = So heißen hier alle, die gegangen sind. Wähle einen anderen Namen.
invalid-role = Das sagt, was jemand hier darf, und ist kein Name. Wähle einen anderen.
invalid-display-name-taken = Es gibt schon einen Benutzernamen, der fast genauso aussieht. Wähle einen anderen.
invalid-owner-code = Das ist nicht der Code, den die Website ausgegeben hat.
invalid-password-short = Nimm mindestens 8 Zeichen.
invalid-password-long = Nimm höchstens 256 Zeichen.
invalid-password-easy = Dieses Passwort ist zu leicht zu erraten. Versuch es mit ein paar Wörtern, die nicht zusammengehören.
invalid-password-name = Lass deinen Benutzernamen und deine E-Mail-Adresse aus dem Passwort heraus.
invalid-username-or-email = Sende entweder einen Benutzernamen oder eine E-Mail-Adresse.
invalid-website = Nimm eine Adresse, die mit https:// oder http:// beginnt, keinen Benutzernamen enthält und höchstens 500 Bytes lang ist.
invalid-avatar = Sende eine Datei, oder nimm die Adresse eines deiner Bilder hier (/images/…).
invalid-no-such-image = So ein Bild hast du hier nicht.
invalid-code-needed = Dein zweiter Faktor ist an: Gib einen Code deiner App oder einen deiner Wiederherstellungscodes ein.
invalid-code = Dieser Code gilt gerade nicht, oder er wurde schon benutzt. Prüfe ihn, oder warte auf den nächsten.
invalid-factor-on = Dein zweiter Faktor ist schon eingeschaltet.
invalid-factor-off = Dein zweiter Faktor ist nicht eingeschaltet.
invalid-changed-meanwhile = Das wurde gerade eben geändert.

## What nobody may call themselves: what is shown for those who are gone, and what somebody may do here, between commas.

former-author = jemand von früher
reserved-roles = Admin, Administrator, Administratorin, Moderator, Moderatorin, Moderation, Team, Betreiber, Betreiberin

## What an act has done.

done-approved = { $name } darf jetzt veröffentlichen.
done-not-approved = { $name } darf nicht mehr veröffentlichen. Veröffentlichtes bleibt; geplant ist nichts mehr.
done-deletion-asked = Du bist überall abgemeldet, und dein Konto wird am { $time } gelöscht. Melde dich vorher an, um es zu behalten.
done-account-kept = Dein Konto bleibt, mit allem, was darin ist.
done-account-not-kept = Dein Konto sollte gar nicht gelöscht werden.
done-email-link = Eine E-Mail mit einem Link ist an { $email } unterwegs. Sobald du ihn benutzt, ist das deine Adresse.
done-email-set = Deine E-Mail-Adresse ist { $email }.
done-email-confirmed = { $email } ist bestätigt.
done-email-confirmed-already = { $email } ist schon bestätigt.
done-email-link-again = Eine E-Mail an { $email } ist unterwegs. Der Link darin gilt drei Tage.
done-session-over = Diese Sitzung ist schon beendet.
done-session-ended = Du bist dort abgemeldet.
sessions-no-other = Du bist sonst nirgends angemeldet.
done-sessions-ended =
    { $count ->
            [one] Eine andere Sitzung ist beendet.
           *[other] { $count } andere Sitzungen sind beendet.
        }
done-invitation-made = Der neue Link steht unten als erster. Er gilt bis zum { $time }.
done-invitation-ended = Mit diesem Link kann sich niemand mehr registrieren.
done-owner = Willkommen, { $name }. Diese Website gehört dir.
done-password-reset = Dein Passwort ist geändert, und du bist überall abgemeldet. Melde dich mit dem neuen an.
done-reset-asked = Falls es so ein Konto gibt und seine E-Mail-Adresse bestätigt ist, ist eine E-Mail unterwegs. Der Link darin gilt eine Stunde.
done-profile = Dein Profil ist gespeichert.
done-registered =
    Willkommen, { $name }. Du bist angemeldet.{ $mail ->
            [yes] {" "}Du bekommst eine E-Mail mit einem Link, mit dem du deine Adresse bestätigst.
           *[no] {""}
        }
done-welcome-back = Willkommen zurück, { $name }.
done-factor-off = Dein zweiter Faktor ist ausgeschaltet: Dein Passwort allein genügt.
done-signed-out = Du bist abgemeldet.
done-password-changed = Dein Passwort ist geändert. Überall sonst bist du abgemeldet.
done-language = Diese Website spricht jetzt { $language } mit dir.

## Devices, as they say of themselves.

device-on = { $program } auf { $system }
device-program = ein Programm
device-program-on = ein Programm auf { $system }

## Pages of accounts.

list-comma = ,{" "}
account-title = Dein Konto
account-back = Zurück zu deinem Konto
account-email-confirmed = bestätigt
account-email-unconfirmed = noch nicht bestätigt
account-until-confirmed = Solange sie nicht bestätigt ist, geht keine E-Mail dorthin, und ein vergessenes Passwort lässt sich nicht ersetzen.
account-send-link = Link zum Bestätigen schicken
account-no-mail = Diese Website verschickt keine E-Mails. Wer sie betreibt, kann dir ein neues Passwort geben, wenn du deins vergessen hast.
account-second-factor = <a href="/users/second_factor/">Zweiter Faktor</a>: beim Anmelden ein Code aus einer App
account-export = <a href="/users/export/">Alle deine Daten herunterladen</a> (ein ZIP-Archiv mit JSON und Markdown)
account-other-email = Eine andere E‑Mail-Adresse
account-other-email-how = Wir schicken einen Link an die neue Adresse. Sobald du ihn benutzt, gilt sie, und die bisherige bekommt eine Nachricht.
account-change-email = Adresse ändern
confirm-title = E-Mail-Adresse bestätigen
confirm-heading = Ist das deine Adresse?
confirm-what = <bdi dir="ltr">{ $email }</bdi> soll die Adresse des Kontos <bdi>{ $name }</bdi> werden. E-Mails zum Konto gehen dann dorthin.
confirm-button = Adresse bestätigen
delete-account-title = Dein Konto löschen
delete-account-asked = Dein Konto wird gelöscht
delete-account-with-posts = Deine veröffentlichten Beiträge werden mit ihm gelöscht.
delete-account-posts-stay = Deine veröffentlichten Beiträge bleiben, unter „{ $name }“.
delete-account-until-then = Bis dahin kannst du es behalten, mit allem, was darin ist: Der Knopf steht oben auf jeder Seite.
delete-account-export = Alle deine Daten herunterladen
delete-account-what = Du wirst sofort überall abgemeldet. Eine Woche lang ändert sich sonst nichts, und du kannst zurückkommen: Melde dich an und behalte das Konto. Danach:
delete-account-name = Dein Name, deine E-Mail-Adresse, dein Passwort und die Liste deiner Anmeldungen sind gelöscht. Dein Name ist für andere frei.
delete-account-drafts = Deine Entwürfe sind gelöscht.
delete-account-ratings = Deine Bewertungen zählen weiter, damit sich keine Wertung ändert; aber niemand kann mehr sehen, dass sie von dir waren.
delete-account-export-first = Vielleicht möchtest du vorher <a href="/users/export/">alle deine Daten herunterladen</a>.
delete-account-posts = Was soll mit deinen veröffentlichten Beiträgen geschehen?
delete-account-keep-posts = Stehen lassen, unter „{ $name }“
delete-account-delete-posts = Löschen, mit den Bewertungen, die andere ihnen gegeben haben
delete-account-button = Mein Konto löschen
invitations-title = Einladungen
invitations-open = Die Registrierung steht allen offen, deshalb nützen diese Links jetzt nichts. Gebraucht werden sie, wo <code>REGISTRATION</code> auf <code>invite</code> steht.
invitations-closed = Die Registrierung ist geschlossen, deshalb nützen diese Links jetzt nichts. Gebraucht werden sie, wo <code>REGISTRATION</code> auf <code>invite</code> steht.
invitations-people-hint = Wie viele sich mit dem Link registrieren dürfen: 1 bis 1.000.
invitations-days-hint = Für wie lange: 1 bis 365.
invitations-make = Link erstellen
invitations-none = Es gibt noch keine.
invitations-came = Registriert: { $came } von { $people }.
invitations-made-by = Erstellt von <bdi>{ $name }</bdi>,
invitations-used-up = aufgebraucht
invitations-over = abgelaufen am { $time }
invitations-good-until = gültig bis { $time }
invitations-gone = Diese Konten gibt es nicht mehr.
invitations-others = und andere
invitations-end = Widerrufen
sign-in-title = Anmelden
sign-in-to-rate =
    { $stars ->
            [one] Melde dich an, um „<bdi>{ $title }</bdi>“ { $stars } Stern zu geben
           *[other] Melde dich an, um „<bdi>{ $title }</bdi>“ { $stars } Sterne zu geben
        }
sign-in-one-more-step = Noch ein Schritt
sign-in-code-hint = Die sechs Ziffern, die deine Authenticator-App jetzt zeigt, oder einer deiner Wiederherstellungscodes.
sign-in-lost-both = Beides verloren? Wer diese Website betreibt, kann dir helfen.
sign-in-begin-again = Von vorn beginnen
sign-in-new-here = Neu hier?
username-hint = 1 bis 30 Buchstaben, Ziffern, _, - und . einer beliebigen Schrift. Steht neben dem, was du schreibst.
email-hint = Sieht niemand außer dir.
password-hint = Mindestens 8 Zeichen, und keins, das viele benutzen. Am besten ein paar Wörter ohne Zusammenhang.
owner-title = Das erste Konto
owner-heading = Wem gehört diese Website?
owner-what = Noch betreibt sie niemand. Wenn sie dir gehört, leg hier dein Konto an. Mit ihm kannst du alle Beiträge ändern und löschen und bestimmen, wer das außerdem darf.
owner-code-hint = Er steht in dem Link, den die Website beim Start ausgegeben hat, und zeigt, dass du sie gestartet hast.
owner-button = Mein Konto anlegen
owner-only-looking = Du willst dich nur umsehen? Geh zu den <a href="/blogs/">Beiträgen</a>.
owner-only-looking-register = Du willst dich nur umsehen? <a href="/users/register/">Registriere dich</a>, um zu bewerten, oder geh zu den <a href="/blogs/">Beiträgen</a>.
password-change-title = Passwort ändern
password-change-what = Überall sonst wirst du abgemeldet.
password-change-button = Passwort ändern
password-reset-choose = Neues Passwort wählen
password-reset-title = Passwort vergessen?
password-reset-what = Du wirst überall abgemeldet.
password-reset-how = Wir schicken einen Link an die E-Mail-Adresse deines Kontos, falls du sie bestätigt hast. Der Link gilt eine Stunde.
password-reset-button = Link schicken
password-reset-no-mail = Diese Website verschickt keine E-Mails, deshalb kann sie dir keinen Link schicken. Wer sie betreibt, kann dir ein neues Passwort geben.
profile-title = Dein Profil
profile-avatar-hint = Von dir. Gezeigt wird das Quadrat in der Mitte, verkleinert. PNG, JPEG, WebP oder GIF, bis 10 MiB.
profile-avatar-now = Dein aktuelles Bild
profile-avatar-remove = Entfernen
profile-display-name-hint = Steht statt deines Benutzernamens neben dem, was du schreibst. Bis zu 50 Zeichen; leer lassen für keinen.
profile-about-hint = Für deine Seite, in Markdown. Bis zu 2.000 Zeichen.
profile-link-hint = Wo du sonst zu finden bist: https://…
profile-language-hint = In dieser Sprache siehst du diese Website und bekommst ihre E-Mails.
profile-language-any = Wie in meinem Browser eingestellt
profile-time-zone-hint = Etwa Europe/Berlin: Danach richten sich alle Zeiten, die du siehst. Leer gilt die der Website, { $zone }.
profile-save = Speichern
register-title = Registrieren
register-signed-in = Du bist als <bdi>{ $name }</bdi> angemeldet. Hier legst du ein weiteres Konto an und meldest dich damit an.
register-already = Schon registriert?
claim-title = Konto übernehmen
claim-intro = Die Beiträge, die du im früheren Blog geschrieben hast, stehen hier unter dem Namen <bdi>{ $name }</bdi>. Gib deine E-Mail-Adresse ein und wähle ein Passwort, dann gehört das Konto dir.
second-factor-title = Zweiter Faktor
second-factor-codes = Deine Wiederherstellungscodes
second-factor-codes-what = Schreib sie jetzt auf oder drucke sie: Sie werden nicht noch einmal gezeigt. Mit jedem Code kommst du einmal hinein, wenn du deine App verloren hast. Frühere gelten nicht mehr.
second-factor-on-since = Er ist seit dem { $day } eingeschaltet: Zum Anmelden brauchst du einen Code deiner Authenticator-App.
second-factor-codes-left =
    { $count ->
            [one] Du hast { $count } Wiederherstellungscode.
           *[other] Du hast { $count } Wiederherstellungscodes.
        }
second-factor-make-new = Erstelle neue.
second-factor-new-codes = Neue Wiederherstellungscodes
second-factor-new-codes-button = Neue Codes erstellen
second-factor-code-hint = Ein Code deiner App oder einer deiner Wiederherstellungscodes.
second-factor-digits-hint = Die sechs Ziffern, die die App jetzt zeigt.
second-factor-read-picture = Scanne dieses Bild mit deiner Authenticator-App, oder gib dort diesen Schlüssel ein: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = App auf diesem Gerät öffnen
second-factor-picture = QR-Code für deine Authenticator-App
second-factor-on-button = Einschalten
second-factor-off-button = Ausschalten
second-factor-signs-out = Damit wirst du überall sonst abgemeldet.
second-factor-is-off = Er ist ausgeschaltet: Dein Passwort allein genügt. Mit einem zweiten Faktor brauchst du zum Anmelden auch den Code einer App auf deinem Telefon; wer dein Passwort erfährt, kommt dann trotzdem nicht hinein.
second-factor-set-up = Einrichten
sessions-title = Wo du angemeldet bist
sessions-what = Geräte heißen hier so, wie sie sich selbst nennen. Die Zeit der letzten Nutzung kann um fünf Minuten abweichen.
sessions-unknown-device = Unbekanntes Gerät
sessions-this-one = (dieses hier)
sessions-from = Aus dem Netz <bdi dir="ltr">{ $network }</bdi>.
sessions-since = Seit dem { $since }, zuletzt benutzt: { $used }
sessions-end = Dort abmelden
sessions-end-others = Überall sonst abmelden
sessions-unknown = Kennst du eins davon nicht? <a href="/users/password_change/">Ändere auch dein Passwort</a>.
device = { $program }
export-readme =
    Das hier speichert die Website zu deinem Konto. Nicht dabei: dein Passwort, von dem nur ein Hash gespeichert ist, und
    wie oft du zuletzt etwas abgerufen hast; das zählt die Website, um nicht überlaufen zu werden.
    
    account.json – dein Konto, und wer dich eingeladen hat
    sessions.json – wo du angemeldet bist, und die Netze, aus denen du dich angemeldet hast
    posts.json – deine Beiträge und Entwürfe, ohne ihre Texte
    posts/ – die Texte, wie du sie geschrieben hast (Markdown)
    images.json – deine Bilder, und was darauf laut dir zu sehen ist
    images/ – die Bilder selbst, wie die Website sie speichert
    ratings.json – deine Bewertungen; bei denen, die noch nicht gezählt sind, ist „waits“ wahr
    refused_ratings.json – Bewertungen von dir aus letzter Zeit, die ein Begrenzer nicht angenommen hat
    reports.json – was du gemeldet hast, und was darüber und über deine Beiträge entschieden wurde
    pauses.json – Beiträge, die du so oft bewerten wolltest, dass es gezählt wurde
    staff.json – was du im Team entschieden hast, und wen du eingeladen hast
    log.json – was du im Team und an deinem Konto getan hast, und was daran getan wurde
    
    Alle Zeiten sind in UTC. Was du geändert hast, während das Archiv entstand, kann fehlen.
invitations-what = Links, mit denen man sich registrieren kann: wer sie gemacht hat und wie viele mit jedem gekommen sind.
invitations-all = alle
invitations-usable = noch gültig
invitations-ended = abgelaufen oder aufgebraucht
invitations-all-link = Alle Einladungen, zum Suchen und um mehrere auf einmal zu beenden

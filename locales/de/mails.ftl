
## Emails. Each line is a paragraph: .told is the main text, .advice the closing text, .act the label of the link.

mail-greeting = Hallo { $username },
mail-confirm-email =
    .subject = Bestätige deine E-Mail-Adresse
    .told = Diese E-Mail-Adresse wurde auf unserer Website für das Konto { $username } angegeben. Bitte bestätige, dass es deine ist.
    .act = E-Mail-Adresse bestätigen
    .advice =
        Der Link gilt drei Tage. Bis du die Adresse bestätigst, schicken wir sonst nichts dorthin.
        Wenn du das nicht warst, ignoriere diese E-Mail. Die Adresse wird dann nicht verwendet.
mail-password-reset =
    .subject = Setze dein Passwort zurück
    .told = Für dein Konto { $username } wurde ein neues Passwort angefordert.
    .act = Neues Passwort wählen
    .advice =
        Der Link funktioniert einmal und gilt eine Stunde. Mit dem neuen Passwort wirst du überall abgemeldet.
        Wenn du das nicht warst, ignoriere diese E-Mail. Dein Passwort bleibt, wie es ist.
mail-password-changed =
    .subject = Dein Passwort wurde geändert
    .told = Das Passwort deines Kontos { $username } wurde gerade geändert.
    .act = Passwort zurücksetzen
    .advice = Wenn du das nicht warst, setze dein Passwort sofort zurück.
mail-email-changed =
    .subject = Deine E-Mail-Adresse wurde geändert
    .told =
        Die E-Mail-Adresse deines Kontos { $username } ist jetzt { $email }.
        Das ist die letzte E-Mail zu diesem Konto, die wir an diese Adresse schicken.
    .advice = Wenn du das nicht warst, wende dich an das Team der Website.
mail-approved =
    .subject = Du darfst jetzt Beiträge veröffentlichen
    .told = Mit deinem Konto { $username } kannst du jetzt Beiträge veröffentlichen. Deine Entwürfe sind unverändert.
    .act = Zu deiner Autorenseite
    .advice = Wenn du das nicht erwartet hast, musst du nichts tun.
mail-invitation =
    .subject = { $name } lädt dich zu { $site } ein
    .told =
        { $name } lädt dich ein, ein Konto bei { $site } zu erstellen, als { $role ->
            [author] Autor
            [moderator] Moderator
           *[reader] Leser
        }.
        Die Einladung gilt bis { $time }.
    .act = Konto erstellen
    .advice = Wenn du { $name } nicht kennst, ignoriere diese E-Mail.
mail-deletion-scheduled =
    .subject = Dein Konto wird gelöscht
    .told =
        Jemand, der dein Passwort kennt, hat die Löschung deines Kontos { $username } beantragt.
        { $posts ->
                [yes] Deine Beiträge werden ebenfalls gelöscht.
               *[no] Deine veröffentlichten Beiträge bleiben online.
            }
        Das Konto wird am { $time } gelöscht. Wenn du es behalten willst, melde dich vorher an und brich die Löschung ab.
    .act = Anmelden
    .advice = Wenn du das nicht warst, melde dich an, brich die Löschung ab und ändere dein Passwort.
mail-account-deleted =
    .subject = Dein Konto wurde gelöscht
    .told = Das Konto { $username } wurde gelöscht, wie vor einer Woche beantragt.
    .advice = Du bekommst keine weiteren E-Mails zu diesem Konto.
mail-two-factor-on =
    .subject = Zwei-Faktor-Authentisierung eingeschaltet
    .told = Zum Anmelden bei deinem Konto { $username } ist jetzt ein Code aus einer Authenticator-App nötig.
    .act = Passwort zurücksetzen
    .advice = Wenn du das nicht warst, setze dein Passwort sofort zurück.
mail-two-factor-off =
    .subject = Zwei-Faktor-Authentisierung ausgeschaltet
    .told = Zum Anmelden bei deinem Konto { $username } genügt jetzt das Passwort.
    .act = Passwort zurücksetzen
    .advice = Wenn du das nicht warst, setze dein Passwort sofort zurück.
mail-recovery-code-used =
    .subject = Ein Wiederherstellungscode wurde benutzt
    .told =
        Bei deinem Konto { $username } wurde zum Anmelden ein Wiederherstellungscode benutzt. Du hast noch { $left ->
                [one] { $left } Wiederherstellungscode.
               *[other] { $left } Wiederherstellungscodes.
            }
    .act = Passwort zurücksetzen
    .advice = Wenn du das nicht warst, setze dein Passwort sofort zurück.
mail-wrong-codes =
    .subject = Falsche Zwei-Faktor-Codes für dein Konto
    .told =
        Jemand hat das Passwort deines Kontos { $username } und danach mehrere falsche Zwei-Faktor-Codes eingegeben.
        Mit diesen Codes wurde niemand angemeldet, und es wurde nichts geändert.
    .act = Passwort zurücksetzen
    .advice = Wenn du das nicht warst, kennt jemand anderes dein Passwort. Setze es sofort zurück.
mail-token-created =
    .subject = Neuer API-Token
    .told = Für dein Konto { $username } wurde ein API-Token erstellt. Damit kann ein Programm für dich handeln.
    .act = API-Tokens ansehen
    .advice = Wenn du das nicht warst, widerrufe den Token und ändere jetzt dein Passwort.
mail-blocked =
    .subject = Dein Konto wurde gesperrt
    .told = Dein Konto { $username } wurde gesperrt. Du kannst lesen, aber nichts schreiben oder bewerten. Grund: { $reason }
    .act = Zu deinem Konto
    .advice = Auf der Seite deines Kontos kannst du deine Daten herunterladen. Wenn du das für einen Fehler hältst, wende dich an das Team der Website.
mail-blocked-until =
    .subject = Dein Konto wurde vorübergehend gesperrt
    .told = Dein Konto { $username } ist bis { $time } gesperrt. Du kannst lesen, aber nichts schreiben oder bewerten. Grund: { $reason }
    .act = Zu deinem Konto
    .advice = Auf der Seite deines Kontos kannst du deine Daten herunterladen. Wenn du das für einen Fehler hältst, wende dich an das Team der Website.
mail-unblocked =
    .subject = Dein Konto ist nicht mehr gesperrt
    .told = Mit deinem Konto { $username } kannst du wieder schreiben und bewerten.
    .advice = Wenn du das nicht erwartet hast, musst du nichts tun.
mail-post-taken-down =
    .subject = Dein Beitrag wurde herausgenommen
    .told =
        Dein Beitrag „{ $title }“ wurde gemeldet. Ein Mensch hat ihn geprüft und herausgenommen, weil er gegen { $law ->
            [yes] ein Gesetz
           *[no] die Regeln dieser Website
        } verstößt. Grund:
        { $reason }
        Der Beitrag ist jetzt ein Entwurf, den nur du siehst. Du kannst ihn bearbeiten, aber nicht veröffentlichen.
    .act = Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Diese Entscheidung ist hier endgültig. Du kannst weiterhin vor Gericht gehen.
           *[no] Bis { $until } kannst du auf der Seite der Entscheidung einmal Einspruch einlegen.
        }
mail-post-stays-published =
    .subject = Dein Beitrag wurde gemeldet und bleibt veröffentlicht
    .told =
        Dein Beitrag „{ $title }“ wurde gemeldet. Ein Mensch hat ihn geprüft und entschieden, dass er veröffentlicht bleibt. Grund:
        { $reason }
    .act = Entscheidung ansehen
    .advice = Du musst nichts tun.
mail-report-post-taken-down =
    .subject = Entscheidung über deine Meldung
    .told =
        Der Beitrag „{ $title }“, den du gemeldet hast, wurde herausgenommen, weil er gegen { $law ->
            [yes] ein Gesetz
           *[no] die Regeln dieser Website
        } verstößt. Grund:
        { $reason }
    .act = Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Danke für deine Meldung. Du musst nichts tun.
           *[no] Danke für deine Meldung. Du musst nichts tun. Falls jemand für den Beitrag Einspruch einlegt, wird der Fall noch einmal geprüft.
        }
mail-post-republished =
    .subject = Dein Beitrag ist wieder veröffentlicht
    .told =
        Dein Beitrag „{ $title }“ war herausgenommen. Der Fall wurde noch einmal geprüft, und der Beitrag ist unverändert wieder online. Grund:
        { $reason }
    .act = Entscheidung ansehen
    .advice = Du musst nichts tun.
mail-report-post-republished =
    .subject = Entscheidung über deine Meldung
    .told =
        Der Beitrag „{ $title }“, den du gemeldet hast, war herausgenommen. Der Fall wurde noch einmal geprüft, und der Beitrag ist wieder online. Grund:
        { $reason }
    .act = Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Diese Entscheidung ist hier endgültig. Du kannst weiterhin vor Gericht gehen.
           *[no] Bis { $until } kannst du auf der Seite der Entscheidung einmal Einspruch einlegen.
        }
mail-report-post-stays-published =
    .subject = Entscheidung über deine Meldung
    .told =
        Ein Mensch hat den Beitrag „{ $title }“ geprüft, den du gemeldet hast, und entschieden, dass er veröffentlicht bleibt. Grund:
        { $reason }
    .act = Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Diese Entscheidung ist hier endgültig. Du kannst weiterhin vor Gericht gehen.
           *[no] Bis { $until } kannst du auf der Seite der Entscheidung einmal Einspruch einlegen.
        }
mail-password-reset-by-staff =
    .subject = Wähle ein neues Passwort
    .told =
        Das Team der Website hat das Passwort deines Kontos { $username } zurückgesetzt und dich überall abgemeldet.
        Wähle ein neues Passwort, um dich wieder anzumelden. Der Link gilt eine Stunde; danach kannst du auf der Anmeldeseite einen neuen anfordern.
    .act = Neues Passwort wählen
    .advice = Wenn du nicht weißt, warum, wende dich an das Team der Website.
mail-post-unpublished =
    .subject = Dein Beitrag wurde zurückgezogen
    .told =
        Das Team der Website hat deinen Beitrag „{ $title }“ zurückgezogen. Grund:
        { $reason }
        Der Beitrag ist jetzt ein Entwurf und behält seine Bewertungen. Du kannst ihn bearbeiten und wieder veröffentlichen.
    .act = Zu deinem Beitrag
    .advice = Wenn du das für einen Fehler hältst, wende dich an das Team der Website.
mail-post-published =
    .subject = Dein Beitrag wurde veröffentlicht
    .told = Das Team der Website hat deinen Beitrag „{ $title }“ veröffentlicht.
    .act = Zum Beitrag
    .advice = Du kannst ihn jederzeit bearbeiten oder zurückziehen.
mail-post-returned =
    .subject = Dein Beitrag wurde zurückgegeben
    .told =
        Das Team der Website hat deinen Beitrag „{ $title }“ nicht veröffentlicht. Begründung:
        { $reason }
        Der Beitrag ist weiterhin ein Entwurf. Du kannst ihn ändern und erneut einreichen.
    .act = Beitrag bearbeiten
    .advice = Nur du kannst den Entwurf sehen.

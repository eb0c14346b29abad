
## What mails say. Each line is a paragraph; .act is what the link is called.

mail-hello = Hallo { $username },
mail-confirm =
    .subject = Bestätige deine E-Mail-Adresse
    .told = Jemand, wahrscheinlich du, hat diese Adresse für das Konto { $username } angegeben.
    .act = Diese Adresse bestätigen
    .advice =
        Der Link gilt drei Tage. Bis du ihn benutzt, wird sonst nichts hierher geschickt.
        Wenn du es nicht warst, tu nichts: Dann wird die Adresse nicht verwendet.
mail-reset =
    .subject = Wähle ein neues Passwort
    .told = Jemand, wahrscheinlich du, hat um ein neues Passwort für das Konto { $username } gebeten.
    .act = Ein neues Passwort wählen
    .advice =
        Der Link gilt eine Stunde und nur einmal. Wer ihn benutzt, meldet das Konto überall ab.
        Wenn du es nicht warst, tu nichts: Dein Passwort bleibt, wie es ist.
mail-password-changed =
    .subject = Dein Passwort wurde geändert
    .told = Das Passwort des Kontos { $username } wurde gerade geändert.
    .act = Ein neues Passwort wählen
    .advice = Wenn du es nicht warst, wähle sofort ein neues.
mail-address-changed =
    .subject = Deine E-Mail-Adresse wurde geändert
    .told =
        Das Konto { $username } hat jetzt eine andere E-Mail-Adresse: { $email }.
        Das ist die letzte E-Mail zu diesem Konto, die hierher geht.
    .advice = Wenn du es nicht warst, sag es denen, die die Website betreiben.
mail-approved =
    .subject = Du darfst jetzt veröffentlichen
    .told = Das Konto { $username } darf jetzt Beiträge veröffentlichen. Deine Entwürfe sind unverändert.
    .act = Deine Seite
    .advice = Falls du das nicht erwartet hast, musst du nichts tun.
mail-deletion-asked =
    .subject = Dein Konto wird gelöscht
    .told =
        Jemand mit dem Passwort des Kontos { $username } hat darum gebeten, es zu löschen.
        { $posts ->
                [yes] Seine Beiträge sollen mit gelöscht werden.
               *[no] Seine veröffentlichten Beiträge sollen bleiben.
            }
        Es wird am { $time } gelöscht. Bis dahin kannst du zurückkommen: Melde dich an und behalte es.
    .act = Anmelden
    .advice = Wenn du es nicht warst, melde dich an, behalte es und ändere dein Passwort.
mail-deleted =
    .subject = Dein Konto ist gelöscht
    .told = Das Konto { $username } ist gelöscht, wie vor einer Woche gewünscht.
    .advice = Das ist die letzte E-Mail dazu.
mail-factor-on =
    .subject = Dein zweiter Faktor ist eingeschaltet
    .told = Wer sich beim Konto { $username } anmeldet, braucht jetzt den Code einer Authenticator-App.
    .act = Ein neues Passwort wählen
    .advice = Wenn du es nicht warst, wähle sofort ein neues Passwort.
mail-factor-off =
    .subject = Dein zweiter Faktor ist ausgeschaltet
    .told = Wer sich beim Konto { $username } anmeldet, braucht keinen Code mehr: Das Passwort allein genügt.
    .act = Ein neues Passwort wählen
    .advice = Wenn du es nicht warst, wähle sofort ein neues Passwort.
mail-recovery-code =
    .subject = Ein Wiederherstellungscode wurde benutzt
    .told =
        Jemand hat sich beim Konto { $username } mit einem Wiederherstellungscode angemeldet. { $left ->
                [one] { $left } ist noch übrig.
               *[other] { $left } sind noch übrig.
            }
    .act = Ein neues Passwort wählen
    .advice = Wenn du es nicht warst, wähle sofort ein neues Passwort.
mail-wrong-codes =
    .subject = Falsche Zwei-Faktor-Codes für dein Konto
    .told =
        Jemand hat das Passwort des Kontos { $username } eingegeben und danach mehrere falsche Zwei-Faktor-Codes.
        Mit diesen Codes wurde niemand angemeldet, und es wurde nichts geändert.
    .act = Ein neues Passwort wählen
    .advice = Wenn du es nicht warst, kennt jemand dein Passwort: Wähle sofort ein neues.
mail-blocked =
    .subject = Dein Konto ist gesperrt
    .told = Das Konto { $username } kann lesen, aber nichts mehr schreiben oder bewerten. Der Grund: { $reason }
    .act = Dein Konto
    .advice = Dort kannst du deine Daten mitnehmen. Wenn du das für falsch hältst, sag es denen, die die Website betreiben.
mail-blocked-until =
    .subject = Dein Konto ist für eine Zeit gesperrt
    .told = Bis { $time } kann das Konto { $username } lesen, aber nichts schreiben oder bewerten. Der Grund: { $reason }
    .act = Dein Konto
    .advice = Dort kannst du deine Daten mitnehmen. Wenn du das für falsch hältst, sag es denen, die die Website betreiben.
mail-unblocked =
    .subject = Dein Konto ist nicht mehr gesperrt
    .told = Das Konto { $username } kann wieder schreiben und bewerten.
    .advice = Wenn du das nicht erwartet hast, brauchst du nichts zu tun.
mail-post-taken-down =
    .subject = Dein Beitrag wurde herausgenommen
    .told =
        Dein Beitrag „{ $title }“ wurde herausgenommen, weil er { $law ->
            [yes] gegen ein Gesetz
           *[no] gegen die Regeln dieser Website
        } verstößt. Er wurde gemeldet, und ein Mensch hat entschieden. Der Grund:
        { $reason }
        Er ist jetzt ein Entwurf, den nur du siehst. Du kannst ihn ändern, aber nicht veröffentlichen.
    .act = Die Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Das ist hier endgültig. Der Weg zu einem Gericht steht dir weiter offen.
           *[no] Bis { $until } kannst du dort einmal widersprechen.
        }
mail-post-kept =
    .subject = Dein Beitrag wurde gemeldet und bleibt
    .told =
        Dein Beitrag „{ $title }“ wurde gemeldet. Ein Mensch hat ihn angesehen, und er bleibt. Der Grund:
        { $reason }
    .act = Die Entscheidung ansehen
    .advice = Du brauchst nichts zu tun.
mail-report-taken-down =
    .subject = Was aus deiner Meldung wurde
    .told =
        Der Beitrag „{ $title }“, den du gemeldet hast, wurde herausgenommen, weil er { $law ->
            [yes] gegen ein Gesetz
           *[no] gegen die Regeln dieser Website
        } verstößt. Der Grund:
        { $reason }
    .act = Die Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Danke. Du brauchst nichts zu tun.
           *[no] Danke. Du brauchst nichts zu tun. Wer ihn geschrieben hat, kann widersprechen; dann wird neu entschieden.
        }
mail-post-put-back =
    .subject = Dein Beitrag ist wieder veröffentlicht
    .told =
        Dein Beitrag „{ $title }“ war herausgenommen. Es wurde neu entschieden, und er bleibt, wie er war. Der Grund:
        { $reason }
    .act = Die Entscheidung ansehen
    .advice = Du brauchst nichts zu tun.
mail-report-put-back =
    .subject = Was aus deiner Meldung wurde
    .told =
        Der Beitrag „{ $title }“, den du gemeldet hast, war herausgenommen. Es wurde neu entschieden, und er ist wieder veröffentlicht. Der Grund:
        { $reason }
    .act = Die Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Das ist hier endgültig. Der Weg zu einem Gericht steht dir weiter offen.
           *[no] Bis { $until } kannst du dort einmal widersprechen.
        }
mail-report-kept =
    .subject = Was aus deiner Meldung wurde
    .told =
        Der Beitrag „{ $title }“, den du gemeldet hast, bleibt. Ein Mensch hat entschieden. Der Grund:
        { $reason }
    .act = Die Entscheidung ansehen
    .advice =
        { $final ->
            [yes] Das ist hier endgültig. Der Weg zu einem Gericht steht dir weiter offen.
           *[no] Bis { $until } kannst du dort einmal widersprechen.
        }
mail-password-taken =
    .subject = Wähle ein neues Passwort
    .told =
        Wer die Website betreibt, hat das Passwort des Kontos { $username } beendet und es überall abgemeldet.
        Wähle ein neues, um dich wieder anzumelden. Der Link gilt eine Stunde; danach bekommst du beim Anmelden einen anderen.
    .act = Neues Passwort wählen
    .advice = Wenn du nicht weißt, warum, frag die, die die Website betreiben.
mail-post-unpublished =
    .subject = Dein Beitrag wurde zurückgezogen
    .told =
        Wer die Website betreibt, hat deinen Beitrag „{ $title }“ zurückgezogen. Der Grund:
        { $reason }
        Er ist jetzt ein Entwurf, seine Bewertungen bleiben. Du kannst ihn ändern und wieder veröffentlichen.
    .act = Dein Beitrag
    .advice = Wenn du das für falsch hältst, sag es denen, die die Website betreiben.

desk-title = Schreibtisch
desk-what = Für alle, die diese Website betreiben. Andere erfahren nicht, dass es ihn gibt.
desk-invitations = Links, über die sich Leute registrieren können, und wer darüber kam.
log-title = Wer hat was getan?
log-what = Was das Team entscheidet, was Leute an ihren Konten ändern und was die Website von selbst tut. Keine Passwörter, Texte oder E-Mails.
log-none = Nichts dergleichen ist geschehen, oder es ist zu lange her.
log-any-act = Alles
log-filter = Anzeigen
log-all = Alles zeigen
log-nobody = Die Website, oder jemand, der nicht mehr da ist
log-post = Beitrag { $id }

## What was done

act-days-void = Tage aus einer Wertung herausgenommen
act-days-restore = Tage wieder in eine Wertung aufgenommen
act-post-change = Beitrag von jemandem geändert
act-post-delete = Beitrag von jemandem gelöscht
act-post-unpublish = Beitrag von jemandem zurückgezogen
act-author-approve = jemandem das Veröffentlichen erlaubt
act-author-disapprove = jemandem das Veröffentlichen nicht mehr erlaubt
act-invitation-make = Einladung gemacht
act-invitation-end = Einladung beendet
act-staff-make = Konto für das Team angelegt
act-password-change = Passwort geändert
act-password-reset = Passwort per E-Mail neu gesetzt
act-email-change = E-Mail-Adresse geändert
act-second-factor-on = zweiten Faktor eingeschaltet
act-second-factor-off = zweiten Faktor ausgeschaltet
act-second-factor-codes = neue Wiederherstellungscodes erstellt
act-sessions-end = anderswo abgemeldet
act-deletion-ask = Löschung eines Kontos verlangt
act-deletion-cancel = Konto doch behalten
act-account-erase = Konto nach Ablauf der Woche gelöscht

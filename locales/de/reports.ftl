report-title = Diesen Beitrag melden
report-description = Beschreibe, was an diesem Beitrag nicht in Ordnung ist. Ein Mensch prüft deine Meldung; Beiträge werden nicht allein deshalb entfernt, weil viele sie melden. Wer den Beitrag geschrieben hat, erfährt nicht, wer du bist.
report-illegal = Rechtswidriger Inhalt
report-harassment = Belästigung oder Drohungen
report-privacy = Private Informationen
report-copyright = Werk von jemand anderem
report-spam = Werbung oder Spam
report-other = Etwas anderes
report-explanation-hint = Nenne die Stelle und erkläre, was daran nicht in Ordnung ist, bei einem Rechtsverstoß auch das Gesetz. Höchstens 3.000 Zeichen.
report-confirmation = Mit dem Absenden bestätigst du, dass deine Angaben nach bestem Wissen richtig sind.
report-guest = Du bist nicht angemeldet und bekommst deshalb einen Link, unter dem du den Stand deiner Meldung siehst.
report-send = Meldung absenden
done-reported = Danke! Deine Meldung ist eingegangen und wird geprüft.
reports-title = Meldungen und Entscheidungen
reports-none = Du hast keine Beiträge gemeldet, und zu deinen Beiträgen gibt es keine Entscheidungen.
reports-your-post = Dein Beitrag
reports-your-report = Deine Meldung
case-title = Stand der Meldung
case-of-author = Entscheidung über deinen Beitrag
case-of-reporter = Stand deiner Meldung
case-save-url = Speichere die URL dieser Seite. Ohne sie findest du deine Meldung nicht wieder.
case-your-report = Deine Meldung
case-decision = Entscheidung
case-pending = Noch keine Entscheidung.
case-human-decision = Von einem Menschen entschieden
case-draft-hint = Solange diese Entscheidung gilt, bleibt der Beitrag ein Entwurf, den nur du siehst. Du kannst ihn bearbeiten, aber nicht veröffentlichen.
ruling-kept = Der Beitrag bleibt online.
ruling-taken-down = Der Beitrag wurde entfernt, weil er gegen die Regeln dieser Website verstößt.
ruling-taken-down-law = Der Beitrag wurde entfernt, weil er rechtswidrig ist.
ruling-post-deleted = Der Beitrag wurde gelöscht, bevor eine Entscheidung fiel.
ground-law = Entfernen: rechtswidrig
ground-rules = Entfernen: verstößt gegen die Regeln dieser Website
case-appeal = Einspruch
case-author-appealed = Wer den Beitrag geschrieben hat, hat Einspruch eingelegt.
case-reporter-appealed = Jemand, der den Beitrag gemeldet hat, hat Einspruch eingelegt.
case-other-appealed = Jemand anderes, der den Beitrag gemeldet hat, hat Einspruch eingelegt.
case-appeal-pending = Über den Einspruch ist noch nicht entschieden. Wenn möglich, entscheidet jemand anderes.
case-final = Diese Entscheidung ist hier endgültig. Der Rechtsweg steht dir weiterhin offen.
case-appeal-form = Einspruch gegen diese Entscheidung
case-appeal-description = Bis { $time } kannst du einmal Einspruch einlegen. Begründe, warum anders entschieden werden soll; dann wird der Fall noch einmal geprüft.
case-appeal-send = Einspruch einlegen
case-no-action-needed = Du musst nichts tun.
done-appealed = Dein Einspruch ist eingegangen. Der Fall wird noch einmal geprüft.
draft-taken-down = Das Team hat diesen Beitrag entfernt. Du kannst ihn bearbeiten, aber nicht veröffentlichen, solange die Entscheidung gilt. <a href="{ $path }">Grund und weitere Schritte ansehen</a>
drafts-taken-down = vom Team entfernt
ruling-kept-but-down = In diesem Fall bleibt der Beitrag, er ist aber wegen einer anderen Entscheidung entfernt.
ruling-kept-draft = Der Beitrag bleibt, ist aber aus einem anderen Grund jetzt ein Entwurf.
ruling-post-deleted-appeal = Der Beitrag wurde gelöscht, bevor über den Widerspruch entschieden wurde.
draft-unpublished =
    Das Team hat { $page ->
        [yes] diese Seite zurückgezogen. Nur du kannst sie sehen. Du kannst sie bearbeiten und wieder veröffentlichen.
       *[no] diesen Beitrag zurückgezogen. Nur du kannst ihn sehen. Du kannst ihn bearbeiten und wieder veröffentlichen.
    }
case-earlier-decision = Frühere Entscheidung
case-may-appeal = Gegen diese Entscheidung kann bis { $time } noch Einspruch einlegen, wer den Beitrag geschrieben hat.
ruling-published-again = Der Beitrag ist wieder veröffentlicht.
case-you-appealed = Du hast Einspruch eingelegt.
case-appeal-not-submitted = Einspruch nicht gesendet

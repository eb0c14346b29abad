
## Lists of posts.

by = von
minutes-to-read = { $count } Min. Lesezeit
changed-on = geändert { $day }
list-new = Neueste Beiträge
list-top = Am besten bewertet
list-tag = #{ $tag }
list-title-search = Suche: { $q }
list-description = Beiträge, und was Leserinnen und Leser von ihnen halten: Bewertungen, die keine Menge im Handumdrehen hoch- oder herunterzieht.
list-description-tag = Beiträge über { $tag }.
list-about = Über diese Website
list-welcome = Was die Wertung eines Beitrags auslässt, und warum, steht daneben.
list-topics = Themen:
list-writers = Autorinnen und Autoren:
list-order = Reihenfolge
list-order-new = Neu
list-order-top = Beste
list-top-how = Beiträge mit wenigen Bewertungen zählen weniger: Jeder steht da, als hätten ihm zehn weitere Menschen drei Sterne gegeben.
list-count =
    { $count ->
            [one] { $count } Beitrag.
           *[other] { $count } Beiträge.
        }
list-count-or-more = { $count } Beiträge oder mehr.
list-posts-about = Beiträge über <bdi>#{ $tag }</bdi>
list-posts-by = Beiträge von <bdi>{ $name }</bdi>
list-all = Alle Beiträge
list-too-common = <q dir="auto">{ $q }</q> nennt nichts, was nur wenige Texte haben. Füge ein Wort hinzu, nach dem gesucht werden soll.
list-not-found = Für <q dir="auto">{ $q }</q> wurde kein Beitrag gefunden. Weniger oder andere Wörter helfen vielleicht.
list-no-tag = Kein Beitrag hat dieses Schlagwort.
list-empty = Noch wurde nichts geschrieben.
list-write-first = <a href="/blogs/create/">Schreib den ersten Beitrag</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">Registriere dich</a> und schreib den ersten Beitrag.
list-unclaimed = Noch betreibt niemand diese Website. Wenn sie dir gehört, öffne den Link, den sie beim Start ausgegeben hat, oder <a href="/users/owner/">leg dein Konto mit dem Code darin an</a>.
list-partial = Sehr viele Beiträge passen, deshalb wurden nur die neuesten angesehen. Mehr Wörter finden weniger.

## The page of an author.

author-description = Beiträge von { $name }.
author-since = Hier seit { $day }
author-may-publish = Darf veröffentlichen.
author-forbid = Nicht mehr veröffentlichen lassen
author-may-not-publish = Darf noch nicht veröffentlichen.
author-allow = Veröffentlichen lassen
author-no-posts = Noch keine Beiträge.
own-label = Deine eigenen
written-by = Geschrieben von <a href="{ $path }"><bdi>{ $name }</bdi></a>
author-more = Mehr von dieser Person
author-feed = Als Feed
other-posts = Andere Beiträge
earlier = Früher
later = Später
contents = Inhalt

## Drafts.

drafts-title = Deine Entwürfe
drafts-none = Es gibt keine.
drafts-private = Niemand außer dir kann sie sehen.
drafts-may-not-publish = Du darfst sie noch nicht veröffentlichen: Wer darf, bestimmen die Betreibenden dieser Website.
drafts-scheduled = wird am { $time } veröffentlicht
drafts-look = Ansehen
draft-private = Das ist ein Entwurf. Niemand außer dir kann ihn sehen.
draft-scheduled = Das ist ein Entwurf. Er wird am { $time } veröffentlicht; bis dahin kann ihn niemand außer dir sehen.
draft-may-not-publish = Das ist ein Entwurf. Niemand außer dir kann ihn sehen, und du darfst ihn noch nicht veröffentlichen.
publish = Veröffentlichen
publish-now = Jetzt veröffentlichen

## Deleting and unpublishing.

edit = Bearbeiten
delete = Löschen
unpublish = Zurückziehen
delete-post-title = Einen Beitrag löschen
delete-post-heading = Diesen Beitrag löschen?
delete-post-no-ratings = Er hat keine Bewertungen.
delete-post-ratings =
    { $count ->
            [one] Seine { $count } Bewertung geht mit.
           *[other] Seine { $count } Bewertungen gehen mit.
        }
delete-post-for-good = Das lässt sich nicht rückgängig machen.
delete-post-button = Beitrag löschen
delete-post-keep = Behalten
unpublish-title = Einen Beitrag zurückziehen
unpublish-heading = Diesen Beitrag zurückziehen?
unpublish-what = Er wird ein Entwurf: Nur wer ihn geschrieben hat, sieht ihn. Links auf ihn führen ins Leere, bis er wieder veröffentlicht wird; dann führen sie wie zuvor zu ihm.
unpublish-ratings =
    { $count ->
            [one] Seine { $count } Bewertung bleibt erhalten und zählt dann wieder.
           *[other] Seine { $count } Bewertungen bleiben erhalten und zählen dann wieder.
        }
unpublish-keep = Veröffentlicht lassen

## The form for writing.

write-title = Einen Beitrag schreiben
write-edit-post = Beitrag bearbeiten
write-edit-draft = Entwurf bearbeiten
write-signed-out = Was du geschrieben hast, steht unten und ist noch nicht gespeichert. <a href="/users/login/" target="_blank">Melde dich in einem anderen Tab an</a> und drücke dann hier den Knopf noch einmal.
write-unsafe =
    { $count ->
            [one] Ein Link steht im Verdacht, unsicher zu sein
           *[other] { $count } Links stehen im Verdacht, unsicher zu sein
        }
write-unsafe-what = Solange das so ist, sehen andere den Text mit einer Warnung statt des Links. Du kannst ihn lassen oder herausnehmen.
write-unsafe-known = was bekannt ist
write-unsafe-more = und { $count } weitere
content-hint = In Markdown: **fett**, *kursiv*, [Links](https://…), # Überschriften, Listen, Tabellen, Fußnoten[^1] und ```Code```. HTML wird gezeigt, wie es getippt ist. Bilder lassen sich hierher ziehen, einfügen oder unten hinzufügen; die von anderswo werden nicht gezeigt: Ein Link steht für sie.
image-add-heading = Ein Bild hinzufügen
image-hint = PNG, JPEG, WebP, AVIF oder GIF, bis 10 MiB. Was Kameras hineinschreiben, etwa den Ort, wird nicht aufgehoben.
alt-hint = In einem Satz, für alle, die es nicht sehen.
alt-hint-own = In einem Satz, für alle, die es nicht sehen. Lass es leer, wo der Text es schon sagt.
image-add-to-text = In den Text einfügen
image-make-cover = Zum Bild des Beitrags machen
tags-hint = Bis zu zehn, mit Kommas dazwischen.
details-heading = Adresse, Auszug und Bild
details-heading-later = Später veröffentlichen; Adresse, Auszug und Bild
publish-at-hint = Datum und Uhrzeit in { $zone }. Bis dahin ist es ein Entwurf.
slug-hint = Die Wörter in seiner Adresse; ohne Angabe die des Titels. Alte Adressen führen zur neuen weiter.
excerpt-hint = Ein oder zwei Sätze für Listen und Feeds; ohne Angabe der erste Absatz.
cover-hint = Für Feeds und wo der Beitrag geteilt wird. Eins deiner Bilder hier (/images/…) steht auch über dem Text; die von anderswo (https://…) zeigt diese Website nicht.
write-may-not-any-more = Du darfst hier nicht mehr veröffentlichen, deshalb kannst du Veröffentlichtes nicht ändern. Zurückziehen oder löschen kannst du es.
write-may-not-yet = Du darfst hier noch nicht veröffentlichen: Wer darf, bestimmen die Betreibenden dieser Website. Du kannst einen Entwurf speichern und ihn veröffentlichen, sobald du darfst.
save-draft = Entwurf speichern
save-changes = Änderungen speichern
preview = Vorschau
cancel = Abbrechen

## What somebody else has saved in between.

theirs-heading = Was inzwischen gespeichert wurde
theirs-saved = Gespeichert am { $time }, als Fassung { $version }. Deine ist noch nicht gespeichert.
theirs-none = nichts
theirs-same = Die Texte sind gleich.
theirs-differences = Unterschiede
theirs-only-saved = nur gespeichert:
theirs-only-yours = nur deins:
theirs-marks = − steht nur im Gespeicherten, + nur in deinem.
theirs-keep-mine = Meine behalten
theirs-keep-mine-what = <strong>Meine behalten:</strong> Was unten steht, ersetzt das Gespeicherte.
theirs-take = Die andere nehmen
theirs-take-what = <strong>Die andere nehmen:</strong> Das Gespeicherte bleibt, ohne deine Fassung.
theirs-edit-both = <strong>Beide zusammenführen:</strong> Ändere den Text unten, mit dem Gespeicherten daneben, und speichere ihn.
theirs-whole = Der ganze gespeicherte Text
theirs-text = Der gespeicherte Text
theirs-yours = Deine Fassung

## What is wrong with a post's fields.

invalid-status = Wähle `draft` oder `published`.
invalid-no-title = Ein Beitrag braucht einen Titel.
invalid-no-text = Ein Beitrag braucht etwas Text.
invalid-too-many-bytes = Höchstens { $most } Bytes; das sind { $count }.
invalid-tag = „{ $tag }“ ist kein Schlagwort: Nimm 1 bis 30 Buchstaben, Ziffern, Bindestriche und Unterstriche.
invalid-too-many-tags = Höchstens { $most } Schlagwörter; das sind { $count }.
invalid-no-strings = Das muss eine Liste von Zeichenketten sein.
invalid-slug = Nimm Buchstaben oder Ziffern.
invalid-excerpt = Nimm mindestens einen Buchstaben, oder lass es leer.
invalid-cover = Nimm die Adresse eines deiner Bilder hier (/images/…), oder eine, die mit https:// beginnt, keinen Benutzernamen enthält und höchstens 500 Bytes lang ist.
invalid-version = Das muss eine Fassung des Beitrags sein.
invalid-not-added = „{ $name }“ ist noch nicht eingefügt. Wähle es noch einmal und drücke erst „In den Text einfügen“, oder speichere, ohne es zu wählen.
invalid-spot = Wähle `text` oder `cover`.
invalid-time = Nimm Datum und Uhrzeit, etwa 2026-01-31T18:00.
invalid-time-skipped = Diese Uhrzeit gibt es in { $zone } nicht: Da werden die Uhren vorgestellt.
invalid-time-past = Wähle eine Zeit, die noch kommt, oder lass das leer.
invalid-time-far = Wähle eine Zeit in den nächsten zehn Jahren.
invalid-published-already = Dieser Beitrag ist schon veröffentlicht. Zieh ihn zurück, um ihn später wieder zu veröffentlichen.
invalid-is-published = Dieser Beitrag ist veröffentlicht. Speichere deine Änderungen für alle, oder zieh ihn erst zurück.
invalid-search-characters = Suche nach höchstens { $most } Zeichen.
invalid-search-words = Suche nach höchstens { $most } Wörtern.
invalid-order = Wähle `new` oder `top`.

## What an act has done, and what an author should know.

done-with-notice = { $done } { $notice }
done-draft-saved = Dein Entwurf ist gespeichert.
done-changes-saved = Deine Änderungen sind gespeichert.
done-published = Veröffentlicht.
done-scheduled = { $done } Er wird am { $time } veröffentlicht.
done-unpublished =
    Zurückgezogen: Er ist wieder ein Entwurf.{ $ratings ->
            [yes] {" "}Seine Bewertungen bleiben erhalten.
           *[no] {""}
        }
done-draft-deleted = Der Entwurf ist gelöscht.
done-post-deleted = Der Beitrag ist gelöscht, mit seinen Bewertungen.
done-image-in-text = Dein Bild steht am Ende des Textes. Verschiebe seine Zeile dorthin, wo es hingehört.
done-image-is-cover = Es ist jetzt das Bild dieses Beitrags.
done-image-post-unsaved = Der Beitrag selbst ist noch nicht gespeichert.
notice-suspected =
    { $count ->
            [one] Er führt zu { $address }, und das steht im Verdacht, unsicher zu sein: Andere sehen statt des Links eine Warnung.
           *[other] Er führt zu { $count } Orten, die im Verdacht stehen, unsicher zu sein, darunter { $address }: Andere sehen statt der Links Warnungen.
        }
notice-much-code = Er enthält viel Code: Ab einer Stelle wird der ohne Farben gezeigt.
notice-too-much = Er enthält mehr Links, Fußnoten, Tabellen und andere Auszeichnungen, als eine Seite zeigen kann, deshalb wird er gezeigt, wie du ihn getippt hast. Nimm weniger davon, oder teile ihn auf mehrere Beiträge auf.

## Inside of texts, in the language of the text.

text-image = Bild:{" "}
text-suspected = (verdächtiger Link)
text-suspected-link = verdächtiger Link
text-hidden-address = eine Adresse

## The language of a post.

text-language-hint = In welcher Sprache der Beitrag ist, für die Suche und für alle, die ihn sich vorlesen lassen.
text-language-found = Aus dem Text erkannt
invalid-text-language = Nimm das Kürzel einer Sprache wie en, de oder fa.


## Lists of posts.

by = von
minutes-to-read = { $count } Min. Lesezeit
changed-on = geändert am { $day }
list-new = Neueste Beiträge
list-top = Am besten bewertet
list-tag = #{ $tag }
list-title-search = Suche: { $q }
list-description = Beiträge, und was Leserinnen und Leser von ihnen halten: Bewertungen, die kein Ansturm im Handumdrehen hoch- oder herunterzieht.
list-description-tag = Beiträge über { $tag }.
list-about = Über diese Website
list-welcome = Neben jeder Wertung steht, welche Bewertungen sie nicht zählt und warum.
list-topics = Themen:
list-writers = Autorinnen und Autoren:
list-order = Reihenfolge
list-order-new = Neueste
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
list-too-common = Nach <q dir="auto">{ $q }</q> allein lässt sich nicht suchen: Das passt auf zu viele Texte. Füge ein Wort hinzu, nach dem gesucht werden soll.
list-not-found = Für <q dir="auto">{ $q }</q> wurde kein Beitrag gefunden. Weniger oder andere Wörter helfen vielleicht.
list-no-tag = Kein Beitrag hat dieses Schlagwort.
list-empty = Hier wurde noch nichts geschrieben.
list-write-first = <a href="/blogs/create/">Schreib den ersten Beitrag</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">Registriere dich</a> und schreib den ersten Beitrag.
list-unclaimed = Noch betreibt niemand diese Website. Wenn sie dir gehört, öffne den Link, den sie beim Start ausgegeben hat, oder <a href="/users/owner/">leg dein Konto mit dem Code aus diesem Link an</a>.
list-partial = Sehr viele Beiträge passen, deshalb wurden nur die neuesten durchsucht. Mit mehr Wörtern findest du weniger.

## The page of an author.

author-description = Beiträge von { $name }.
author-since = Hier seit { $day }
author-may-publish = Darf veröffentlichen.
author-forbid = Veröffentlichen nicht mehr erlauben
author-may-not-publish = Darf noch nicht veröffentlichen.
author-allow = Veröffentlichen erlauben
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
            [one] Seine { $count } Bewertung wird mit gelöscht.
           *[other] Seine { $count } Bewertungen werden mit gelöscht.
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
write-unsafe-what = Solange das so ist, sehen andere den Text mit einer Warnung statt des Links. Du kannst das so lassen oder herausnehmen, was verdächtig ist.
write-unsafe-known = was bekannt ist
write-unsafe-more = und { $count } weitere
content-hint = In Markdown: **fett**, *kursiv*, [Links](https://…), # Überschriften, Listen, Tabellen, Fußnoten[^1] und ```Code```. HTML wird so gezeigt, wie du es tippst. Bilder kannst du hierher ziehen, einfügen oder unten hinzufügen; statt Bildern von anderswo steht da ein Link.
image-add-heading = Ein Bild hinzufügen
image-hint = PNG, JPEG, WebP oder GIF, bis 10 MiB. Was Kameras hineinschreiben, etwa den Ort, wird nicht gespeichert.
alt-hint = In einem Satz, für alle, die es nicht sehen.
alt-hint-own = In einem Satz, für alle, die es nicht sehen. Lass es leer, wo der Text es schon sagt.
image-add-to-text = In den Text einfügen
image-make-cover = Als Titelbild verwenden
tags-hint = Bis zu zehn, mit Kommas dazwischen.
details-heading = Adresse, Auszug und Bild
details-heading-later = Später veröffentlichen; Adresse, Auszug und Bild
publish-at-hint = Datum und Uhrzeit in { $zone }. Bis dahin ist es ein Entwurf.
slug-hint = Die Wörter in der Adresse des Beitrags; ohne Angabe die des Titels. Alte Adressen führen weiter zur neuen.
excerpt-hint = Ein oder zwei Sätze für Listen und Feeds; ohne Angabe der erste Absatz.
cover-hint = Für Feeds und überall, wo der Beitrag geteilt wird. Eins deiner Bilder hier (/images/…) steht auch über dem Text; die von anderswo (https://…) zeigt diese Website nicht.
write-may-not-any-more = Du darfst hier nicht mehr veröffentlichen, deshalb kannst du Veröffentlichtes nicht ändern. Zurückziehen oder löschen kannst du es.
write-may-not-yet = Du darfst hier noch nicht veröffentlichen: Wer darf, bestimmen die Betreibenden dieser Website. Du kannst einen Entwurf speichern und ihn veröffentlichen, sobald du darfst.
save-draft = Entwurf speichern
save-changes = Änderungen speichern
preview = Vorschau
cancel = Abbrechen

## What somebody else has saved in between.

theirs-heading = Was inzwischen gespeichert wurde
theirs-saved = Gespeichert: { $time }, als Fassung { $version }. Deine ist noch nicht gespeichert.
theirs-none = leer
theirs-same = Die Texte sind gleich.
theirs-differences = Unterschiede
theirs-only-saved = nur gespeichert:
theirs-only-yours = nur deins:
theirs-marks = − steht nur im Gespeicherten, + nur in deiner Fassung.
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
invalid-too-many-bytes = Höchstens { $most } Bytes; hier sind es { $count }.
invalid-tag = „{ $tag }“ ist kein Schlagwort: Nimm 1 bis 30 Buchstaben, Ziffern, Bindestriche und Unterstriche.
invalid-too-many-tags = Höchstens { $most } Schlagwörter; hier sind es { $count }.
invalid-no-strings = Das muss eine Liste von Zeichenketten sein.
invalid-slug = Nimm Buchstaben oder Ziffern.
invalid-excerpt = Nimm mindestens einen Buchstaben, oder lass es leer.
invalid-cover = Nimm die Adresse eines deiner Bilder hier (/images/…), oder eine, die mit https:// beginnt, keinen Benutzernamen enthält und höchstens 500 Bytes lang ist.
invalid-version = Das muss eine Fassung des Beitrags sein.
invalid-not-added = „{ $name }“ ist noch nicht eingefügt. Wähle es noch einmal und drücke erst „In den Text einfügen“, oder speichere, ohne es zu wählen.
invalid-spot = Wähle `text` oder `cover`.
invalid-time = Nimm Datum und Uhrzeit, etwa 2026-01-31T18:00.
invalid-time-skipped = Diese Uhrzeit gibt es in { $zone } nicht: Da werden die Uhren vorgestellt.
invalid-time-past = Wähle einen Zeitpunkt in der Zukunft, oder lass das Feld leer.
invalid-time-far = Wähle einen Zeitpunkt innerhalb der nächsten zehn Jahre.
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
done-scheduled = { $done } Der Beitrag wird am { $time } veröffentlicht.
done-unpublished =
    Zurückgezogen: Der Beitrag ist wieder ein Entwurf.{ $ratings ->
            [yes] {" "}Seine Bewertungen bleiben erhalten.
           *[no] {""}
        }
done-draft-deleted = Der Entwurf ist gelöscht.
done-post-deleted = Der Beitrag und seine Bewertungen sind gelöscht.
done-image-in-text = Dein Bild steht am Ende des Textes. Verschiebe seine Zeile dorthin, wo es hingehört.
done-image-is-cover = Es ist jetzt das Titelbild dieses Beitrags.
done-image-post-unsaved = Der Beitrag selbst ist noch nicht gespeichert.
notice-suspected =
    { $count ->
            [one] Der Text führt zu { $address }. Das steht im Verdacht, unsicher zu sein: Andere sehen statt des Links eine Warnung.
           *[other] Der Text führt zu { $count } Adressen, die im Verdacht stehen, unsicher zu sein, darunter { $address }: Andere sehen statt der Links Warnungen.
        }
notice-much-code = Der Text enthält viel Code: Ab einer bestimmten Stelle wird der ohne Farben gezeigt.
notice-too-much = Der Text enthält mehr Links, Fußnoten, Tabellen und andere Formatierungen, als eine Seite zeigen kann, deshalb wird er so gezeigt, wie du ihn getippt hast. Nimm weniger davon, oder teile ihn auf mehrere Beiträge auf.

## Inside of texts, in the language of the text.

text-image = Bild:{" "}
text-suspected = (verdächtiger Link)
text-suspected-link = verdächtiger Link
text-hidden-address = eine Adresse

## The language of a post.

text-language-hint = In welcher Sprache der Beitrag geschrieben ist, für die Suche und für alle, die ihn sich vorlesen lassen.
text-language-found = Aus dem Text erkannt
invalid-text-language = Nimm das Kürzel einer Sprache wie en, de oder fa.
drafts-changed = zuletzt geändert: { $time }
list-guess = Kein Beitrag hat diese Wörter. Meintest du vielleicht einen dieser Titel?

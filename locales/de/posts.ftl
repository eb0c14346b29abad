
## Post lists.

by = von
minutes-to-read = { $count } Min. Lesezeit
changed-on = aktualisiert am { $day }
list-new = Neueste Beiträge
list-top = Am besten bewertete Beiträge
list-tag = #{ $tag }
list-title-search = Suche: { $q }
list-description-tag = Beiträge über { $tag }.
list-about = Über diese Website
list-explanation = Jede Person bewertet einen Beitrag einmal. Ab { $enough } Bewertungen zählen plötzliche Wellen von Bewertungen weniger oder gar nicht, sodass keine Gruppe die Wertung verschieben kann. Jeder Beitrag zeigt, welche Bewertungen zählen und warum.
list-how = Wie Bewertungen geschützt werden
list-how-once = Jedes Konto hat eine Bewertung für jeden Beitrag. Du kannst sie jederzeit ändern, aber keine zweite abgeben.
list-how-blocked = Wenn auf einmal viel mehr Bewertungen als üblich kommen, kann die Website einige davon eine Zeit lang abweisen.
list-how-weight = Ein Tag mit vielen Bewertungen hat in der Wertung kaum mehr Gewicht als ein üblicher, sodass ein Tag nicht die Leserinnen und Leser vieler Monate überstimmen kann.
list-how-open = Nichts ist verborgen: Die Seite „Bewertungsverlauf“ jedes Beitrags zeigt abgewiesene Bewertungen, und welche Bewertungen nicht zählen und warum.
list-example =
    { $count ->
            [one] Ein Versuch, „{ $title }“ zu bewerten, wurde
           *[other] { $count } Versuche, „{ $title }“ zu bewerten, wurden
        } in den letzten 24 Stunden abgewiesen.
list-example-score = Seine Wertung
list-example-average = Mit abgewiesenen Bewertungen
list-example-link = Diagramm ansehen
list-order = Sortierung
list-order-best = Relevanteste
list-order-new = Neueste
list-order-top = Beste
list-languages = Sprachen
list-all-languages = Alle Sprachen
list-no-language = Noch keine Beiträge in dieser Sprache.
list-no-match = Keine Beiträge passen zu diesem Filter.
invalid-language-tag = Gib ein Sprachkürzel wie `en` oder `fa` an.
invalid-with-search = Eine Suche lässt sich nicht mit diesem Filter verbinden. Lass eines von beiden weg.
invalid-time-with-zone = Gib eine Zeit mit Zeitzone an, zum Beispiel 2026-01-31T18:00:00Z.
invalid-post-ids = Gib 1 bis { $most } IDs von Beiträgen an, durch Kommas getrennt.
list-top-description = Für die Rangfolge zählt jeder Beitrag so, als hätte er zehn weitere Bewertungen mit 3 ★. So springen Beiträge mit nur wenigen Bewertungen nicht gleich nach ganz oben.
list-count =
    { $count ->
            [one] { $count } Beitrag gefunden.
           *[other] { $count } Beiträge gefunden.
        }
list-count-or-more = Mindestens { $count } Beiträge gefunden.
list-posts-about = Beiträge über <bdi>#{ $tag }</bdi>
list-posts-by = Beiträge von <bdi>{ $name }</bdi>
list-all = Alle Beiträge
list-too-common = <q dir="auto">{ $q }</q> kommt in zu vielen Texten vor. Füge ein genaueres Suchwort hinzu.
list-not-found = Keine Beiträge für <q dir="auto">{ $q }</q> gefunden. Versuch es mit weniger oder anderen Wörtern.
list-no-tag = Keine Beiträge mit diesem Schlagwort.
list-empty = Noch keine Beiträge.
list-write-first = <a href="/blogs/create/">Schreib den ersten Beitrag</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">Registriere dich</a>, um den ersten Beitrag zu schreiben.
list-unclaimed = Diese Website hat noch keinen Inhaber. Wenn es deine ist, öffne den Einrichtungslink, den der Server beim Start ausgegeben oder in eine Datei geschrieben hat, oder <a href="/users/owner/">leg dein Konto mit dem Code aus diesem Link an</a>.
list-partial = Es passen zu viele Beiträge, deshalb wurden nur die neuesten durchsucht. Mit weiteren Wörtern grenzt du die Suche ein.
tags-all = Alle Schlagwörter
tags-none = Noch keine Schlagwörter.

## Author pages.

author-description = Beiträge von { $name }.
author-since = Dabei seit { $day }
author-posts =
    { $count ->
            [one] { $count } Beitrag
           *[other] { $count } Beiträge
        }
author-can-publish = Darf veröffentlichen.
author-revoke-publishing = Veröffentlichen nicht mehr erlauben
author-cannot-publish = Darf noch nicht veröffentlichen.
author-allow-publishing = Veröffentlichen erlauben
author-no-posts = Noch keine Beiträge.
own-label = Deine Seiten
written-by = Geschrieben von <a href="{ $path }"><bdi>{ $name }</bdi></a>
author-more = Mehr von dieser Person
author-feed = Feed dieser Person
other-posts = Andere Beiträge
earlier = Vorheriger Beitrag
later = Nächster Beitrag
contents = Inhalt

## Drafts.

drafts-title = Deine Entwürfe
deleted-title = Gelöschte Beiträge
deleted-what = Nur du siehst diese Beiträge. Nach 7 Tagen werden sie endgültig gelöscht.
deleted-none = Keine gelöschten Beiträge.
deleted-at = Gelöscht { $time }
deleted-restore = Wiederherstellen
deleted-purge = Endgültig löschen
drafts-none = Du hast keine Entwürfe.
drafts-private = Nur du kannst deine Entwürfe sehen.
drafts-may-not-publish = Um Entwürfe zu veröffentlichen, brauchst du die Erlaubnis des Teams.
drafts-review = Das Team prüft deine Entwürfe vor der Veröffentlichung. Öffne einen Entwurf, um ihn einzureichen.
drafts-submitted = wartet auf Prüfung
drafts-returned = vom Team zurückgegeben
drafts-scheduled = Veröffentlichung am { $time }
drafts-view = Ansehen
draft-private = Das ist ein Entwurf. Nur du kannst ihn sehen.
draft-scheduled = Dieser Entwurf wird am { $time } veröffentlicht. Bis dahin kannst nur du ihn sehen.
draft-may-not-publish = Das ist ein Entwurf. Nur du kannst ihn sehen, und du darfst ihn noch nicht veröffentlichen.
draft-submitted = Dieser Beitrag wartet auf die Prüfung durch das Team. Nur du und das Team können ihn sehen.
draft-returned = Das Team hat dir diesen Beitrag zurückgegeben: { $reason }
draft-submitted-by = { $name } hat diesen Beitrag zur Prüfung eingereicht. Nur die Person und das Team können ihn sehen.
publish = Veröffentlichen
publish-now = Jetzt veröffentlichen
schedule = Zeitpunkt festlegen

## Deleting and unpublishing.

edit = Bearbeiten
delete = Löschen
unpublish = Zurückziehen
delete-post-title =
    { $page ->
        [yes] Seite löschen
       *[no] Beitrag löschen
    }
delete-post-heading =
    { $page ->
        [yes] Diese Seite löschen?
       *[no] Diesen Beitrag löschen?
    }
delete-post-no-ratings = Dieser Beitrag hat keine Bewertungen.
delete-post-ratings =
    { $count ->
            [one] { $count } Bewertung wird ebenfalls gelöscht.
           *[other] { $count } Bewertungen werden ebenfalls gelöscht.
        }
delete-post-permanent =
    { $page ->
        [yes] Das Löschen der Seite lässt sich nicht rückgängig machen.
       *[no] Das Löschen des Beitrags lässt sich nicht rückgängig machen.
    }
delete-post-restorable =
    Du kannst { $page ->
        [yes] sie
       *[no] ihn
    } 7 Tage lang wiederherstellen.
delete-post-button =
    { $page ->
        [yes] Seite löschen
       *[no] Beitrag löschen
    }
delete-post-cancel = Abbrechen
unpublish-title =
    { $page ->
        [yes] Seite zurückziehen
       *[no] Beitrag zurückziehen
    }
unpublish-heading =
    { $page ->
        [yes] Diese Seite zurückziehen?
       *[no] Diesen Beitrag zurückziehen?
    }
unpublish-description =
    { $page ->
        [yes] Die Seite wird zu einem Entwurf, den nur sieht, wer sie geschrieben hat. Links auf sie funktionieren erst wieder, wenn sie erneut veröffentlicht wird.
       *[no] Der Beitrag wird zu einem Entwurf, den nur sieht, wer ihn geschrieben hat. Links auf ihn funktionieren erst wieder, wenn er erneut veröffentlicht wird.
    }
unpublish-ratings =
    { $count ->
            [one] { $count } Bewertung bleibt erhalten und zählt wieder, sobald der Beitrag erneut veröffentlicht wird.
           *[other] { $count } Bewertungen bleiben erhalten und zählen wieder, sobald der Beitrag erneut veröffentlicht wird.
        }
unpublish-cancel = Abbrechen

## Post editor.

write-title = Beitrag schreiben
write-page = Seite schreiben
write-edit-page = Seite bearbeiten
write-edit-post = Beitrag bearbeiten
write-edit-draft = Entwurf bearbeiten
write-signed-out = Du bist abgemeldet, und dein Text unten ist noch nicht gespeichert. <a href="/users/login/" target="_blank">Melde dich in einem anderen Tab an</a> und versuch es dann hier noch einmal.
write-unsafe =
    { $count ->
            [one] { $count } Link ist möglicherweise unsicher
           *[other] { $count } Links sind möglicherweise unsicher
        }
write-unsafe-description = Statt jedes verdächtigen Links wird eine Warnung angezeigt. Du kannst die Links behalten oder entfernen.
write-unsafe-details = Details
write-unsafe-more = und { $count } weitere
content-hint = Du kannst Markdown verwenden. Bilder von anderen Websites werden als Link angezeigt.
content-drop-hint = Du kannst auch Bilder in den Text ziehen oder einfügen.
image-add-heading = Bild hinzufügen
image-hint = PNG, JPEG, WebP oder GIF, bis 10 MiB. Metadaten der Kamera, etwa der Aufnahmeort, werden entfernt.
alt-hint = Beschreibe das Bild in einem Satz für alle, die es nicht sehen können.
alt-hint-own = Beschreibe das Bild in einem Satz für alle, die es nicht sehen können. Lass das Feld leer, wenn der Text das Bild schon beschreibt.
image-add-to-text = In den Text einfügen
image-make-cover = Als Titelbild verwenden
tags-hint = Bis zu zehn Schlagwörter, durch Kommas getrennt.
tags-frequent = Häufige Schlagwörter
details-heading = Einstellungen des Beitrags
publish-at-hint = Datum und Uhrzeit in { $zone }. Bis dahin bleibt der Beitrag ein Entwurf.
slug-hint = Die Wörter in der URL des Beitrags. Bleibt das Feld leer, wird der Titel verwendet. Alte URLs leiten zur neuen weiter.
is-page-hint = Eine Seite, etwa ein Impressum, hat kein Datum und steht nicht in Listen und Feeds. Verlinke sie im Menü in den Einstellungen.
accepts-ratings-hint = Wenn du Bewertungen später beendest, bleiben die bisherigen sichtbar.
post-kind = Beitrag
page-kind = Seite
ratings-allowed = Dieser Beitrag kann bewertet werden
ratings-not-allowed = Dieser Beitrag kann nicht bewertet werden
ratings-closed = Dieser Beitrag kann nicht mehr bewertet werden.
invalid-page-staff = Nur das Team kann Seiten anlegen.
excerpt-hint = Ein oder zwei Sätze für Listen und Feeds. Bleibt das Feld leer, wird der erste Absatz verwendet.
cover-hint = Erscheint über dem Text, in Listen, in Feeds und wenn der Beitrag geteilt wird. Wähle eines deiner Bilder oder lade unter „Bild hinzufügen“ eines hoch.
cover-image = Dein Bild { $number }
cover-none = Kein Titelbild
markdown-no-html = HTML wird als Text angezeigt.
markdown-footnote = Fußnote
markdown-caption = Bild mit Bildunterschrift
markdown-help = Hilfe zu Markdown
write-permission-revoked = Du darfst nicht mehr veröffentlichen und kannst diesen veröffentlichten Beitrag deshalb nicht bearbeiten. Du kannst ihn zurückziehen oder löschen.
write-permission-needed = Zum Veröffentlichen brauchst du die Erlaubnis des Teams. Du kannst jetzt einen Entwurf speichern und ihn veröffentlichen, sobald du die Erlaubnis hast.
write-review = Das Team prüft deinen Beitrag, bevor er veröffentlicht wird.
submit-for-review = Zur Prüfung einreichen
save-draft = Entwurf speichern
save-changes = Änderungen speichern
preview = Vorschau
cancel = Abbrechen

## Edit conflicts: the post was saved elsewhere since the editor was opened.

theirs-heading = Zuletzt gespeicherte Fassung
theirs-saved = Gespeichert: { $time }, als Fassung { $version }. Deine Fassung ist noch nicht gespeichert.
theirs-none = leer
theirs-same = Die Texte sind identisch.
theirs-differences = Unterschiede
theirs-only-saved = nur in der gespeicherten Fassung:
theirs-only-yours = nur in deiner Fassung:
theirs-marks = Zeilen mit − stehen nur in der gespeicherten Fassung, Zeilen mit + nur in deiner.
theirs-keep-mine = Meine Fassung behalten
theirs-keep-mine-description = <strong>Meine Fassung behalten:</strong> Die Fassung unten ersetzt die gespeicherte.
theirs-take = Gespeicherte Fassung übernehmen
theirs-take-description = <strong>Gespeicherte Fassung übernehmen:</strong> Deine Änderungen werden verworfen.
theirs-edit-both = <strong>Beide zusammenführen:</strong> Vergleiche mit der gespeicherten Fassung, bearbeite den Text unten und speichere ihn.
theirs-whole = Vollständiger gespeicherter Text
theirs-text = Gespeicherter Text
theirs-yours = Deine Fassung

## Frühere Fassungen eines Beitrags.

revisions-title = Frühere Fassungen
revisions-what = Wenn du einen Text änderst, bleibt die frühere Fassung 30 Tage lang hier.
revisions-none = Keine früheren Fassungen.
column-saved = Gespeichert
column-characters = Zeichen
revision-heading = Fassung vom { $time }
revision-marks = Zeilen mit − stehen nur in dieser Fassung, Zeilen mit + nur in der aktuellen.
revision-only-earlier = nur in dieser Fassung:
revision-only-current = nur in der aktuellen Fassung:
revision-whole = Vollständiger Text dieser Fassung
revision-restore = Diese Fassung wiederherstellen
revision-delete = Diese Fassung löschen

## Validation errors of post fields.

invalid-status = Wähle `draft` oder `published`.
invalid-no-title = Gib einen Titel ein.
invalid-no-text = Gib einen Text ein.
invalid-too-many-bytes = Das sind { $count } Bytes. Erlaubt sind höchstens { $most }.
invalid-tag = „{ $tag }“ ist kein gültiges Schlagwort. Verwende 1 bis 30 Buchstaben, Ziffern, Bindestriche und Unterstriche.
invalid-too-many-tags = Das sind { $count } Schlagwörter. Erlaubt sind höchstens { $most }.
invalid-no-strings = Das muss eine Liste von Zeichenketten sein.
invalid-slug = Verwende mindestens einen Buchstaben oder eine Ziffer.
invalid-excerpt = Gib einen Text ein oder lass das Feld leer.
invalid-cover = Verwende die URL eines deiner Bilder auf dieser Website (/images/…) oder eine mit https://, die keinen Benutzernamen enthält und höchstens 500 Bytes lang ist.
invalid-version = Das muss die Nummer einer Fassung des Beitrags sein.
invalid-not-added = „{ $name }“ ist noch nicht hinzugefügt. Wähle die Datei noch einmal aus und klicke auf „In den Text einfügen“, oder speichere ohne sie.
invalid-spot = Wähle `text` oder `cover`.
invalid-time = Gib Datum und Uhrzeit ein, zum Beispiel 2026-01-31T18:00.
invalid-time-skipped = Diese Uhrzeit gibt es in { $zone } nicht, weil die Uhren vorgestellt werden. Wähle eine andere.
invalid-time-past = Wähle einen Zeitpunkt in der Zukunft oder lass das Feld leer.
invalid-time-far = Wähle einen Zeitpunkt innerhalb der nächsten zehn Jahre.
invalid-published-already = Dieser Beitrag ist schon veröffentlicht. Um ihn zu planen, zieh ihn erst zurück.
invalid-is-published = Dieser Beitrag ist schon veröffentlicht. Speichere die Änderungen als veröffentlicht oder zieh ihn erst zurück.
invalid-search-characters = Verwende höchstens { $most } Zeichen in deiner Suche.
invalid-order =
    { $search ->
            [yes] Wähle `best`, `new` oder `top`.
           *[no] Wähle `new` oder `top`.
        }

## Success messages, and notices for authors.

done-with-notice = { $done } { $notice }
done-draft-saved = Entwurf gespeichert.
done-submitted = Beitrag eingereicht. Das Team veröffentlicht ihn oder gibt ihn dir mit einer Begründung zurück.
done-changes-saved = Änderungen gespeichert.
done-published =
    { $page ->
        [yes] Seite veröffentlicht.
       *[no] Beitrag veröffentlicht.
    }
done-scheduled =
    { $done } { $page ->
        [yes] Die Seite
       *[no] Der Beitrag
    } wird am { $time } veröffentlicht.
done-unpublished =
    { $page ->
        [yes] Seite zurückgezogen. Sie ist jetzt ein Entwurf.
       *[no] Beitrag zurückgezogen. Er ist jetzt ein Entwurf.
    }{ $ratings ->
            [yes] {" "}Seine Bewertungen bleiben erhalten.
           *[no] {""}
        }
done-draft-deleted = Entwurf gelöscht.
done-deleted =
    { $page ->
        [yes] Seite gelöscht. Du kannst sie hier 7 Tage lang wiederherstellen.
       *[no] Beitrag gelöscht. Du kannst ihn hier 7 Tage lang wiederherstellen.
    }
done-restored =
    { $page ->
        [yes] Seite als Entwurf wiederhergestellt. Ihre URL bleibt erhalten.
       *[no] Beitrag als Entwurf wiederhergestellt. Bewertungen und URL bleiben erhalten.
    }
done-purged =
    { $page ->
        [yes] Seite endgültig gelöscht.
       *[no] Beitrag endgültig gelöscht.
    }
done-post-deleted =
    { $page ->
        [yes] Die Seite wurde gelöscht.
       *[no] Der Beitrag und seine Bewertungen wurden gelöscht.
    }
done-revision-restored = Fassung vom { $time } wiederhergestellt. So machst du das rückgängig:
done-revision-deleted = Fassung gelöscht.
done-image-in-text = Das Bild wurde als letzte Zeile des Textes eingefügt. Um es an anderer Stelle anzuzeigen, verschiebe diese Zeile.
done-image-is-cover = Das Bild ist jetzt das Titelbild des Beitrags.
done-image-post-unsaved = Der Beitrag selbst ist noch nicht gespeichert.
notice-flagged-links =
    { $count ->
            [one] Der Beitrag verlinkt auf { $address }. Diese Seite ist möglicherweise unsicher, deshalb wird statt des Links eine Warnung angezeigt.
           *[other] Der Beitrag enthält { $count } möglicherweise unsichere Links, darunter { $address }. Statt dieser Links werden Warnungen angezeigt.
        }
notice-much-code = Der Text enthält viel Code, deshalb wird ein Teil davon ohne Syntaxhervorhebung angezeigt.
notice-too-much = Der Text enthält zu viele Links, Fußnoten, Tabellen oder andere Formatierungen und wird deshalb so angezeigt, wie du ihn getippt hast. Verwende weniger Formatierungen oder teile ihn auf mehrere Beiträge auf.

## Inside rendered posts, in the language of the post.

text-image = Bild:{" "}
text-flagged = (verdächtiger Link)
text-flagged-link = verdächtiger Link
text-hidden-url = ausgeblendete URL

## The language of a post.

text-language-hint = Die Sprache des Beitrags, für die Suche und für Screenreader.
text-language-detect = Automatisch erkennen
invalid-text-language = Verwende ein Sprachkürzel wie en, de oder fa.
drafts-changed = zuletzt bearbeitet: { $time }
list-similar-titles = Kein Beitrag enthält diese Wörter. Meintest du einen dieser Titel?
drafts-quota = Du hast { $posts } von { $most } Beiträgen und Entwürfen. Ihre Texte belegen { $used } von { $quota }.
invalid-too-many-posts = Du hast { $most } Beiträge und Entwürfe, mehr sind nicht möglich. Lösche zuerst einige.
invalid-texts-too-large = Deine Texte belegen { $used } von { $most }. Lösche zuerst einige, oder kürze diesen Text.


## Messages of the scripts. Numbers are formatted by the browser.

script-time-left = noch { $time }
script-not-yet = Bitte warte noch { $time }.
script-can-be-sent-now = Du kannst deine Bewertung jetzt senden.
script-can-go-on-now = Du kannst jetzt weitermachen.
script-button-in = { $button } (in { $time })
script-saving = Wird gespeichert …
script-try-again = Bitte versuch es noch einmal.
script-rating-not-sent = Deine Bewertung konnte nicht gesendet werden, weil die Website nicht erreichbar ist. Bitte versuch es noch einmal.
script-rating-will-be-sent = Deine Bewertung mit { $stars } ★ ist noch nicht gesendet.
script-change-will-be-sent = Deine Bewertung ist weiterhin { $before } ★. Die Änderung auf { $stars } ★ ist noch nicht gesendet.
script-rating-sent-in = Die Bewertung wird in etwa { $time } automatisch gesendet, solange eine Seite dieser Website offen ist.
script-rating-do-not-send = Nicht senden
script-rating-cancelled = Deine Bewertung wird nicht automatisch gesendet. Du kannst sie selbst senden.
script-rating-too-late = Deine Bewertung mit { $stars } ★ konnte nicht innerhalb eines Tages gesendet werden. Du kannst es noch einmal versuchen.
script-rating-counted = Deine Bewertung mit { $stars } ★ ist gesendet. Du kannst sie ändern.
script-rating-post-gone = Deine Bewertung mit { $stars } ★ konnte nicht gesendet werden, weil es den Beitrag nicht mehr gibt.
script-rating-not-counted = Deine Bewertung mit { $stars } ★ konnte nicht gesendet werden. { $why }
script-sign-out-deletes = In diesem Browser gibt es nicht gespeicherte Änderungen oder nicht gesendete Bewertungen. Beim Abmelden werden sie gelöscht. Trotzdem abmelden?
script-rating-cannot-be-kept = Dieser Browser kann deine Bewertung nicht zwischenspeichern. Bitte sende sie nach der Wartezeit selbst.
script-chart-keys = Diagramm. Mit den Pfeiltasten links und rechts liest du die Werte.
script-select-all = Alle auswählen
script-selected = { $count } ausgewählt
script-marks = Formatierung
script-bold-button = F
script-bold = Fett
script-bold-text = fett
script-italic-button = K
script-italic = Kursiv
script-italic-text = kursiv
script-link = Link
script-link-text = Text
script-heading = Überschrift
script-list = Liste
script-numbered-list = Nummerierte Liste
script-numbered-list-button = 1. Liste
script-quote = Zitat
script-table = Tabelle
script-table-column = Spalte
script-code = Code
script-code-text = Code
script-image-new-cover = Gerade hochgeladenes Bild
script-image-title = Bilder hochladen und hier einfügen
script-image = Bild
script-full-screen = Vollbild
script-full-screen-exit = Vollbild beenden
script-only-the-text = Nur den Text zeigen
script-calm-on = Nur der Text wird angezeigt. Drücke Escape zum Beenden.
script-calm-off = Die ganze Seite wird wieder angezeigt.
script-side-by-side = Nebeneinander
script-side-by-side-title = Text und Vorschau nebeneinander
script-word-count =
    { $count ->
            [one] { $count } Wort · { $minutes } Min. Lesezeit
           *[other] { $count } Wörter · { $minutes } Min. Lesezeit
        }
script-no-words = Noch keine Wörter
script-image-converting = Das Bild wird umgewandelt. Versuch es gleich noch einmal.
script-image-too-large = „{ $name }“ ist { $size } MiB groß. Erlaubt sind höchstens 10 MiB.
script-image-no-answer = Die Website hat nicht geantwortet. Dein Text ist noch da. Versuch es gleich noch einmal.
script-image-waits =
    { $count ->
            [one] Du lädst viele Bilder hoch. Das nächste folgt in { $count } Sekunde …
           *[other] Du lädst viele Bilder hoch. Das nächste folgt in { $count } Sekunden …
        }
script-image-signed-out = Du wurdest abgemeldet. Melde dich in einem anderen Tab an und füge das Bild dann noch einmal hinzu.
script-image-failed = Das Bild konnte nicht hinzugefügt werden.
script-image-sending = Bild wird hochgeladen …
script-image-sending-of = Bild { $number } von { $all } wird hochgeladen …
script-image-in-text = Das Bild wurde in den Text eingefügt.
script-image-in-text-describe = Das Bild wurde in den Text eingefügt. Beschreibe es zwischen den eckigen Klammern für alle, die es nicht sehen können.
script-image-none = Das ist kein Bild.
script-image-choose = Wähle erst ein Bild aus.
script-image-is-cover = Titelbild ausgewählt. Speichere den Beitrag, um es zu übernehmen.
script-preview = Vorschau
script-preview-beside = Die Vorschau wird neben dem Text angezeigt.
script-preview-below = Die Vorschau wird unter dem Formular angezeigt.
script-preview-follows = Die Vorschau wird neben dem Text angezeigt und beim Tippen aktualisiert.
script-preview-failed = Die Vorschau konnte nicht aktualisiert werden.
script-time-here = Deine Ortszeit: { $time }
script-saved = Gespeichert um { $time }
script-kept = Im Browser gesichert um { $time }
script-kept-without-title = Im Browser gesichert. Es fehlt noch ein Titel.
script-kept-signed-out = Du bist abgemeldet. Dein Text ist im Browser gesichert.
script-sign-in = In einem anderen Tab anmelden
script-changed-elsewhere = Dieser Entwurf wurde auf einem anderen Gerät oder in einem anderen Tab geändert. Dein Text ist im Browser gesichert.
script-compare = Beide Fassungen vergleichen
script-kept-older = In diesem Browser sind nicht gespeicherte Änderungen ({ $time }), aber seitdem wurde eine neuere Fassung gespeichert.
script-cannot-be-kept = Dieser Browser kann nichts sichern. Speichere oft.
script-restored = Deine nicht gespeicherten Änderungen ({ $time }) wurden wiederhergestellt.
script-restore-undo = Wiederherstellung rückgängig machen
script-restore-undone = Deine nicht gespeicherten Änderungen wurden aus dem Formular entfernt.
script-restore = Wiederherstellen
script-restore-discard = Nicht gespeicherte Änderungen verwerfen
script-signed-out-kept = Du bist abgemeldet. Dein Text („{ $title }“) ist in diesem Browser gesichert und wird nach dem Anmelden wiederhergestellt.
script-key-control = Strg
script-key-shift = Umschalt
script-password-show = Anzeigen
script-password-hide = Verbergen
script-codes-copy = Codes kopieren
script-codes-download = Codes herunterladen
script-codes-copied = Kopiert.
script-codes-not-copied = Der Browser hat es nicht erlaubt. Markiere die Codes und kopiere sie.

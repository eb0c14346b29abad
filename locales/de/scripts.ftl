
## What scripts say. A number is written by the browser.

script-time-left = noch { $time }
script-not-yet = Noch nicht: Bitte warte { $time }.
script-can-be-sent-now = Sie kann jetzt gesendet werden.
script-can-go-on-now = Du kannst jetzt weitermachen.
script-button-in = { $button } (in { $time })
script-saving = Wird gespeichert …
script-try-again = Bitte versuch es noch einmal.
script-rating-not-sent = Deine Bewertung konnte nicht gesendet werden, da die Website nicht erreichbar ist. Bitte versuch es noch einmal.
script-rating-will-be-sent = Noch nicht gezählt. Deine Bewertung mit { $stars } ★ wird für dich gesendet,
script-rating-sent-in = in etwa { $time }, solange eine Seite dieser Website offen ist.
script-rating-do-not-send = Nicht senden
script-rating-given-up = Deine Bewertung wird nicht gesendet. Du kannst sie selbst senden.
script-rating-too-late = Deine Bewertung mit { $stars } ★ konnte innerhalb eines Tages nicht gezählt werden. Du kannst es noch einmal versuchen.
script-rating-counted = Deine Bewertung mit { $stars } ★ ist gezählt. Du kannst sie ändern.
script-rating-post-gone = Deine Bewertung mit { $stars } ★ konnte nicht gezählt werden: Den Beitrag gibt es nicht mehr.
script-rating-not-counted = Deine Bewertung mit { $stars } ★ konnte nicht gezählt werden. { $why }
script-sign-out-deletes = Was du nicht gespeichert oder gesendet hast, ist nur auf diesem Computer. Beim Abmelden wird es gelöscht. Trotzdem abmelden?
script-rating-cannot-be-kept = Deine Bewertung lässt sich auf diesem Computer nicht sichern. Bitte sende sie selbst, wenn es so weit ist.
script-chart-keys = Diagramm. Die Pfeiltasten links und rechts lesen es vor.
script-chart-point = Zeig auf das Diagramm oder nimm die Pfeiltasten, um seine Zahlen zu lesen.
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
script-quote = Zitat
script-code = Code
script-code-text = Code
script-full-screen = Vollbild
script-only-the-text = Nur der Text
script-calm-on = Nur der Text wird gezeigt. Escape beendet das.
script-calm-off = Die ganze Seite wird gezeigt.
script-side-by-side = Nebeneinander
script-side-by-side-title = Text und Vorschau nebeneinander
script-word-count =
    { $count ->
            [one] { $count } Wort · { $minutes } Min. Lesezeit
           *[other] { $count } Wörter · { $minutes } Min. Lesezeit
        }
script-no-words = Noch keine Wörter
script-image-converting = Das Bild wird umgewandelt. Versuche es gleich noch einmal.
script-image-too-large = „{ $name }“ hat { $size } MiB. Höchstens 10 MiB.
script-image-no-answer = Die Website hat nicht geantwortet. Dein Text ist noch hier; versuch es gleich noch einmal.
script-image-waits =
    { $count ->
            [one] Das waren viele Bilder. Das nächste wird in { $count } Sekunde gesendet …
           *[other] Das waren viele Bilder. Das nächste wird in { $count } Sekunden gesendet …
        }
script-image-signed-out = Du bist nicht mehr angemeldet. Melde dich in einem anderen Tab an und füge das Bild noch einmal hinzu.
script-image-failed = Das Bild konnte nicht hinzugefügt werden.
script-image-sending = Das Bild wird gesendet …
script-image-sending-of = Bild { $number } von { $all } wird gesendet …
script-image-in-text = Das Bild ist im Text.
script-image-in-text-describe = Das Bild ist im Text. Schreib, was es zeigt, für alle, die es nicht sehen.
script-image-none = Das ist kein Bild.
script-image-choose = Wähle erst ein Bild.
script-image-is-cover = Es ist das Titelbild dieses Beitrags, sobald der gespeichert ist.
script-preview = Vorschau
script-preview-beside = Die Vorschau steht neben dem Text.
script-preview-below = Die Vorschau steht unter dem Formular.
script-preview-follows = Die Vorschau steht neben dem Text und folgt ihm.
script-preview-failed = Die Vorschau konnte nicht aktualisiert werden.
script-time-here = Bei dir: { $time }.
script-kept-draft = Entwurf im Browser gesichert um { $time }
script-kept-changes = Änderungen im Browser gesichert um { $time }
script-cannot-be-kept = Dieser Browser kann nichts sichern. Speichere oft.
script-restored = Was du getippt und nicht gespeichert hattest ({ $time }), ist wieder da.
script-restore-undo = Rückgängig machen
script-restore-undone = Das ist der Text ohne das, was du getippt hattest.
script-restore = Wiederherstellen
script-restore-discard = Getipptes verwerfen
script-signed-out-kept = Du bist abgemeldet. Was du geschrieben hast („{ $title }“), ist sicher: Es ist auf diesem Computer gesichert und wieder da, wenn du dich angemeldet hast.
script-key-control = Strg
script-key-shift = Umschalt

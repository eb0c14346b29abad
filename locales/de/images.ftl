
## Images.

images-title = Deine Bilder
images-add = Bild hochladen
images-uploaded = Hochgeladene Bilder
images-quota = { $used } von { $quota } belegt.
images-unused = Bilder, die in keinem Beitrag, keiner früheren Fassung, keinem Entwurf und nicht in deinem Profil verwendet werden, werden nach einem Tag gelöscht.
images-none = Noch keine Bilder.
images-number = Bild { $number }
images-without-alt = Bild { $number }, ohne Beschreibung
images-markdown = Füge diesen Code in einen Beitrag ein, um das Bild anzuzeigen
images-size = { $width } × { $height } Pixel
images-added = hinzugefügt: { $time }
images-not-in-use = nicht verwendet
done-image-added = Das Bild wurde hochgeladen. Um es in einem Beitrag anzuzeigen, kopiere den Markdown-Code des ersten Bildes unten in den Beitrag.
done-image-deleted = Bild gelöscht.
notice-image-animation-removed = Die Animation wurde entfernt. Nur GIFs bleiben animiert.
invalid-too-many-images = Du hast die Höchstzahl von { $most } Bildern erreicht. Lösche erst einige.
invalid-images-too-large = Deine Bilder würden { $size } belegen, erlaubt sind höchstens { $most }. Lösche erst einige.
image-svg = SVG-Dateien werden nicht angenommen, weil sie Programmcode enthalten können. Speichere das Bild als PNG und wähle diese Datei aus.
image-avif-or-heic = AVIF- und HEIC-Dateien werden nicht angenommen. Speichere das Bild als JPEG, PNG, WebP oder GIF und wähle diese Datei aus.
image-unknown = Diese Datei lässt sich hier nicht als Bild verwenden. Wähle eine PNG-, JPEG-, WebP- oder GIF-Datei.
image-damaged = Dieses Bild ist beschädigt oder nicht lesbar. Speichere es mit einem anderen Programm neu.
image-extra-data = Diese Datei enthält außer dem Bild noch etwas anderes und wurde deshalb nicht angenommen. Speichere das Bild mit einem Bildbearbeitungsprogramm neu.
image-too-large = Dieses Bild hat { $width } × { $height } Pixel. Erlaubt sind höchstens { $most } Millionen Pixel, etwa 5.000 × 5.000, und höchstens { $side } Pixel je Seite.
image-too-long = Diese Animation ist zu lang. Erlaubt sind höchstens { $frames } Einzelbilder und insgesamt { $pixels } Millionen Pixel.
image-too-heavy = Dieses Bild würde mehr als { $most } MiB belegen, weil seine Transparenz erhalten bleiben muss. Mach es kleiner.
image-too-slow = Die Verarbeitung dieses Bildes dauert zu lange. Speichere es mit einem anderen Programm neu oder mach es kleiner.

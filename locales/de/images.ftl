
## Pictures.

images-title = Deine Bilder
images-add = Bild hinzufügen
images-yours = Bisher hinzugefügt
images-quota = { $used } von { $quota }.
images-unused = Ein Bild, das kein Beitrag, kein Entwurf und kein Profil von dir zeigt, wird nach einem Tag gelöscht.
images-none = Hier sind keine Bilder.
images-number = Bild { $number }
images-without-alt = Bild { $number }, ohne Beschreibung
images-line = Füg das in einen Text ein, um das Bild zu zeigen
images-size = { $width } × { $height } Pixel
images-added = hinzugefügt: { $time }
images-not-shown = nirgends gezeigt
done-image-added = Dein Bild steht unten als erstes. Kopiere seine Zeile in einen Text, um es zu zeigen.
done-image-deleted = Das Bild ist gelöscht.
notice-image-stands-still = Hier steht es still: Nur ein GIF bewegt sich weiter.
invalid-too-many-images = Du hast { $most } Bilder; mehr gehen nicht. Lösche erst einige.
invalid-images-too-large = Deine Bilder bräuchten { $size }; höchstens { $most } sind möglich. Lösche erst einige.
image-svg = Ein SVG ist eher ein Programm als ein Bild, deshalb geht es hier nicht. Speichere es als PNG und wähle diese Datei.
image-avif-or-heic = AVIF und HEIC gehen hier nicht. Speichere das Bild als JPEG, PNG, WebP oder GIF und wähle diese Datei.
image-unknown = Dieses Format geht hier nicht. Wähle eine PNG-, JPEG-, WebP- oder GIF-Datei.
image-damaged = Dieses Bild ist beschädigt oder so gemacht, dass es nicht lesbar ist. Speichere es mit einem anderen Programm neu.
image-something-else = In dieser Datei ist außer dem Bild noch etwas anderes, deshalb wird sie nicht angenommen. Speichere das Bild mit einem Bildprogramm neu.
image-too-large = Dieses Bild hat { $width } × { $height } Pixel. Höchstens { $most } Millionen, etwa 5.000 × 5.000, und höchstens { $side } je Seite.
image-too-long = Dieses bewegte Bild ist zu lang: höchstens { $frames } Einzelbilder und { $pixels } Millionen Pixel in allen zusammen.
image-too-heavy = Dieses Bild bräuchte hier mehr als { $most } MiB, da nichts von seiner Transparenz verloren gehen soll. Mach es kleiner.
image-too-hard = Dieses Bild zu lesen dauert zu lange. Speichere es mit einem anderen Programm neu, oder mach es kleiner.

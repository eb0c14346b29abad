
## Pictures.

images-title = Your pictures
images-add = Add the picture
images-yours = What you have
images-quota = { $used } of { $quota }.
images-unused = A picture that no post, draft or profile of yours shows is deleted after a day.
images-none = There are none here.
images-number = picture { $number }
images-without-alt = Picture { $number }, without a description
images-line = Put this into a text to show it
images-size = { $width } × { $height } pixels
images-added = added { $time }
images-not-shown = not shown anywhere
done-image-added = Your picture is the first below. Copy its line into a text to show it.
done-image-deleted = The picture is deleted.
notice-image-stands-still = It stands still here: only a GIF keeps moving.
invalid-too-many-images = You have { $most } pictures, and can have no more. Delete some first.
invalid-images-too-large = Your pictures would take { $size }, and { $most } is the most. Delete some first.
image-svg = An SVG is a program rather than a picture, so it cannot be used here. Save it as PNG, and choose that file.
image-avif-or-heic = AVIF and HEIC files are not accepted. Save the picture as JPEG, PNG, WebP or GIF, and choose that file.
image-unknown = This is no picture that can be used here. Choose a PNG, JPEG, WebP or GIF file.
image-damaged = This picture is damaged, or made in a way that cannot be read. Save it anew with another program.
image-something-else = There is something else in this file besides the picture, so it is not taken. Save the picture anew with a program for pictures.
image-too-large = This picture has { $width } × { $height } pixels. Use at most { $most } million, such as 5,000 × 5,000, and at most { $side } to a side.
image-too-long = This moving picture is too long: use at most { $frames } frames, and { $pixels } million pixels in all of them.
image-too-heavy = This picture would take more than { $most } MiB here, as nothing of its transparency may be lost. Make it smaller.
image-too-hard = This picture takes too long to be read. Save it anew with another program, or make it smaller.

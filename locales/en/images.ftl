
## Images.

images-title = Your images
images-add = Upload image
images-uploaded = Uploaded images
images-quota = { $used } of { $quota } used.
images-unused = Images that aren’t used in a post, its earlier versions, a draft or your profile are deleted after a day.
images-none = No images yet.
images-number = image { $number }
images-without-alt = Image { $number }, no description
images-markdown = Paste this code into a post to show the image
images-size = { $width } × { $height } pixels
images-added = added { $time }
images-not-in-use = not in use
done-image-added = Image uploaded. To show it in a post, copy the Markdown code of the first image below into the post.
done-image-deleted = Image deleted.
notice-image-animation-removed = The animation was removed. Only GIFs stay animated.
invalid-too-many-images = You’ve reached the limit of { $most } images. Delete some first.
invalid-images-too-large = Your images would take up { $size }, but the limit is { $most }. Delete some first.
image-svg = SVG files aren’t accepted because they can contain code. Save the image as PNG and choose that file.
image-avif-or-heic = AVIF and HEIC files aren’t accepted. Save the image as JPEG, PNG, WebP or GIF and choose that file.
image-unknown = This file can’t be used as an image here. Choose a PNG, JPEG, WebP or GIF file.
image-damaged = This image is damaged or can’t be read. Save it again with another program.
image-extra-data = This file contains something besides the image, so it wasn’t accepted. Save the image again with an image editor.
image-too-large = This image is { $width } × { $height } pixels. Use at most { $most } million pixels, such as 5,000 × 5,000, and at most { $side } pixels per side.
image-too-long = This animation is too long. Use at most { $frames } frames and { $pixels } million pixels in total.
image-too-heavy = This image would take up more than { $most } MiB because its transparency has to be kept. Make it smaller.
image-too-slow = This image takes too long to process. Save it again with another program, or make it smaller.

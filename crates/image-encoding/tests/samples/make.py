"""Makes the test images in this folder, with Pillow 11.3 or later: python3 make.py"""

from PIL import Image, ImageDraw


def picture():
    """Red from left to right, green from top to bottom, and white in the upper left corner."""
    image = Image.new("RGB", (120, 80))
    for y in range(80):
        for x in range(120):
            image.putpixel((x, y), (x * 2, y * 3, 40))
    ImageDraw.Draw(image).rectangle([0, 0, 29, 19], fill="white")
    return image


def exif():
    """To be turned by a quarter, with the name of a camera and a place."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "SecretCamera"
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 0.0)}
    return exif


for kind in ["avif", "jpg", "png", "webp"]:
    picture().save(f"turned.{kind}", exif=exif())
picture().convert("CMYK").save("cmyk.jpg")
picture().save("progressive.jpg", progressive=True)
frames = [picture().rotate(90 * turn) for turn in range(4)]
for kind in ["gif", "png", "webp"]:
    frames[0].save(f"moving.{kind}", save_all=True, append_images=frames[1:], duration=100, loop=3)

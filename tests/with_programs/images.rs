//! Image uploads in a browser: by file field, drag and drop, paste, and without JavaScript.

use std::time::{Duration, Instant};

use fantoccini::{Client, Locator};
use serde_json::json;

use crate::driver::{Setup, click_in_view, fill, press, register, see, value_of};

/// AVIF image, which the JavaScript of the site converts before the upload.
pub const AVIF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/image-encoding/tests/samples/turned.avif");

pub const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/image-encoding/tests/samples/turned.jpg");

/// Script that drops or pastes an image of 40×40 pixels in one color into the text.
const GIVE: &str = "
    const [how, color, name] = arguments;
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 40 });
    const pen = canvas.getContext('2d');
    pen.fillStyle = color;
    pen.fillRect(0, 0, 40, 40);
    canvas.toBlob((blob) => {
        const data = new DataTransfer();
        data.items.add(new File([name.endsWith('.svg') ? '<svg/>' : blob], name, { type: name.endsWith('.svg') ? 'image/svg+xml' : 'image/png' }));
        const options = { bubbles: true, cancelable: true };
        const event = how === 'drop' ? new DragEvent('drop', { ...options, dataTransfer: data }) : new ClipboardEvent('paste', { ...options, clipboardData: data });
        document.getElementById('content').dispatchEvent(event);
    });";

async fn give(browser: &Client, how: &str, color: &str, name: &str) {
    browser.execute(GIVE, vec![json!(how), json!(color), json!(name)]).await.unwrap();
}

/// Waits until the browser has loaded the expected number of images.
async fn drawn(browser: &Client, expected: u64) {
    let script = "const all = [...document.querySelectorAll('main img')];
        for (const image of all) image.scrollIntoView();
        return all.filter((image) => image.complete && image.naturalWidth > 0).length";
    let patience = Instant::now() + Duration::from_mins(2);
    loop {
        let found = browser.execute(script, Vec::new()).await.unwrap();
        if found.as_u64() == Some(expected) {
            return;
        }
        assert!(Instant::now() < patience, "{found} of {expected} pictures are drawn");
    }
}

/// Waits until the chosen avatar has been converted.
async fn wait_for_conversion(browser: &Client) {
    let patience = Instant::now() + Duration::from_mins(2);
    let script = "const [file] = document.getElementById('avatar').files; return file.type";
    while browser.execute(script, Vec::new()).await.unwrap() != json!("image/webp") {
        assert!(Instant::now() < patience, "the avatar is not converted");
    }
}

async fn open_pictures(browser: &Client) {
    click_in_view(browser, "#pictures summary").await;
}

/// Waits until the text has `expected` lines that are images.
async fn see_lines(browser: &Client, expected: usize) {
    let patience = Instant::now() + Duration::from_mins(2);
    loop {
        let text = value_of(browser, "content").await;
        let lines =
            text.lines().filter(|line| line.starts_with("![") && line.ends_with(".png)") || line.ends_with(".jpg)"));
        if lines.count() == expected {
            return;
        }
        assert!(Instant::now() < patience, "{text}");
    }
}

pub async fn images_are_selected_dropped_and_pasted() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(true).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "First.").await;
    open_pictures(&ann).await;
    ann.find(Locator::Css("[data-add=text]")).await.unwrap().click().await.unwrap();
    see(&ann, "#adding", "Choose an image first.").await;
    fill(&ann, "image", AVIF).await;
    fill(&ann, "alt", "A heron").await;
    ann.find(Locator::Css("[data-add=text]")).await.unwrap().click().await.unwrap();
    see(&ann, "#adding", "Image added to the text.").await;
    let text = value_of(&ann, "content").await;
    assert!(text.starts_with("First.\n\n![A heron](/images/"), "{text}");
    assert_eq!((value_of(&ann, "alt").await, value_of(&ann, "image").await), (String::new(), String::new()));
    // The placeholder for the alternative text of a dropped or pasted image is selected, so that typing replaces it.
    for (how, color, words) in [("drop", "teal", "A pond"), ("paste", "maroon", "A roof")] {
        give(&ann, how, color, "photo.png").await;
        see(&ann, "#adding", "Image added to the text. Describe it").await;
        ann.active_element().await.unwrap().send_keys(words).await.unwrap();
        let text = value_of(&ann, "content").await;
        assert!(text.contains(&format!("\n\n![{words}](/images/")), "{text}");
        ann.execute("document.getElementById('adding').textContent = ''", Vec::new()).await.unwrap();
    }
    // Two images that are dropped in quick succession are on separate lines.
    for color in ["navy", "olive"] {
        give(&ann, "drop", color, "photo.png").await;
    }
    see_lines(&ann, 5).await;
    give(&ann, "drop", "red", "drawing.svg").await;
    see(&ann, "#adding.error", "SVG files aren’t accepted").await;
    fill(&ann, "image", SAMPLE).await;
    ann.find(Locator::Css("[data-add=cover]")).await.unwrap().click().await.unwrap();
    see(&ann, "#adding", "Cover image selected. Save the post to apply it.").await;
    press(&ann).await;
    see(&ann, ".notice", "Post published. http://").await;
    drawn(&ann, 6).await;
    ann.goto(&format!("{url}/users/profile/")).await.unwrap();
    fill(&ann, "avatar", AVIF).await;
    wait_for_conversion(&ann).await;
    press(&ann).await;
    see(&ann, ".notice", "Profile saved.").await;
    // The list of posts shows two images: the avatar and the cover image.
    drawn(&ann, 2).await;
    ann.goto(&format!("{url}/images/")).await.unwrap();
    drawn(&ann, 7).await;
    ann.close().await.unwrap();
}

pub async fn uploads_an_image_without_scripts() {
    let Setup { driver, site: _site, url } = Setup::start().await;
    let ann = driver.browser(false).await;
    register(&ann, &url, "ann").await;
    ann.goto(&format!("{url}/blogs/create/")).await.unwrap();
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "First.").await;
    open_pictures(&ann).await;
    fill(&ann, "image", SAMPLE).await;
    press(&ann).await;
    see(&ann, "#image-error", "“turned.jpg” hasn’t been added yet.").await;
    fill(&ann, "image", SAMPLE).await;
    fill(&ann, "alt", "A heron").await;
    ann.find(Locator::Css("[data-add=text]")).await.unwrap().click().await.unwrap();
    see(&ann, "#added", "Image added as the last line of the text.").await;
    let text = ann.find(Locator::Id("content")).await.unwrap().text().await.unwrap();
    assert!(text.starts_with("First.\n\n![A heron](/images/"), "{text}");
    press(&ann).await;
    see(&ann, ".notice", "Post published. http://").await;
    let picture = ann.find(Locator::Css(".content img[alt='A heron']")).await.unwrap();
    assert!(picture.is_displayed().await.unwrap());
    ann.close().await.unwrap();
}

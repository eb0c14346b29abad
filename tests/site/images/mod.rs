//! Images: upload, display and deletion.

mod s3;
mod storage;

use actix_web::http::StatusCode;
use chrono::TimeDelta;
use futures_util::join;
use image::RgbImage;
use serde_json::{Value, json};

use crate::support::{Actor, TestSite};

/// Sample image, created with other software by `make.py` in the folder of the samples.
pub fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/crates/image-encoding/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Image of one color, unique for each `number` below 2^24.
pub fn plain(number: u32) -> Vec<u8> {
    let [_, red, green, blue] = number.to_be_bytes();
    png(&RgbImage::from_pixel(8, 8, image::Rgb([red, green, blue])))
}

/// PNG image of random noise with a file size of about `kilobytes`.
fn noise(seed: u32, kilobytes: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_be_bytes()[1]
    };
    png(&RgbImage::from_fn(100, kilobytes * 10 / 3, |_, _| image::Rgb([next(), next(), next()])))
}

fn png(pixels: &RgbImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    pixels.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

pub async fn add(actor: &Actor, bytes: Vec<u8>) -> String {
    actor.send_image("A heron", bytes).await.expect(201).json()["url"].as_str().unwrap().to_owned()
}

fn errors(answer: &Value) -> String {
    let errors = answer["errors"].as_object().unwrap().iter().map(|(name, errors)| format!("{name}: {}", errors[0]));
    errors.collect::<Vec<_>>().join("\n")
}

#[actix_web::test]
async fn uploaded_image_is_public() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let sent = ann.send_image("A [grey] heron", sample("turned.jpg")).await.expect(201);
    let (image, url) = (sent.json(), sent.header("location").to_owned());
    assert_eq!((&image["url"], &image["width"], &image["height"]), (&json!(url), &json!(80), &json!(120)));
    assert_eq!(image["markdown"], format!("![A \\[grey\\] heron]({url})"));
    // Files of images are immutable, and feed readers on other origins may embed them.
    let file = guest.get(&url).await.expect(200);
    assert_eq!(file.header("content-type"), "image/jpeg");
    assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(file.header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    let conditional = guest.request("GET", &url).header("If-None-Match", file.header("etag"));
    assert_eq!(guest.send(conditional).await.expect(304).text, "");
    let head = guest.send(guest.request("HEAD", &url)).await.expect(200);
    assert_eq!(head.header("content-length"), image["bytes"].to_string());
    for missing in [url.replace(".jpg", ".png"), url.replace("80x", "81x"), "/images/cat.jpg".to_owned()] {
        guest.get(&missing).await.expect_problem(404, "not_found");
        let tag = format!("\"{}\"", missing.trim_start_matches("/images/"));
        let conditional = guest.request("GET", &missing).header("If-None-Match", tag);
        guest.send(conditional.header("Accept", "application/json")).await.expect_problem(404, "not_found");
    }
}

#[actix_web::test]
async fn posts_and_feeds_show_uploaded_images() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let sent = ann.send_image("A [grey] heron", sample("turned.jpg")).await.expect(201);
    let (image, url) = (sent.json(), sent.header("location").to_owned());
    let content = format!("{}\n\nWords.", image["markdown"].as_str().unwrap());
    let post = json!({ "title": "Herons", "content": content, "cover": url });
    ann.post("/blogs/create/", &post).await.expect(201);
    let page = guest.page("/blogs/1/herons/").await.expect_text(&format!("<img class=\"cover\" src=\"{url}\""));
    let tag = format!("<img src=\"{url}\" width=\"80\" height=\"120\" alt=\"A [grey] heron\" loading=\"lazy\"");
    let public_url = format!("http://127.0.0.1:8000{url}");
    page.expect_text(&tag).expect_text(&format!("<meta property=\"og:image\" content=\"{public_url}\">"));
    assert_eq!(guest.get("/blogs/1/").await.json()["cover"], url);
    let item = guest.get("/feeds/json/").await.json()["items"][0].clone();
    assert_eq!(item["image"], public_url);
    assert!(item["content_html"].as_str().unwrap().contains(&format!("<img src=\"{public_url}\"")), "{item}");
    let atom = guest.page("/feeds/atom/").await.expect_text(&format!("&#60;img src=&#34;{public_url}&#34;"));
    atom.expect_no_text("src=&#34;/");
    let own = ann.get("/images/").await.json();
    assert_eq!((&own["results"][0]["in_use"], &own["used_bytes"]), (&json!(true), &image["bytes"]));
    ann.page("/images/").await.expect_text(&format!("<img src=\"{url}\"")).expect_no_text("Delete");
}

#[actix_web::test]
async fn large_images_have_smaller_variants() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let url = add(&ann, png(&RgbImage::from_pixel(2_000, 500, image::Rgb([1, 2, 3])))).await;
    ann.write("Wide", &format!("![wide]({url})")).await;
    let page = site.guest().page("/blogs/1/wide/").await;
    let stem = url.strip_suffix(".png").unwrap();
    page.expect_text(&format!("srcset=\"{stem}-480w.png 480w, {stem}-960w.png 960w, {url} 1920w\""));
    for (path, width) in [(format!("{stem}-480w.png"), 480), (format!("{stem}-960w.png"), 960), (url.clone(), 1_920)] {
        let response = site.guest().request("GET", &path).send().await.unwrap();
        let variant = image::load_from_memory(&response.bytes().await.unwrap()).unwrap();
        assert_eq!((variant.width(), variant.height()), (width, width / 4), "{path}");
    }
    site.guest().get(&format!("{stem}-481w.png")).await.expect(404);
}

const DRAFT_FIELDS: [(&str, &str); 6] = [
    ("title", "Herons & co"),
    ("content", "First.\r\n"),
    ("tags", "birds"),
    ("version", ""),
    ("excerpt", "Short"),
    ("alt", "A heron"),
];

#[actix_web::test]
async fn upload_without_scripts_keeps_the_form_input() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    ann.page("/blogs/create/").await.expect_text("formaction=\"/blogs/images/#pictures\"");
    let into_text = [&DRAFT_FIELDS[..], &[("spot", "text")]].concat();
    let page = ann.submit_file("/blogs/images/", &into_text, ("image", sample("turned.jpg"))).await.expect(200);
    let page =
        page.expect_text("value=\"Herons &#38; co\"").expect_text("value=\"birds\"").expect_text("Short</textarea>");
    let page = page
        .expect_text("First.\n\n![A heron](/images/")
        .expect_text("as the last line of the text")
        .expect_text("isn’t saved yet");
    assert_eq!(page.text.matches("A heron").count(), 1, "the alternative text is kept for the next image");
    let as_cover = [&DRAFT_FIELDS[..], &[("spot", "cover")]].concat();
    let page = ann.submit_file("/blogs/images/", &as_cover, ("image", sample("moving.webp"))).await.expect(200);
    let page = page.expect_text("checked> <img src=\"/images/").expect_text("The animation was removed");
    page.expect_text("First.\n</textarea>");
    let page = ann.submit_file("/blogs/images/", &into_text, ("image", b"<svg/>".to_vec())).await.expect(400);
    let page = page
        .expect_text("SVG files aren’t accepted")
        .expect_text("value=\"Herons &#38; co\"")
        .expect_text("value=\"A heron\"");
    page.expect_text("First.\n</textarea>").expect_text("<a href=\"#image\">Image</a>");
    let page = ann.submit_file("/blogs/images/", &into_text, ("image", Vec::new())).await.expect(400);
    page.expect_text("Choose a file.");
    assert_eq!(site.count("blog_posts").await, 0);
}

/// Checks that a form with a selected file that was not uploaded is rejected, because the file would be lost.
#[actix_web::test]
async fn post_form_with_a_file_that_was_not_uploaded_is_rejected() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let with_file = [&DRAFT_FIELDS[..], &[("image", "cat.jpg"), ("status", "published")]].concat();
    ann.submit("/blogs/create/", &with_file).await.expect(400).expect_text("“cat.jpg” hasn’t been added yet");
    let without_file = [&DRAFT_FIELDS[..], &[("image", ""), ("status", "published")]].concat();
    ann.submit("/blogs/create/", &without_file).await.expect_redirect("/blogs/1/herons-co/");
    let fields = [&DRAFT_FIELDS[..], &[("spot", "text")]].concat();
    let image = ("image", sample("progressive.jpg"));
    let page = ann.submit_file("/blogs/images/?post=1", &fields, image).await.expect(200);
    page.expect_text("action=\"/blogs/1/edit/\"").expect_text("formaction=\"/blogs/images/?post=1#pictures\"");
    let answer = ann.submit_file("/images/", &[("alt", "x")], ("image", sample("cmyk.jpg"))).await;
    answer.expect_redirect("/images/");
    ann.page("/images/").await.expect_text("Image uploaded. To show it in a post").expect_text("value=\"![x](/images/");
}

#[actix_web::test]
async fn animation_has_a_maximum_width() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let animation = |width: u16| {
        let mut bytes = Vec::new();
        let mut encoder = gif::Encoder::new(&mut bytes, width, 2, &[0, 0, 0, 255, 255, 255]).unwrap();
        for color in 0..2 {
            let pixels = vec![color; usize::from(width) * 2];
            let frame = gif::Frame { width, height: 2, buffer: pixels.into(), ..gif::Frame::default() };
            encoder.write_frame(&frame).unwrap();
        }
        drop(encoder);
        bytes
    };
    let added = ann.send_image("x", animation(30_000)).await.expect(201).json();
    assert!(added.to_string().contains("-30000x2.gif"), "{added}");
    ann.send_image("x", animation(30_001)).await.expect_problem(400, "invalid");
}

#[actix_web::test]
async fn invalid_images_get_a_clear_error() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let jpeg = sample("progressive.jpg");
    // Repeats the scans of a JPEG 1,000 times.
    let scan = jpeg.windows(2).position(|two| two == [0xff, 0xda]).unwrap();
    let (before, scans) = jpeg.split_at(scan);
    let with_many_scans = [before, &scans[..scans.len() - 2].repeat(1_000), &[0xff, 0xd9]].concat();
    for (bytes, error) in [
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec(), "SVG"),
        (b"<html><script>alert(1)</script>".to_vec(), "can’t be used as an image"),
        (Vec::new(), "Choose a file."),
        (jpeg[..jpeg.len() / 2].to_vec(), "damaged"),
        ([&sample("moving.gif")[..], b"<script>alert(1)</script>"].concat(), "something besides the image"),
        ([&jpeg[..], b"PK\x05\x06", &[0; 18]].concat(), "something besides the image"),
        (with_many_scans, "damaged"),
        (vec![0x89; (10 << 20) + 1], "maximum is 10 MiB"),
    ] {
        let refused = ann.send_image("x", bytes).await.expect_problem(400, "invalid").json();
        assert!(errors(&refused).starts_with("image: ") && errors(&refused).contains(error), "{refused}");
    }
    let refused = ann.send_image(&"x".repeat(301), jpeg.clone()).await.expect_problem(400, "invalid").json();
    assert!(errors(&refused).starts_with("alt: "), "{refused}");
    let post = json!({ "title": "T", "content": "x", "cover": "/images/cat.jpg" });
    let cover = ann.post("/blogs/create/", &post).await.expect_problem(400, "invalid").json();
    assert!(errors(&cover).starts_with("cover: "), "{cover}");
    assert_eq!((site.count("images").await, site.count("image_owners").await), (0, 0));
}

#[actix_web::test]
async fn malformed_and_anonymous_uploads_are_rejected() {
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    let jpeg = sample("progressive.jpg");
    // A body that exceeds the limit is rejected unread.
    ann.send_image("x", vec![0; 12 << 20]).await.expect_problem(413, "too_large");
    site.guest().send_image("x", jpeg.clone()).await.expect_problem(401, "not_signed_in");
    ann.submit_file("/blogs/create/", &[("title", "x")], ("content", jpeg)).await.expect(415);
    let malformed = |body: &'static str| {
        ann.request("POST", "/images/")
            .header("Content-Type", "multipart/form-data; boundary=x")
            .header("Accept", "application/json")
            .body(body)
    };
    for body in ["", "--x", "--x\r\nContent-Disposition: form-data\r\n\r\ny\r\n--x--\r\n", "--y\r\n\r\n--y--\r\n"] {
        let answer = ann.send(malformed(body)).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST.as_u16(), "{body}: {}", answer.text);
    }
    let without_boundary = ann.request("POST", "/images/").header("Content-Type", "multipart/form-data").body("x");
    ann.send(without_boundary.header("Accept", "application/json")).await.expect_problem(400, "malformed");
    let text = ann.post("/images/", &json!({ "image": "cat.jpg" })).await.expect_problem(400, "invalid").json();
    assert!(errors(&text).contains("multipart/form-data"), "{text}");
    assert_eq!((site.count("images").await, site.count("image_owners").await), (0, 0));
}

#[actix_web::test]
async fn images_of_a_user_have_a_total_size_limit() {
    let site = TestSite::start_with(&[("IMAGE_QUOTA_MB", "1")], 1).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await);
    let (first, second) = (add(&ann, noise(1, 400)).await, add(&ann, noise(2, 400)).await);
    let refused = ann.send_image("x", noise(3, 400)).await.expect_problem(400, "invalid").json();
    assert!(errors(&refused).contains("the limit is 1 MB"), "{refused}");
    // A repeated upload of an image uses no more of the user's quota. The image also counts towards the quota of each
    // other user who uploads it.
    assert_eq!(add(&ann, noise(2, 400)).await, second);
    add(&bob, noise(1, 400)).await;
    ann.write("Noise", &format!("![n]({first})")).await;
    ann.post(&format!("{first}/delete/"), &json!({})).await.expect_problem(409, "image_in_use");
    bob.post(&format!("{second}/delete/"), &json!({})).await.expect_problem(404, "not_found");
    ann.post(&format!("{second}/delete/"), &json!({})).await.expect(204);
    ann.post(&format!("{second}/delete/"), &json!({})).await.expect_problem(404, "not_found");
    let own = ann.get("/images/").await.json();
    assert_eq!((own["results"].as_array().unwrap().len(), &own["results"][0]["url"]), (1, &json!(first)));
    add(&ann, noise(3, 400)).await;
}

/// Checks that uploads are limited to a burst of 60 and one every 30 seconds. Rejected uploads count, because the
/// server has read them.
#[actix_web::test]
async fn uploads_of_a_user_are_rate_limited() {
    let site = TestSite::start().await;
    let carl = site.user("carl").await;
    for number in 0..60 {
        let answer = carl.send_image("x", plain(number)).await;
        assert_eq!(answer.status, 201, "{number}: {}", answer.text);
    }
    let refused = carl.send_image("x", plain(60)).await.expect_problem(429, "images_limited");
    assert!((25..=30).contains(&refused.retry_after()), "{}", refused.retry_after());
    site.advance_clock(TimeDelta::seconds(30));
    carl.send_image("x", plain(61)).await.expect(201);
    let first = carl.get("/images/").await.json();
    assert_eq!(first["results"].as_array().unwrap().len(), 24);
    let second = carl.get(first["next"].as_str().unwrap()).await.json();
    let third = carl.get(second["next"].as_str().unwrap()).await.json();
    assert_eq!((third["results"].as_array().unwrap().len(), &third["next"]), (13, &json!(null)));
    let previous = carl.get(third["previous"].as_str().unwrap()).await.json();
    assert_eq!(previous["results"], second["results"]);
}

#[actix_web::test]
async fn image_belongs_to_its_uploader() {
    let site = TestSite::start().await;
    let (ann, bob, guest) = (site.user("ann").await, site.user("bob").await, site.guest());
    let url = add(&ann, plain(1)).await;
    // Other users can link to an image. Their links neither keep it nor mark it as used.
    bob.write("Pinned", &format!("![x]({url})")).await;
    bob.post("/users/profile/", &json!({ "about": format!("![x]({url})") })).await.expect(200);
    let post = json!({ "title": "T", "content": "x", "cover": url });
    let refused = bob.post("/blogs/create/", &post).await.expect_problem(400, "invalid").json();
    assert_eq!(errors(&refused), "cover: \"You don’t have this image. Choose one of your uploaded images.\"");
    assert_eq!(ann.get("/images/").await.json()["results"][0]["in_use"], false);
    // The response does not reveal that another user has uploaded the same image.
    let post_of_ann = ann.write("Mine", &format!("![x]({url})")).await;
    assert_eq!(bob.send_image("x", plain(1)).await.expect(201).json()["in_use"], false);
    for act in ["delete", "purge"] {
        ann.post(&format!("/blogs/{post_of_ann}/{act}/"), &json!({})).await.expect(204);
    }
    ann.post(&format!("{url}/delete/"), &json!({})).await.expect(204);
    guest.get(&url).await.expect(200);
    // The file is deleted when its last owner deletes the image. Pages that still link to the image show its
    // alternative text.
    bob.post(&format!("{url}/delete/"), &json!({})).await.expect(204);
    guest.get(&url).await.expect_problem(404, "not_found");
    guest.page("/blogs/1/pinned/").await.expect(200).expect_text("alt=\"x\"");
    // An edit by staff of another user's post can use images of both the staff member and the author.
    let url = add(&bob, plain(2)).await;
    sqlx::query("update users set is_staff = true where username = 'ann'").execute(&site.pool).await.unwrap();
    let image_of_ann = add(&ann, plain(3)).await;
    let both = json!({ "title": "Pinned", "content": format!("![x]({url}) ![y]({image_of_ann})") });
    ann.post("/blogs/1/edit/", &both).await.expect(200);
    for (actor, url) in [(&ann, &image_of_ann), (&bob, &url)] {
        actor.post(&format!("{url}/delete/"), &json!({})).await.expect_problem(409, "image_in_use");
    }
}

#[actix_web::test]
async fn user_uploads_an_avatar() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    ann.write("Herons", "stand").await;
    let fields = [("display_name", "Ann"), ("about", ""), ("link", ""), ("time_zone", "")];
    ann.submit_file("/users/profile/", &fields, ("avatar", sample("turned.png"))).await.expect_redirect("/users/ann/");
    let avatar = guest.get("/users/ann/").await.json()["avatar"].as_str().unwrap().to_owned();
    assert!(avatar.ends_with("-80x80.png"), "{avatar}");
    guest.page("/users/ann/").await.expect_text(&format!("<img class=\"avatar large\" src=\"{avatar}\""));
    guest.page("/blogs/1/herons/").await.expect_text(&format!("<img class=\"avatar\" src=\"{avatar}\""));
    ann.submit_file("/users/profile/", &fields, ("avatar", Vec::new())).await.expect(303);
    let invalid = [&fields[1..], &[("display_name", "\u{200b}")]].concat();
    ann.submit_file("/users/profile/", &invalid, ("avatar", sample("progressive.jpg"))).await.expect(400);
    let page = ann.submit_file("/users/profile/", &fields, ("avatar", b"<svg/>".to_vec())).await.expect(400);
    page.expect_text("SVG files aren’t accepted").expect_text("id=\"avatar-error\"").expect_text(&avatar);
    assert_eq!(guest.get("/users/ann/").await.json()["avatar"], avatar);
}

#[actix_web::test]
async fn user_selects_an_own_image_as_avatar() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let url = add(&ann, plain(7)).await;
    let image_of_bob = add(&site.user("bob").await, plain(8)).await;
    for other in [&image_of_bob, "/images/cat.jpg", "https://example.org/cat.jpg"] {
        ann.post("/users/profile/", &json!({ "avatar": other })).await.expect_problem(400, "invalid");
    }
    assert_eq!(ann.post("/users/profile/", &json!({ "avatar": url })).await.expect(200).json()["avatar"], url);
    ann.post(&format!("{url}/delete/"), &json!({})).await.expect_problem(409, "image_in_use");
    ann.submit("/users/profile/", &[("avatar", "")]).await.expect(303);
    assert_eq!(guest.get("/users/ann/").await.json()["avatar"], json!(null));
    ann.post(&format!("{url}/delete/"), &json!({})).await.expect(204);
}

#[actix_web::test]
async fn image_that_becomes_an_avatar_or_a_cover_is_not_deleted_at_the_same_time() {
    let site = TestSite::start_with(&[], 2).await;
    let ann = site.user("ann").await;
    let other = ann.with_instance(site.instances[1]);
    let post = ann.write("Herons", "stand").await;
    for round in 0..10 {
        let url = add(&ann, plain(round)).await;
        let delete = format!("{url}/delete/");
        let use_image = async {
            if round % 2 == 0 {
                other.post("/users/profile/", &json!({ "avatar": url })).await
            } else {
                let change = json!({ "title": "Herons", "content": "stand", "cover": url });
                other.post(&format!("/blogs/{post}/edit/"), &change).await
            }
        };
        let nothing = json!({});
        let (deleted, used) = join!(ann.post(&delete, &nothing), use_image);
        let outcome = (deleted.status.as_u16(), used.status.as_u16());
        assert!([(204, 400), (409, 200)].contains(&outcome), "round {round}: {outcome:?}");
        assert_eq!(ann.get(&url).await.status == 200, used.status == 200);
    }
}

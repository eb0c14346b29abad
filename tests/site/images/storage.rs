//! Retention of images and their files.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::TimeDelta;
use evenkeel::images::image_library::ImageLibrary;
use evenkeel_image_encoding::CropMode;
use evenkeel_image_encoding::sandbox::encode_in_sandbox;
use evenkeel_image_encoding::{ImageProblem, WorkerError};
use futures_util::future::join_all;
use serde_json::json;

use super::{add, plain, sample};
use crate::support::{Actor, TestSite, another_instance};

async fn is_there(guest: &Actor, url: &str) -> bool {
    guest.get(url).await.status == 200
}

fn folder(of: &tempfile::TempDir) -> String {
    format!("file:{}", of.path().display())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[actix_web::test]
async fn unused_image_is_deleted_after_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let site = TestSite::start_with(&[("IMAGE_STORE", &folder(&dir))], 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let mut urls = Vec::new();
    for number in 0..6 {
        urls.push(add(&ann, plain(number)).await);
    }
    let [in_text, as_cover, in_draft, in_profile, unused, taken_out] = <[String; 6]>::try_from(urls).unwrap();
    let create = async |post: serde_json::Value| ann.post("/blogs/create/", &post).await.expect(201);
    create(json!({ "title": "One", "content": format!("[![x]({in_text})](https://e.example)") })).await;
    create(json!({ "title": "Two", "content": "x", "cover": as_cover })).await;
    create(json!({ "title": "Three", "content": format!("![x]({in_draft})"), "status": "draft" })).await;
    create(json!({ "title": "Four", "content": format!("![x]({taken_out})") })).await;
    ann.post("/users/profile/", &json!({ "about": format!("![me]({in_profile})") })).await.expect(200);
    let house = site.site().housekeeping();
    site.advance_clock(TimeDelta::hours(23));
    house.delete_unused_images().await;
    assert!(is_there(&guest, &unused).await);
    site.advance_clock(TimeDelta::hours(2));
    house.delete_unused_images().await;
    assert!(!is_there(&guest, &unused).await);
    for used in [&in_text, &as_cover, &in_draft, &in_profile, &taken_out] {
        assert!(is_there(&guest, used).await, "{used}");
    }
    assert_eq!(ann.get("/images/").await.json()["results"].as_array().unwrap().len(), 5);
    // The grace period of one day begins when the image is removed from the post, and ends when the image is used
    // again.
    ann.post("/blogs/4/edit/", &json!({ "title": "Four", "content": "x" })).await.expect(200);
    for act in ["delete", "purge"] {
        ann.post(&format!("/blogs/3/{act}/"), &json!({})).await.expect(204);
    }
    house.delete_unused_images().await;
    site.advance_clock(TimeDelta::hours(23));
    ann.post("/blogs/4/edit/", &json!({ "title": "Four", "content": format!("![x]({taken_out})") })).await.expect(200);
    site.advance_clock(TimeDelta::hours(2));
    house.delete_unused_images().await;
    assert!(is_there(&guest, &taken_out).await && !is_there(&guest, &in_draft).await);
    assert_eq!(files(dir.path()).len(), 4);
    assert_eq!(add(&ann, plain(4)).await, unused);
    assert!(is_there(&guest, &unused).await);
}

#[actix_web::test]
async fn stray_image_files_are_deleted_after_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let site = TestSite::start_with(&[("IMAGE_STORE", &folder(&dir))], 1).await;
    let ann = site.user("ann").await;
    let (own, stray, young) = (add(&ann, plain(1)).await, add(&ann, plain(2)).await, add(&ann, plain(3)).await);
    sqlx::raw_sql(
        "delete from images where name not like '%' || (select substr(name, 9) from images order by id limit 1)",
    )
    .execute(&site.pool)
    .await
    .unwrap();
    std::fs::write(dir.path().join("notes.txt"), "of the operator").unwrap();
    // File times follow the site's test clock, which is far behind the machine's clock.
    let at = |time: TimeDelta| {
        let now = site.clock.now().unwrap() + time;
        SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(now.timestamp()).unwrap())
    };
    let date = |url: &str, time: TimeDelta| {
        let name = url.strip_prefix("/images/").unwrap();
        let file = std::fs::File::options().write(true).open(dir.path().join(&name[..2]).join(name)).unwrap();
        file.set_modified(at(time)).unwrap();
    };
    date(&own, TimeDelta::days(-9));
    date(&stray, TimeDelta::hours(-25));
    date(&young, TimeDelta::hours(-23));
    assert_eq!(site.site().state.images.delete_stray_files().await.unwrap(), 1);
    assert!(is_there(&site.guest(), &own).await && is_there(&site.guest(), &young).await);
    assert!(!is_there(&site.guest(), &stray).await && dir.path().join("notes.txt").exists());
    assert_eq!(site.count("images").await, 1);
}

#[actix_web::test]
async fn concurrent_upload_use_and_deletion_keep_files_of_used_images() {
    let site = TestSite::start_with(&[], 2).await;
    let (ann, bob) = (site.user("ann").await, site.user("bob").await.with_instance(site.instances[1]));
    let (first, second) = (&site.site_of(0).state.images, &site.site_of(1).state.images);
    // Backdates unused images, so that their grace period of one day is over.
    let forget = "update images set unused_since = 'epoch' where unused_since is not null";
    let sweep = async |library: &ImageLibrary| {
        for _ in 0..12 {
            sqlx::raw_sql(forget).execute(&site.pool).await.unwrap();
            library.update_unused_since().await.unwrap();
            library.delete_next_unused().await.unwrap();
        }
    };
    let write = async |actor: &Actor| {
        let mut shown = Vec::new();
        for round in 0..8 {
            let url = add(actor, plain(round % 3)).await;
            let post = actor.write("T", &format!("![x]({url})")).await;
            if round % 2 == 0 {
                actor.post(&format!("/blogs/{post}/delete/"), &json!({})).await.expect(204);
            } else {
                shown.push(url);
            }
        }
        shown
    };
    let ((), (), shown, others) = futures_util::join!(sweep(first), sweep(second), write(&ann), write(&bob));
    // In every interleaving, an image with a row has its file, and an image without a row has none.
    let stored: Vec<String> =
        sqlx::query_scalar("select '/images/' || name from images").fetch_all(&site.pool).await.unwrap();
    for url in join_all(stored.iter().map(async |url| (url, is_there(&site.guest(), url).await))).await {
        assert!(url.1, "{} has lost its file", url.0);
    }
    for url in shown.iter().chain(&others) {
        assert_eq!(is_there(&site.guest(), url).await, stored.contains(url), "{url}");
    }
    let uses_without_image =
        "select count(*) from image_uses where not exists (select from images where id = image_id)";
    assert_eq!(sqlx::query_scalar::<_, i64>(uses_without_image).fetch_one(&site.pool).await.unwrap(), 0);
}

#[actix_web::test]
async fn crash_of_the_image_decoder_affects_only_its_upload() {
    let read = async |program: &str| encode_in_sandbox(Path::new(program), plain(1), CropMode::Whole).await;
    assert!(matches!(read("/bin/false").await, Ok(Err(ImageProblem::Damaged))));
    assert!(matches!(read("/nowhere/evenkeel").await, Err(WorkerError::Run(_))));
    assert!(read(env!("CARGO_BIN_EXE_evenkeel")).await.unwrap().is_ok());
    // Corrupted files are accepted or rejected, but never cause a server error.
    let site = TestSite::start().await;
    let ann = site.user("ann").await;
    for (number, name) in ["turned.png", "moving.gif", "turned.webp", "progressive.jpg"].iter().enumerate() {
        let mut bytes = sample(name);
        for at in (40..bytes.len()).step_by(61 + number) {
            bytes[at] ^= 0xa5;
        }
        let answer = ann.send_image("x", bytes).await;
        assert!([201, 400].contains(&answer.status.as_u16()), "{name}: {}", answer.text);
    }
    ann.send_image("x", sample("turned.png")).await.expect(201);
}

#[actix_web::test]
async fn export_includes_images_and_deletion_keeps_images_of_remaining_posts() {
    let site = TestSite::start().await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let (shown, unused) = (add(&ann, sample("turned.jpg")).await, add(&ann, plain(2)).await);
    ann.submit_file("/users/profile/", &[], ("avatar", plain(3))).await.expect(303);
    let avatar = guest.get("/users/ann/").await.json()["avatar"].as_str().unwrap().to_owned();
    ann.write("Herons", &format!("![x]({shown})")).await;
    let exported = ann.request("GET", "/users/export/").send().await.unwrap().bytes().await.unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(exported.to_vec())).unwrap();
    for url in [&shown, &unused, &avatar] {
        let mut file = archive.by_name(url.strip_prefix('/').unwrap()).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        assert_eq!(bytes, guest.request("GET", url).send().await.unwrap().bytes().await.unwrap());
    }
    let listed: serde_json::Value = serde_json::from_reader(archive.by_name("images.json").unwrap()).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["alt"]), (3, &json!("A heron")));
    // After an account is deleted, images used only by the profile are deleted, and images in its remaining posts stay.
    ann.post("/users/delete/", &json!({ "current_password": crate::support::PASSWORD, "posts": "keep" }))
        .await
        .expect(202);
    site.advance_clock(TimeDelta::days(8));
    let house = site.site().housekeeping();
    house.erase_due_accounts().await;
    house.delete_unused_images().await;
    site.advance_clock(TimeDelta::days(2));
    house.delete_unused_images().await;
    assert!(is_there(&guest, &shown).await && !is_there(&guest, &unused).await && !is_there(&guest, &avatar).await);
    assert_eq!(site.count("image_owners").await, 0);
    guest.page("/blogs/1/herons/").await.expect_no_text("class=\"avatar\"").expect_text(&shown);
}

#[actix_web::test]
async fn files_that_cannot_be_deleted_are_deleted_later() {
    let dir = tempfile::tempdir().unwrap();
    let store_dir = dir.path().join("images");
    let site = TestSite::start_with(&[("IMAGE_STORE", &format!("file:{}", store_dir.display()))], 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let url = add(&ann, plain(1)).await;
    let moved_dir = dir.path().join("away");
    std::fs::rename(&store_dir, &moved_dir).unwrap();
    std::fs::write(&store_dir, "").unwrap();
    ann.post(&format!("{url}/delete/"), &json!({})).await.expect(204);
    assert_eq!((site.count("images").await, site.count("image_owners").await), (0, 0));
    std::fs::remove_file(&store_dir).unwrap();
    std::fs::rename(&moved_dir, &store_dir).unwrap();
    guest.get(&url).await.expect(200);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    for file in files(&store_dir) {
        std::fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    assert_eq!(site.site().state.images.delete_stray_files().await.unwrap(), 1);
    guest.get(&url).await.expect(404);
}

#[actix_web::test]
async fn unavailable_image_store_delays_only_image_requests() {
    let dir = tempfile::tempdir().unwrap();
    let store_dir = dir.path().join("images");
    let site = TestSite::start_with(&[("IMAGE_STORE", &format!("file:{}", store_dir.display()))], 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let url = add(&ann, plain(1)).await;
    ann.write("Herons", &format!("![x]({url})")).await;
    // The folder is replaced by a file, so that reads and writes fail.
    let moved_dir = dir.path().join("away");
    std::fs::rename(&store_dir, &moved_dir).unwrap();
    std::fs::write(&store_dir, "").unwrap();
    guest.get(&url).await.expect_problem(503, "unavailable");
    ann.send_image("x", plain(2)).await.expect_problem(503, "unavailable");
    assert_eq!((site.count("images").await, site.count("image_owners").await), (1, 1));
    guest.page("/blogs/1/herons/").await.expect(200);
    assert!(guest.is_site_ready().await);
    site.advance_clock(TimeDelta::days(2));
    site.site().housekeeping().delete_unused_images().await;
    std::fs::remove_file(&store_dir).unwrap();
    std::fs::rename(&moved_dir, &store_dir).unwrap();
    guest.get(&url).await.expect(200);
    ann.send_image("x", plain(2)).await.expect(201);
    let (other, _handles) = another_instance(&site, &[("IMAGE_STORE", &format!("file:{}", store_dir.display()))]);
    guest.with_instance(other).get(&url).await.expect(200);
}

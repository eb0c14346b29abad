//! Backup and restore. A restored site equals a snapshot of the original, and a failed restore changes nothing.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::Signal;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::images::{add, plain};
use crate::support::{Actor, PASSWORD, Program, RunningProgram, private_table_checksums, reachable_tempdir};

/// Program with a private database in its own directory.
fn program(dir: &tempfile::TempDir) -> Program {
    let program = Program::new(dir.path()).with("SIGN_IN_THROTTLE", "off").with("RUST_LOG", "warn");
    program.with("RATING_LIMITER", "off").with("RATING_EDIT_LIMIT", "off")
}

async fn register(program: &Program, name: &str) -> Actor {
    let actor = Actor::new(program.address);
    let body = json!({ "username": name, "email": "a@example.org", "password": PASSWORD });
    actor.post("/users/register/", &body).await.expect(201);
    actor
}

fn restored(from: &Path, name: &str) -> (tempfile::TempDir, Program) {
    let dir = reachable_tempdir();
    let program = program(&dir);
    let (succeeded, output) = program.run(&["restore", from.join(name).to_str().unwrap()]);
    assert!(succeeded && output.starts_with("Restored "), "{output}");
    (dir, program)
}

#[actix_web::test]
async fn backup_is_consistent_and_can_be_restored_elsewhere() {
    let dir = reachable_tempdir();
    let original = program(&dir);
    let running = original.start().await;
    let ann = register(&original, "ann").await;
    let post = ann.write("Herons", "They stand.").await;
    let image = add(&ann, plain(7)).await;
    let mut readers = Vec::new();
    for number in 0..8 {
        let reader = register(&original, &format!("reader{number}")).await;
        reader.rate(post, 1 + number % 5).await.expect(201);
        readers.push(reader);
    }
    // Ratings change and posts are created while the backup runs.
    let is_done = Arc::new(AtomicBool::new(false));
    let changing = readers.into_iter().enumerate().map(|(number, reader)| {
        let is_done = is_done.clone();
        async move {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                count += 1;
                reader.change_rating(post, 1 + (count + i64::try_from(number).unwrap()) % 5).await.expect(200);
                if count % 5 == 0 {
                    reader.write(&format!("Post {count} of {number}"), "Text").await;
                }
            }
            count
        }
    });
    let changing = actix_web::rt::spawn(futures_util::future::join_all(changing));
    let (command, dir_of_run) = (original.command(&["backup", "loaded.tar"]), dir.path().to_owned());
    let backup = actix_web::rt::task::spawn_blocking(move || {
        let mut command = command;
        command.output().unwrap()
    });
    let backup = backup.await.unwrap();
    is_done.store(true, Ordering::Relaxed);
    let changes: i64 = changing.await.unwrap().iter().sum();
    let output = String::from_utf8_lossy(&backup.stdout);
    assert!(backup.status.success() && output.contains(" and 1 image files (") && changes > 0, "{backup:?}");
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(dir_of_run.join("loaded.tar")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "whoever has the file has the site");
    }
    running.signal(Signal::SIGTERM);

    let (_loaded_dir, loaded) = restored(dir.path(), "loaded.tar");
    let (is_correct, output) = loaded.run(&["check_ratings"]);
    assert!(is_correct && output.contains("with 8 ratings"), "{output}");

    // A backup of a stopped site restores every row, image and session.
    let (succeeded, output) = original.run(&["backup", "quiet.tar"]);
    assert!(succeeded, "{output}");
    let (restored_dir, restored_site) = restored(dir.path(), "quiet.tar");
    let (before, after) = (
        private_table_checksums(&dir.path().join("data")).await,
        private_table_checksums(&restored_dir.path().join("data")).await,
    );
    assert!(before == after && before.len() > 20, "{before:?}\n{after:?}");
    let running = restored_site.start().await;
    let ann = ann.with_instance(restored_site.address);
    assert_eq!(ann.get("/users/me/").await.expect(200).json()["username"], "ann");
    ann.get(&image).await.expect(200);
    let next = ann.write("Next", "One more").await;
    assert!(next > post);
    running.signal(Signal::SIGTERM);
}

/// Copies a backup, adds entries before and after the entry with the digest, and recomputes the digest.
fn with_entries(backup: &[u8], before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<u8> {
    let (mut builder, mut digest) = (tar::Builder::new(Vec::new()), Sha256::new());
    let mut add = |name: &str, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        builder.append(&header, content).unwrap();
    };
    let mut archive = tar::Archive::new(backup);
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == "sha256" {
            for (name, content) in before {
                digest.update(name);
                digest.update(content);
                add(name, content.as_bytes());
            }
            let sum = digest.clone().finalize().iter().fold(String::new(), |sum, byte| format!("{sum}{byte:02x}"));
            add(&name, sum.as_bytes());
        } else {
            digest.update(&name);
            digest.update(&content);
            add(&name, &content);
        }
    }
    for (name, content) in after {
        add(name, content.as_bytes());
    }
    builder.into_inner().unwrap()
}

#[actix_web::test]
async fn restore_of_an_incomplete_backup_leaves_nothing_behind() {
    let dir = reachable_tempdir();
    let original = program(&dir);
    for command in ["migrate", "seed_demo"] {
        let (succeeded, output) = original.run(&[command]);
        assert!(succeeded, "{output}");
    }
    let images = dir.path().join("data/images/ab");
    std::fs::create_dir_all(&images).unwrap();
    std::fs::write(images.join("picture.png"), "ignored").unwrap();
    let (succeeded, output) = original.run(&["backup", "site.tar"]);
    assert!(succeeded, "{output}");
    let (succeeded, output) = original.run(&["restore", "site.tar"]);
    assert!(!succeeded && output.contains("already contains a database; nothing was changed"), "{output}");

    let backup = std::fs::read(dir.path().join("site.tar")).unwrap();
    let change_bytes = |change: fn(&mut Vec<u8>)| {
        let mut bytes = backup.clone();
        change(&mut bytes);
        bytes
    };
    let change_digit = |text: &str| {
        let backup = String::from_utf8_lossy(&backup[..4_096]).into_owned();
        let at = backup.find(text).unwrap() + text.len();
        let mut bytes = change_bytes(|_| ());
        bytes[at] = b'9';
        bytes
    };
    let invalid_backups = [
        (b"no backup at all".to_vec(), "is not a backup of Evenkeel"),
        (std::fs::read(env!("CARGO_BIN_EXE_evenkeel")).unwrap()[..100_000].to_vec(), "is not a backup of Evenkeel"),
        (change_bytes(|bytes| bytes.truncate(100_000)), "nothing was restored: "),
        (change_bytes(|bytes| bytes.truncate(bytes.len() - 2_048)), "truncated or damaged"),
        (change_bytes(|bytes| bytes[100_000] ^= 1), "nothing was restored: "),
        (
            change_bytes(|bytes| {
                // The last byte that is not padding is the last digit of the digest.
                let at = bytes.iter().rposition(|byte| *byte != 0).unwrap();
                bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            }),
            "the content of the backup does not match its checksum",
        ),
        (change_digit("\"form\": "), "which is newer than this version"),
        (change_digit("\"rows\": "), "nothing was restored: "),
        (with_entries(&backup, &[], &[("images/ab/late.png", "x")]), "the backup has data after its checksum"),
        // Files are restored under temporary names, so a file at the path of a directory fails only at the final
        // rename.
        (with_entries(&backup, &[("images/ln", "x"), ("images/ln/x.png", "x")], &[]), "Is a directory"),
        (with_entries(&backup, &[("images//etc/x", "x")], &[]), "is outside of the image folder"),
        (with_entries(&backup, &[("imagesfoo/x", "x")], &[]), "unknown entry imagesfoo/x"),
    ];
    let other_dir = reachable_tempdir();
    let other = program(&other_dir);
    for (bytes, problem) in invalid_backups {
        std::fs::write(other_dir.path().join("bad.tar"), bytes).unwrap();
        let (succeeded, output) = other.run(&["restore", "bad.tar"]);
        assert!(!succeeded && output.contains(problem), "{problem}: {output}");
        for name in ["postgres", "successor", "images", "secret_key"] {
            assert!(!other_dir.path().join("data").join(name).exists(), "{problem}: {name}");
        }
    }
    let existing_image = other_dir.path().join("data/images/ab/picture.png");
    std::fs::create_dir_all(existing_image.parent().unwrap()).unwrap();
    std::fs::write(&existing_image, "mine").unwrap();
    std::fs::write(other_dir.path().join("bad.tar"), change_digit("\"rows\": ")).unwrap();
    assert!(!other.run(&["restore", "bad.tar"]).0);
    assert_eq!(std::fs::read_to_string(&existing_image).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(existing_image.parent().unwrap()).unwrap().count(), 1);
    std::fs::remove_dir_all(other_dir.path().join("data/images")).unwrap();
    let file = dir.path().join("site.tar");
    let mut command = other.command(&["restore", file.to_str().unwrap()]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let running = RunningProgram { child };
    while !other_dir.path().join("data/successor/postgres").exists() {
        tokio::task::yield_now().await;
    }
    running.signal(Signal::SIGKILL);
    assert!(!other_dir.path().join("data/postgres").exists());
    let (succeeded, output) = other.run(&["restore", file.to_str().unwrap()]);
    assert!(succeeded, "{output}");
    assert!(other_dir.path().join("data/images/ab/picture.png").exists());
    let (is_correct, output) = other.run(&["check_ratings"]);
    assert!(is_correct && output.contains("All rating totals and scores are correct."), "{output}");
}

#[actix_web::test]
async fn backup_uses_the_client_programs_of_the_server_version() {
    let dir = reachable_tempdir();
    let program_of_server = program(&dir).with("DATABASE_URL", "postgres://evenkeel@127.0.0.1:1/evenkeel");
    for command in [vec!["backup", "x.tar"], vec!["restore", "x.tar"], vec!["upgrade-database"]] {
        let (succeeded, output) = program_of_server.run(&command);
        assert!(!succeeded && output.contains("DATABASE_URL is set"), "{output}");
    }
    let (succeeded, output) = program(&dir).run(&["upgrade-database"]);
    assert!(!succeeded && output.contains("there is no database in "), "{output}");
    assert!(!dir.path().join("x.tar").exists());
}

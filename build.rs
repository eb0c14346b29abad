//! Extracts Swagger UI, which renders the API reference, and recompiles the crate when a migration or a translation
//! file is added. The macros that embed these folders only track files that existed at the last build.

use std::error::Error;
use std::io::Cursor;
use std::path::Path;
use std::{env, fs, io};

use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;
use zip::ZipArchive;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=locales");
    extract_swagger_ui(Path::new(&env::var("OUT_DIR")?))
}

/// Copies the script and the style sheet of Swagger UI from its source archive to a folder.
fn extract_swagger_ui(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut archive = ZipArchive::new(Cursor::new(SWAGGER_UI_VENDORED))?;
    for name in ["swagger-ui.css", "swagger-ui-bundle.js"] {
        let path = format!("/dist/{name}");
        let files = archive.file_names().filter_map(Result::ok);
        let path = files.into_iter().find(|file| file.ends_with(&path)).ok_or(path)?.into_owned();
        io::copy(&mut archive.by_name(&path)?, &mut fs::File::create(folder.join(name))?)?;
    }
    Ok(())
}

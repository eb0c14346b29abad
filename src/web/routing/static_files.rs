//! Static files, embedded in the binary.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag};
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::endpoint::Endpoint;
use super::urls;
use crate::i18n::{Language, Locale, script_messages};
use crate::web::error::AppError;
use crate::web::response::site_identity::Logo;
use crate::web::response::view::matches_etag;
use crate::web::state::AppState;

struct File {
    name: String,
    content_type: &'static str,
    text: String,
    /// Prefix of the SHA-256 hash of the content.
    hash: String,
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let mut files = vec![
        file("style.css", "text/css; charset=utf-8", include_str!("../../../static/style.css")),
        file("icon.svg", "image/svg+xml; charset=utf-8", include_str!("../../../static/icon.svg")),
    ];
    files.extend(Language::all_with_pseudo().flat_map(scripts));
    files
});

/// Returns the scripts of a language: the translated texts and the modules that import them. Import URLs contain the
/// language and hash, so that the browser does not load a module twice under different URLs.
fn scripts(language: Language) -> [File; 3] {
    let script = |name, text: &str| file(&localized_name(name, language), "text/javascript; charset=utf-8", text);
    let (tag, all) = (json!(language.formatting_locale()), Value::Object(script_messages(language)));
    let words = script("words.js", &format!("export const language = {tag};\nexport const words = {all};\n"));
    let importing = |text: &str, name: &str, file: &File| {
        text.replace(&format!("./{name}"), &format!("./{}?v={}", file.name, file.hash))
    };
    let site = script("site.js", &importing(include_str!("../../../static/site.js"), "words.js", &words));
    let writing = importing(include_str!("../../../static/writing.js"), "words.js", &words);
    let writing = script("writing.js", &importing(&writing, "site.js", &site));
    [words, site, writing]
}

/// Inserts the language into a file name: `site.js` becomes `site.fa.js`.
fn localized_name(name: &str, language: Language) -> String {
    name.replace('.', &format!(".{}.", language.tag()))
}

fn file(name: &str, content_type: &'static str, text: &str) -> File {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(text)[..12]);
    File { name: name.to_owned(), content_type, text: text.to_owned(), hash }
}

/// Returns the URL path of a static file, with its hash.
#[must_use]
pub fn url(name: &str) -> String {
    let file = FILES.iter().find(|file| file.name == name);
    urls::static_file_path(name, file.map(|file| file.hash.as_str()))
}

/// Returns the URL path of a script in the user's language.
#[must_use]
pub fn script_url(name: &str, locale: Locale) -> String {
    url(&localized_name(name, locale.language))
}

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new(urls::STATIC_FILE).get(serve)]
}

async fn serve(name: web::Path<String>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    if let Some(file) = FILES.iter().find(|file| file.name == *name) {
        return Ok(file_response(&request, file.content_type, &file.hash, || file.text.clone().into()));
    }
    let state = request.app_data::<web::Data<AppState>>().filter(|_| *name == Logo::NAME);
    let logo = state.and_then(|state| state.settings.site.logo.as_ref()).ok_or(AppError::NotFound)?;
    Ok(file_response(&request, logo.content_type, &logo.hash, || logo.bytes.clone().into()))
}

/// Responds with a file, or with 304 if the client has it cached.
fn file_response(
    request: &HttpRequest,
    content_type: &'static str,
    hash: &str,
    body: impl Fn() -> Bytes,
) -> HttpResponse {
    let current = request.query_string() == format!("v={hash}");
    let cache = if current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = EntityTag::new_strong(hash.to_owned());
    let known = matches_etag(request, &tag);
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, cache)).insert_header((ETAG, tag.to_string()));
    if known {
        return response.finish();
    }
    response.insert_header((CONTENT_TYPE, content_type)).body(body())
}

//! The files in `static/`, inside the binary.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, EntityTag};
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::endpoint::Endpoint;
use super::error::AppError;
use super::identity::Logo;
use super::state::AppState;
use super::urls;
use super::view::is_known;

struct File {
    name: &'static str,
    content_type: &'static str,
    text: String,
    /// The beginning of the content's SHA-256.
    hash: String,
}

static FILES: LazyLock<[File; 4]> = LazyLock::new(|| {
    let script = |name, text: &str| file(name, "text/javascript; charset=utf-8", text);
    let site = script("site.js", include_str!("../../static/site.js"));
    // What it imports has to be the script that the page has loaded, not another copy of it.
    let writing = include_str!("../../static/writing.js").replace("./site.js", &format!("./site.js?v={}", site.hash));
    [
        file("style.css", "text/css; charset=utf-8", include_str!("../../static/style.css")),
        script("writing.js", &writing),
        site,
        file("icon.svg", "image/svg+xml", include_str!("../../static/icon.svg")),
    ]
});

fn file(name: &'static str, content_type: &'static str, text: &str) -> File {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(text)[..12]);
    File { name, content_type, text: text.to_owned(), hash }
}

/// The address of a file.
#[must_use]
pub fn url(name: &str) -> String {
    let file = FILES.iter().find(|file| file.name == name);
    urls::static_file(name, file.map(|file| file.hash.as_str()))
}

#[must_use]
pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::at(urls::STATIC_FILE).get(serve)]
}

async fn serve(name: web::Path<String>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    if let Some(file) = FILES.iter().find(|file| file.name == *name) {
        return Ok(answer(&request, (file.content_type, &file.hash), || file.text.clone().into()));
    }
    let state = request.app_data::<web::Data<AppState>>().filter(|_| *name == Logo::NAME);
    let logo = state.and_then(|state| state.settings.site.logo.as_ref()).ok_or(AppError::NotFound)?;
    Ok(answer(&request, (logo.content_type, &logo.hash), || logo.bytes.clone().into()))
}

/// A file, or 304 where the client has it already.
fn answer(request: &HttpRequest, (content_type, hash): (&'static str, &str), body: impl Fn() -> Bytes) -> HttpResponse {
    let current = request.query_string() == format!("v={hash}");
    let cache = if current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = EntityTag::new_strong(hash.to_owned());
    let known = is_known(request, &tag);
    let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, cache)).insert_header((ETAG, tag.to_string()));
    if known {
        return response.finish();
    }
    response.insert_header((CONTENT_TYPE, content_type)).body(body())
}

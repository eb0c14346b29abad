//! Static files, embedded in the binary.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, EntityTag, HeaderValue, LOCATION};
use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::urls;
use crate::i18n::{Language, Locale, script_messages};
use crate::site::SiteImage;
use crate::text::content_hash;
use crate::web::error::AppError;
use crate::web::response::view::matches_etag;
use crate::web::state::CoreState;

struct File {
    name: String,
    content_type: &'static str,
    content: Bytes,
    hash: String,
}

const FONT: &str = "font/woff2";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// Embeds a font from `static/fonts`, a folder that also contains the license of the fonts.
macro_rules! font {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../../static/fonts/", $name)))
    };
}

const FONTS: [(&str, &[u8]); 7] = [
    font!("figtree-latin.woff2"),
    font!("figtree-latin-ext.woff2"),
    font!("literata-latin.woff2"),
    font!("literata-latin-ext.woff2"),
    font!("literata-italic-latin.woff2"),
    font!("literata-italic-latin-ext.woff2"),
    font!("vazirmatn-arabic.woff2"),
];

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let mut files: Vec<_> = FONTS.map(|(name, font)| file(name, FONT, Bytes::from_static(font))).into();
    // The URL of each font contains the hash of the file, so that browsers can cache the font as immutable.
    let style = files.iter().fold(include_str!("../../../static/style.css").to_owned(), |style, font| {
        style.replace(&format!("url({})", font.name), &format!("url({}?v={})", font.name, font.hash))
    });
    files.extend([
        file("style.css", CSS, style),
        file("admin.css", CSS, include_str!("../../../static/admin.css")),
        file("api.js", JAVASCRIPT, include_str!("../../../static/api.js")),
        file("settings.js", JAVASCRIPT, include_str!("../../../static/settings.js")),
        file("swagger-ui.css", CSS, include_str!(concat!(env!("OUT_DIR"), "/swagger-ui.css"))),
        file("swagger-ui.js", JAVASCRIPT, include_str!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js"))),
        file("icon.png", "image/png", Bytes::from_static(include_bytes!("../../../static/icon.png"))),
        file("icon.svg", "image/svg+xml; charset=utf-8", include_str!("../../../static/icon.svg")),
    ]);
    files.extend(Language::all_with_pseudo().flat_map(scripts));
    files
});

/// Fonts that a page in the language of `locale` preloads, so that text is rarely drawn first with a fallback font.
pub fn preloaded_fonts(locale: Locale) -> &'static [&'static str] {
    match locale.language.direction() {
        "rtl" => &["vazirmatn-arabic.woff2"],
        _ => &["figtree-latin.woff2", "literata-latin.woff2"],
    }
}

/// Scripts import each other with language and hash in the URL, as pages do, so that browsers load a module only once.
fn scripts(language: Language) -> [File; 5] {
    let script = |name, text: &str| file(&localized_name(name, language), JAVASCRIPT, text.to_owned());
    let (tag, all) = (json!(language.formatting_locale()), Value::Object(script_messages(language)));
    let words = script("words.js", &format!("export const language = {tag};\nexport const words = {all};\n"));
    let importing = |text: &str, name: &str, file: &File| {
        text.replace(&format!("./{name}"), &format!("./{}?v={}", file.name, file.hash))
    };
    let site = script("site.js", &importing(include_str!("../../../static/site.js"), "words.js", &words));
    let formatting = importing(include_str!("../../../static/formatting.js"), "site.js", &site);
    let formatting = script("formatting.js", &formatting);
    let autosave = importing(include_str!("../../../static/autosave.js"), "words.js", &words);
    let autosave = importing(&autosave, "formatting.js", &formatting);
    let autosave = script("autosave.js", &importing(&autosave, "site.js", &site));
    let writing = importing(include_str!("../../../static/writing.js"), "autosave.js", &autosave);
    let writing = importing(&writing, "formatting.js", &formatting);
    let writing = script("writing.js", &importing(&writing, "site.js", &site));
    [words, site, formatting, autosave, writing]
}

fn localized_name(name: &str, language: Language) -> String {
    name.replace('.', &format!(".{}.", language.tag()))
}

fn file(name: &str, content_type: &'static str, content: impl Into<Bytes>) -> File {
    let content = content.into();
    File { name: name.to_owned(), content_type, hash: content_hash(&content), content }
}

pub fn url(name: &str) -> String {
    let file = FILES.iter().find(|file| file.name == name);
    urls::static_file_path(name, file.map(|file| file.hash.as_str()))
}

pub fn script_url(name: &str, locale: Locale) -> String {
    url(&localized_name(name, locale.language))
}

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::STATIC_FILE).get("Download a static file", serve),
        Endpoint::new(urls::FAVICON).get("Redirect to the icon", redirect_to_icon).for_browsers(),
    ]
}

/// Redirects programs that request the icon at its usual path without reading a page.
async fn redirect_to_icon(state: web::Data<CoreState>) -> HttpResponse {
    let own = state.site().icon.as_ref().map(|icon| urls::site_image_path(icon, urls::ICON));
    HttpResponse::Found().insert_header((LOCATION, own.unwrap_or_else(|| url("icon.png")))).finish()
}

async fn serve(name: web::Path<String>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    if let Some(file) = FILES.iter().find(|file| file.name == *name) {
        let mut response = file_response(&request, file.content_type, &file.hash, || file.content.clone());
        if file.content_type == FONT {
            // WOFF2 is a compressed format. The header prevents a second compression.
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("identity"));
        }
        return Ok(response);
    }
    let site = request.app_data::<web::Data<CoreState>>().map(|state| state.site()).ok_or(AppError::NotFound)?;
    let image = match name.as_str() {
        urls::LOGO => &site.logo,
        urls::ICON => &site.icon,
        _ => &None,
    };
    match (name.as_str(), image.as_ref().and_then(SiteImage::file), &site.theme) {
        (_, Some(file), _) => Ok(file_response(&request, file.content_type, &file.hash, || file.bytes.clone().into())),
        (urls::THEME, _, Some(theme)) => Ok(file_response(&request, CSS, &theme.hash, || theme.css.clone().into())),
        _ => Err(AppError::NotFound),
    }
}

fn file_response(
    request: &HttpRequest,
    content_type: &'static str,
    hash: &str,
    body: impl Fn() -> Bytes,
) -> HttpResponse {
    let current = request.query_string() == format!("v={hash}");
    let cache = if current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = EntityTag::new_strong(hash.to_owned());
    let is_unchanged = matches_etag(request, &tag);
    let mut response = if is_unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, cache)).insert_header((ETAG, tag.to_string()));
    if is_unchanged {
        return response.finish();
    }
    response.insert_header((CONTENT_TYPE, content_type)).body(body())
}

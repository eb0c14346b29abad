//! `evenkeel import`: imports the posts of another blog from a folder of Markdown files with front matter, or from
//! an export of Ghost, `WordPress` or BitPin-Blog.

mod arguments;
mod authors;
mod bitpin_blog;
mod old_urls;
mod post_conversion;
mod redirects;
mod report;
mod run;

pub use self::arguments::ImportArguments;
pub use self::run::ImportServices;

/// Imports another blog from the source in the arguments.
///
/// # Errors
/// Returns an error if the source cannot be read, or if a post was not imported; the other posts are still imported.
pub async fn import(services: ImportServices<'_>, wanted: &ImportArguments) -> anyhow::Result<()> {
    if bitpin_blog::is_dump(&wanted.source) {
        bitpin_blog::import_dump(&services.state.pool, &wanted.source, wanted.dry_run).await
    } else {
        run::import_posts(services, wanted).await
    }
}

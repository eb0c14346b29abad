//! `evenkeel import`: imports Markdown files, or an export of Ghost, `WordPress` or BitPin-Blog.

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

pub async fn import(services: ImportServices<'_>, arguments: &ImportArguments) -> anyhow::Result<()> {
    if bitpin_blog::is_dump(&arguments.source) {
        bitpin_blog::import_dump(&services.state.pool, &arguments.source, arguments.dry_run).await
    } else {
        run::import_posts(services, arguments).await
    }
}

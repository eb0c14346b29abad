//! Arguments of `evenkeel import`.

use std::path::PathBuf;

use crate::i18n::DisplayTimeZone;

/// Import another blog: Markdown files with front matter, or an export of Ghost, WordPress or BitPin-Blog
///
/// You can import posts while the site is running. Posts of an earlier import are skipped, so an interrupted import can
/// be repeated. Run the command with the settings of the site, because links and redirects begin with `PUBLIC_URL`. Use
/// `--dry-run` first to see what would be imported.
///
/// If an author in the source has no user account, nothing is imported: use `--author`, `--authors` or
/// `--create-authors`. To undo an import, delete the imported posts; with `--drafts`, no post is published.
///
/// A dump of BitPin-Blog (`manage.py dumpdata`) is imported with its users, their passwords and all ratings, into a site
/// without accounts. Only `--dry-run` applies to it.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_long_help = "Examples:\n  evenkeel import export.xml --dry-run\n  \
            evenkeel import content --author ann --drafts\n  \
            evenkeel import ghost.json --old-site URL --redirects redirects.conf")]
#[allow(clippy::doc_markdown, reason = "help shows backticks literally")]
pub struct ImportArguments {
    /// Folder of Markdown files with front matter, or an export of Ghost (.json), WordPress (.xml) or BitPin-Blog (.json)
    pub source: PathBuf,
    /// User who becomes the author of all posts; default: the author that the source names for each post
    #[arg(long, value_name = "USERNAME")]
    pub author: Option<String>,
    /// CSV file with lines `name,username`, which maps author names of the source to users
    #[arg(long, value_name = "FILE", conflicts_with = "author")]
    pub authors: Option<PathBuf>,
    /// Create an account for each author who does not have one, and print an invitation link
    ///
    /// The author sets a password with the link, which is valid for 30 days. Run the command again to print new links
    /// for accounts that have no password yet.
    #[arg(long = "create-authors", conflicts_with = "author")]
    pub create_authors: bool,
    /// Folder of image files, such as a copy of wp-content/uploads; for Markdown files, images are first looked up
    /// relative to the file
    #[arg(long, value_name = "FOLDER")]
    pub images: Option<PathBuf>,
    /// URL of the old site, used to resolve its links; required for Ghost exports, which do not contain it; default: the
    /// URL in the configuration of Jekyll or Hugo, or in the export of WordPress
    #[arg(long = "old-site", value_name = "URL")]
    pub old_site: Option<String>,
    /// Time zone of times without a zone, such as Europe/Berlin; default: that of the configuration of Jekyll or Hugo, or
    /// SITE_TIME_ZONE
    #[arg(long = "time-zone", value_name = "ZONE")]
    pub time_zone: Option<DisplayTimeZone>,
    /// File for redirects from old to new URLs of posts, in Caddy's format if the name ends in `.caddy`, otherwise in
    /// nginx's
    #[arg(long, value_name = "FILE")]
    pub redirects: Option<PathBuf>,
    /// Import all posts as drafts
    #[arg(long)]
    pub drafts: bool,
    /// Show what would be imported, without changing anything
    #[arg(long = "dry-run")]
    pub dry_run: bool,
}

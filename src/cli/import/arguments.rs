//! Arguments of `evenkeel importposts`.

use std::path::PathBuf;

/// Import the posts of another blog: Markdown files with front matter, or an export of Ghost or WordPress
///
/// The site may run. Posts of an earlier import are skipped, so an interrupted import can be repeated. Run the command
/// with the settings of the site, because links and redirects begin with `PUBLIC_URL`. Begin with `--dry-run`.
///
/// If an author of the source is not a user, nothing is imported: use `--author`, `--authors` or `--create-authors`. To
/// undo an import, delete the posts; an import with `--drafts` publishes none.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(after_long_help = "Examples:\n  evenkeel importposts export.xml --dry-run\n  \
            evenkeel importposts content --author ann --drafts\n  \
            evenkeel importposts ghost.json --old-site URL --redirects redirects.conf")]
#[allow(clippy::doc_markdown, reason = "help shows backticks literally")]
pub struct ImportArguments {
    /// Folder of Markdown files with front matter, or an export of Ghost (.json) or WordPress (.xml)
    pub source: PathBuf,
    /// User who becomes the author of all posts; default: for each post the user that the source names
    #[arg(long, value_name = "USERNAME")]
    pub author: Option<String>,
    /// CSV file with lines `name,username`, which maps author names of the source to users
    #[arg(long, value_name = "FILE", conflicts_with = "author")]
    pub authors: Option<PathBuf>,
    /// Create an account without a password for each author who is not a user, and print an invitation link
    ///
    /// With the link, which is valid for 30 days, the author sets a password. Run the command again to print new links
    /// for accounts that nobody has claimed.
    #[arg(long = "create-authors", conflicts_with = "author")]
    pub create_authors: bool,
    /// Folder of image files, such as a copy of wp-content/uploads; for Markdown files, images are first looked up
    /// relative to the file
    #[arg(long, value_name = "FOLDER")]
    pub images: Option<PathBuf>,
    /// URL of the old site, to resolve its links; needed for an export of Ghost, which does not contain the URL
    #[arg(long = "old-site", value_name = "URL")]
    pub old_site: Option<String>,
    /// File for redirects from old to new URLs of posts, in Caddy's format if the name ends in `.caddy`, otherwise in
    /// nginx's
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub redirects: Option<PathBuf>,
    /// Import all posts as drafts
    #[arg(long)]
    pub drafts: bool,
    /// Show what would be imported, and change nothing
    #[arg(long = "dry-run")]
    pub dry_run: bool,
}

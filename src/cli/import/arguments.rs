//! Arguments of `evenkeel importposts`.

use std::path::PathBuf;

/// Source and options of an import.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Import {
    #[arg(
        help = "A folder of Markdown files with front matter, or the file that Ghost (.json) or WordPress (.xml) exports"
    )]
    pub source: PathBuf,
    /// Make all posts this user's. Without it each post belongs to the user whom the source names
    #[arg(long, value_name = "USERNAME")]
    pub author: Option<String>,
    /// Read which user each author is from a CSV file with lines `name,username`
    #[arg(long, value_name = "FILE", conflicts_with = "author")]
    pub authors: Option<PathBuf>,
    /// Create an account without a password for each author who is no user, and print a link with which the author claims it
    #[arg(long = "create-authors", conflicts_with = "author")]
    pub create_authors: bool,
    /// Look for images in this folder, such as a copy of wp-content/uploads. Images of Markdown files are looked for beside
    /// them first
    #[arg(long, value_name = "FOLDER")]
    pub images: Option<PathBuf>,
    /// Resolve links of the old site at this URL, which Ghost's file does not contain
    #[arg(long = "old-site", value_name = "URL")]
    pub old_site: Option<String>,
    /// Write redirects from the old URLs of posts to the new ones: `.caddy` for Caddy, another name for nginx
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub redirects: Option<PathBuf>,
    /// Import all posts as drafts
    #[arg(long)]
    pub drafts: bool,
    /// Report what would be done, and change nothing
    #[arg(long = "dry-run")]
    pub dry_run: bool,
}

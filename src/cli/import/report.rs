//! Report of an import for the terminal: numbers of posts, links and images.

use std::collections::BTreeMap;

use anyhow::bail;
use evenkeel_importers::SourcePost;
use indicatif::ProgressBar;

use crate::blog_posts::editor::input::PostInput;
use crate::log::print_line;
use crate::users::registration::unclaimed_accounts::CLAIM_LINK_LIFETIME_DAYS;

#[derive(Debug)]
pub struct Report {
    pub(super) bar: ProgressBar,
    pub(super) imported: usize,
    pub(super) drafts: usize,
    pub(super) pages: usize,
    pub(super) existing: usize,
    pub(super) refused: usize,
    /// Number of published posts without a publication date.
    pub(super) undated: usize,
    pub(super) others: BTreeMap<&'static str, usize>,
    pub(super) linked: usize,
    /// Number of links to the old site that lead to no imported post.
    pub(super) unknown_links: usize,
    /// Numbers of images in new posts: imported, not found or not readable, and on other sites.
    pub(super) images: usize,
    pub(super) missing_images: usize,
    pub(super) external_images: usize,
    pub(super) redirects: Option<usize>,
    pub(super) invitations: BTreeMap<String, String>,
}

impl Report {
    pub(super) fn new(bar: ProgressBar) -> Self {
        Self {
            bar,
            imported: 0,
            drafts: 0,
            pages: 0,
            existing: 0,
            refused: 0,
            undated: 0,
            others: BTreeMap::new(),
            linked: 0,
            unknown_links: 0,
            images: 0,
            missing_images: 0,
            external_images: 0,
            redirects: None,
            invitations: BTreeMap::new(),
        }
    }

    pub(super) fn print_rejected(&mut self, location: &str, why: &str) {
        self.refused += 1;
        self.bar.suspend(|| print_line(format!("{location}: NOT IMPORTED: {why}")));
    }

    pub(super) fn print_skipped(&mut self, location: &str, kind: &'static str, why: &str) {
        *self.others.entry(kind).or_default() += 1;
        self.bar.suspend(|| print_line(format!("{location}: skipped: {why}")));
    }

    pub(super) fn print_note(&self, location: &str, what: &str) {
        self.bar.suspend(|| print_line(format!("{location}: {what}")));
    }

    pub(super) fn print_remarks(&self, post: &SourcePost) {
        self.bar.suspend(|| post.remarks.iter().for_each(|remark| print_line(format!("{}: {remark}", post.location))));
    }

    pub(super) fn count_post(&mut self, source_post: &SourcePost, post: &PostInput) {
        if source_post.is_page {
            self.pages += 1;
        } else {
            self.imported += 1;
            self.drafts += usize::from(post.is_draft());
        }
    }

    fn print_images_and_links(&self, is_dry: bool) {
        let done = if is_dry { "that would be imported" } else { "imported" };
        if self.images + self.missing_images + self.external_images > 0 {
            print_line(format!(
                "Images {done}: {}; not found: {}; on other sites, shown as links: {}.",
                self.images, self.missing_images, self.external_images
            ));
        }
        if self.linked + self.unknown_links > 0 {
            let lead = if is_dry { "that would be updated" } else { "updated" };
            print_line(format!(
                "Links between posts {lead} to the new URLs: {}; links to other pages of the old site: {}.",
                self.linked, self.unknown_links
            ));
        }
    }

    pub(super) fn finish(self, is_dry: bool) -> anyhow::Result<()> {
        self.bar.finish_and_clear();
        let done = if is_dry { "that would be imported" } else { "imported" };
        print_line(format!("Posts {done}: {}, {} of them as drafts.", self.imported, self.drafts));
        if self.pages > 0 {
            print_line(format!("Pages {done}: {}.", self.pages));
        }
        if self.existing > 0 {
            print_line(format!("Posts skipped, because they were imported earlier: {}.", self.existing));
        }
        if self.undated > 0 {
            print_line(format!("Published posts without a date, imported with the current date: {}.", self.undated));
        }
        self.print_images_and_links(is_dry);
        if let Some(count) = self.redirects {
            print_line(format!("Redirects written: {count}."));
        }
        if !self.others.is_empty() {
            let others: Vec<_> = self.others.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
            print_line(format!("Skipped: {}.", others.join(", ")));
        }
        if !self.invitations.is_empty() {
            print_line(format!(
                "Send each author their invitation link, with which they can set a password within {CLAIM_LINK_LIFETIME_DAYS} days. Run the \
                same command again to print new links."
            ));
            self.invitations.iter().for_each(|(username, link)| print_line(format!("{username}: {link}")));
        }
        if self.refused > 0 {
            bail!(
                "posts that could not be imported: {}; fix the problems listed above and run the same command again",
                self.refused
            );
        }
        Ok(())
    }
}

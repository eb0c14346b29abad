//! Runs an import: finds the authors, imports posts and images, replaces links, and writes redirects.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use actix_web::web::Bytes;
use anyhow::{Context as _, ensure};
use chrono::{DateTime, Utc};
use evenkeel_importers::image_files::{ImageFolders, ImageLookup};
use evenkeel_importers::{ReadOptions, Source, SourceEntry, SourcePost, image_files};
use evenkeel_markdown::image_name::ImageName;
use sqlx::PgConnection;
use url::Url;

use super::arguments::ImportArguments;
use super::authors::AuthorMapping;
use super::old_urls::{LinkReplacement, UrlMap};
use super::post_conversion::convert_post;
use super::redirects;
use super::report::Report;
use crate::blog_posts::editor::create::{ImportedTimestamps, insert_post};
use crate::blog_posts::editor::import::{find_post_source, replace_post_text};
use crate::blog_posts::editor::input::{Content, Cover, CustomSlug, PostInput};
use crate::blog_posts::rendering::{Renderer, simplification_notice};
use crate::blog_posts::{PostId, slug, urls};
use crate::cli::error_messages::to_command_error;
use crate::cli::progress;
use crate::images;
use crate::images::image_library::ImageLibrary;
use crate::text::is_visible;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::{Field as _, OptionalField};
use crate::web::request::upload::MAX_FILE_BYTES;
use crate::web::state::CoreState;

/// Key of the advisory lock held during an import.
const IMPORT_LOCK: i64 = 0x6576_656e_696d_706f;

#[derive(Clone, Copy, Debug)]
pub struct ImportServices<'a> {
    pub state: &'a CoreState,
    pub renderer: &'a Renderer,
    pub library: &'a ImageLibrary,
}

/// Imports posts while the site runs. Skips posts of an earlier import, so that an interrupted import can be repeated.
pub async fn import_posts(parts: ImportServices<'_>, arguments: &ImportArguments) -> anyhow::Result<()> {
    let source = Source::detect(&arguments.source)?;
    if let Some(site) = &arguments.old_site {
        let is_web = Url::parse(site).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
        ensure!(is_web, "--old-site must be a URL that begins with https:// or http://, not {site:?}");
    }
    arguments.redirects.as_deref().map_or(Ok(()), redirects::check_writable)?;
    let _import_lock = lock_imports(parts.state).await?;
    let options = ReadOptions {
        old_site: arguments.old_site.as_deref(),
        time_zone: arguments.time_zone.unwrap_or(parts.state.site().zone).zone(),
        is_zone_chosen: arguments.time_zone.is_some(),
    };
    let authors = AuthorMapping::resolve(parts.state, &source, options, arguments).await?;
    let bar = progress::item_progress_bar("Importing", "posts", authors.posts);
    let mut importing = Importer {
        parts,
        wanted: arguments,
        options,
        image_folders: ImageFolders::new(
            source.image_folders()?.iter().map(PathBuf::as_path).chain(arguments.images.as_deref()),
        )?,
        imported_images: HashMap::new(),
        claimed: HashSet::new(),
        addresses: UrlMap::default(),
        imported_posts: HashMap::new(),
        now: parts.state.now().await?,
        report: Report::new(bar),
    };
    importing.import_all(&source, &authors).await?;
    importing.replace_links(&source).await?;
    if let Some(file) = arguments.redirects.as_ref().filter(|_| !arguments.dry_run) {
        let public_url = parts.state.settings.public_url.to_string();
        importing.report.redirects = Some(redirects::write(file, importing.addresses.redirects(), &public_url)?);
    }
    if arguments.create_authors && !arguments.dry_run {
        importing.report.invitations = authors.send_claim_links(parts.state).await?;
    }
    importing.report.finish(arguments.dry_run)
}

/// Locks imports until the connection is closed, because concurrent imports could import a post twice.
async fn lock_imports(state: &CoreState) -> anyhow::Result<PgConnection> {
    let mut connection = state.pool.acquire().await?.detach();
    let lock_statement = sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "is_locked!""#, IMPORT_LOCK);
    ensure!(lock_statement.fetch_one(&mut connection).await?, "another import is running; wait until it has finished");
    Ok(connection)
}

struct Importer<'a> {
    parts: ImportServices<'a>,
    wanted: &'a ImportArguments,
    options: ReadOptions<'a>,
    image_folders: ImageFolders,
    imported_images: HashMap<(UserId, PathBuf), String>,
    /// Ids of posts on this site that have already been matched to a post of the import source.
    claimed: HashSet<i64>,
    addresses: UrlMap,
    /// Id of the imported post by the index of its entry in the source, and true if this run created the post.
    imported_posts: HashMap<usize, (PostId, bool)>,
    now: DateTime<Utc>,
    report: Report,
}

impl Importer<'_> {
    async fn import_all(&mut self, source: &Source, authors: &AuthorMapping) -> anyhow::Result<()> {
        // Posts with a date are imported first, because the date identifies posts of an earlier import. Posts without a
        // date are then compared only with posts that have not been matched yet.
        for is_dated in [true, false] {
            for (index, entry) in source.read_entries(self.options)?.enumerate() {
                match entry? {
                    SourceEntry::Post(mut source_post) => {
                        if source_post.created_at.is_some_and(|time| time <= self.now) != is_dated {
                            continue;
                        }
                        let author = authors.author_of_post(&source_post)?;
                        self.import_post(index, author, &mut source_post).await?;
                        self.report.bar.inc(1);
                    }
                    _ if !is_dated => {}
                    SourceEntry::Invalid { location, why } => self.report.print_rejected(&location, &why),
                    SourceEntry::Other(kind) => *self.report.others.entry(kind).or_default() += 1,
                    SourceEntry::Skipped { location, kind, why } => self.report.print_skipped(&location, kind, why),
                }
            }
        }
        Ok(())
    }

    async fn import_post(&mut self, index: usize, author: UserId, source_post: &mut SourcePost) -> anyhow::Result<()> {
        if !source_post.text.contains(is_visible) {
            self.report.print_skipped(&source_post.location, "posts without text", "the post has no text");
            return Ok(());
        }
        source_post.is_public &= !self.wanted.drafts;
        let converted = convert_post(source_post, self.now);
        let Ok((mut post, written)) = converted.map_err(|why| self.report.print_rejected(&source_post.location, &why))
        else {
            return Ok(());
        };
        if let Some(id) = self.find_existing(author, &post, &written).await? {
            self.record_existing(id, source_post);
            self.record(index, id, false, source_post, &post);
            return Ok(());
        }
        if let Err(why) = self.import_images(author, source_post, &mut post).await? {
            self.report.print_rejected(&source_post.location, &why);
            return Ok(());
        }
        if source_post.is_public && written.published_at.is_none() && source_post.published_at.is_none() {
            source_post.remarks.push("the post has no date; imported with the current date".to_owned());
            self.report.undated += 1;
        }
        // A dry run creates no posts, so negative numbers serve as unique temporary ids.
        let mut new = i64::try_from(index).map_or(0, |index| -index);
        if !self.wanted.dry_run {
            let added = insert_post(self.parts.state, self.parts.renderer, author, None, &post, written).await;
            let added = added.map_err(to_command_error).with_context(|| source_post.location.clone());
            let (PostId(id), simplified) = added?.context("the imported post was not inserted")?;
            self.claimed.insert(id);
            new = id;
            source_post.remarks.extend(simplified.map(|simplified| simplification_notice(simplified).to_string()));
        }
        self.record(index, new, true, source_post, &post);
        self.report.count_post(source_post, &post);
        self.report.print_remarks(source_post);
        Ok(())
    }

    fn record(&mut self, index: usize, id: i64, is_new: bool, source_post: &SourcePost, post: &PostInput) {
        let own = post.slug.as_ref().and_then(|OptionalField(slug)| slug.as_ref()).map(|CustomSlug(slug)| slug);
        let page = urls::post_path_with_slug(id, &slug(own.unwrap_or(&post.title.0)));
        self.addresses.add(source_post, old_site(self.wanted, source_post), &page);
        self.imported_posts.insert(index, (PostId(id), is_new));
    }

    /// Replaces links after all posts are imported, because links may point to later posts.
    async fn replace_links(&mut self, source: &Source) -> anyhow::Result<()> {
        for (index, entry) in source.read_entries(self.options)?.enumerate() {
            let (SourceEntry::Post(source_post), Some((id, is_new))) =
                (entry?, self.imported_posts.get(&index).copied())
            else {
                continue;
            };
            let linked = if self.wanted.dry_run {
                self.addresses.replace_links(&source_post, old_site(self.wanted, &source_post), &source_post.text)
            } else {
                self.link_one(id, &source_post).await?
            };
            self.report.linked += linked.replaced;
            self.report.unknown_links += linked.unknown.len();
            for address in linked.unknown.iter().filter(|_| is_new) {
                self.report.print_note(
                    &source_post.location,
                    &format!("the link {address} does not lead to an imported post"),
                );
            }
        }
        Ok(())
    }

    async fn link_one(&self, id: PostId, source_post: &SourcePost) -> anyhow::Result<LinkReplacement> {
        let ImportServices { state, renderer, .. } = self.parts;
        let mut text = find_post_source(&state.pool, id).await?;
        let linked =
            self.addresses.replace_links(source_post, old_site(self.wanted, source_post), &text.source.content);
        if linked.text == text.source.content {
            return Ok(linked);
        }
        let content = match Content::from_text(&linked.text) {
            Ok(Content(content)) => content,
            Err(problem) => {
                self.report.print_note(&source_post.location, &format!("links were not updated: {problem}"));
                return Ok(LinkReplacement::default());
            }
        };
        text.source.content = content;
        if !replace_post_text(state, renderer, id, text).await.map_err(to_command_error)? {
            let what = "links were not updated, because a user edited the post; run the command again";
            self.report.print_note(&source_post.location, what);
            return Ok(LinkReplacement::default());
        }
        Ok(linked)
    }

    fn record_existing(&mut self, id: i64, source_post: &SourcePost) {
        self.claimed.insert(id);
        self.report.existing += 1;
        if source_post.created_at.is_none() {
            let what = format!("already imported as post {id} (compared by title and slug, because it has no date)");
            self.report.print_note(&source_post.location, &what);
        }
    }

    /// Finds a post of an earlier import by author, title, slug and (if known) creation time.
    async fn find_existing(
        &self,
        author: UserId,
        post: &PostInput,
        written: &ImportedTimestamps,
    ) -> sqlx::Result<Option<i64>> {
        let slug = post.slug.clone().and_then(|OptionalField(slug)| slug).map(|CustomSlug(slug)| slug);
        let existing_ids = sqlx::query_scalar!(
            "select id from blog_posts
            where author_id = $1 and title = $2 and own_slug is not distinct from $3
                -- A post that was in the future when it was imported has been created before its date.
                and (created_at = coalesce($4, created_at) or created_at < $4
                    and (publish_at = $5 or published_at >= $5 and published_at < $5 + interval '1 day'))
            order by created_at is distinct from $4, id",
            author.0,
            post.title.0,
            slug,
            written.created_at,
            written.published_at,
        );
        let existing_ids = existing_ids.fetch_all(&self.parts.state.pool).await?;
        Ok(existing_ids.into_iter().find(|id| !self.claimed.contains(id)))
    }

    async fn import_images(
        &mut self,
        author: UserId,
        source_post: &mut SourcePost,
        post: &mut PostInput,
    ) -> anyhow::Result<Result<(), String>> {
        let source = &post.content.0;
        let (mut text, mut after) = (String::with_capacity(source.len()), 0);
        for image in evenkeel_markdown::extract_images(source) {
            let path = self.new_image_url(author, source_post, &image.url, &image.alt).await?;
            if let Some(name) = path.as_deref().and_then(ImageName::from_path) {
                text.push_str(&source[after..image.range.start]);
                text.push_str(&images::models::image_markdown(&image.alt, &name));
                after = image.range.end;
            }
        }
        text.push_str(&source[after..]);
        match Content::from_text(&text) {
            Ok(content) => post.content = content,
            Err(problem) => return Ok(Err(format!("text: {problem}"))),
        }
        if let Some(address) = source_post.cover.clone() {
            let path = self.new_image_url(author, source_post, &address, "").await?;
            match path.as_deref().map(Cover::from_text).transpose() {
                Ok(cover) => post.cover = cover.map(|cover| OptionalField(Some(cover))),
                Err(problem) => source_post.remarks.push(format!("skipped the cover image {address}: {problem}")),
            }
        }
        Ok(Ok(()))
    }

    /// Returns the unchanged URL if the image is hosted elsewhere, and `None` if the file is missing or in a dry run.
    async fn new_image_url(
        &mut self,
        author: UserId,
        source_post: &mut SourcePost,
        address: &str,
        alt: &str,
    ) -> anyhow::Result<Option<String>> {
        match self.image_folders.find(source_post, address) {
            ImageLookup::Found(_) if self.wanted.dry_run => {
                self.report.images += 1;
                Ok(None)
            }
            ImageLookup::Found(file) => {
                let path = self.import_image(author, source_post, &file, alt).await?;
                *(if path.is_some() { &mut self.report.images } else { &mut self.report.missing_images }) += 1;
                Ok(path)
            }
            ImageLookup::External => {
                self.report.external_images += 1;
                Ok(Some(address.to_owned()))
            }
            ImageLookup::Missing => {
                self.report.missing_images += 1;
                source_post.remarks.push(format!("image not found: {address}"));
                Ok(None)
            }
        }
    }

    /// Imports an image once per author. Returns `None` if the file cannot be imported.
    async fn import_image(
        &mut self,
        author: UserId,
        source_post: &mut SourcePost,
        file: &Path,
        alt: &str,
    ) -> anyhow::Result<Option<String>> {
        let key = (author, file.to_owned());
        if let Some(path) = self.imported_images.get(&key) {
            return Ok(Some(path.clone()));
        }
        let problem = match image_files::read(file, MAX_FILE_BYTES) {
            Ok(bytes) => match self.parts.library.import(author, Bytes::from(bytes), alt).await {
                Ok(own) => {
                    self.imported_images.insert(key, own.url.clone());
                    return Ok(Some(own.url));
                }
                Err(error @ AppError::Invalid(_)) => to_command_error(error).to_string(),
                Err(error) => return Err(to_command_error(error)).with_context(|| file.display().to_string()),
            },
            Err(problem) => problem,
        };
        source_post.remarks.push(format!("cannot import the image {}: {problem}", file.display()));
        Ok(None)
    }
}

fn old_site<'a>(arguments: &'a ImportArguments, source_post: &'a SourcePost) -> Option<&'a str> {
    arguments.old_site.as_ref().or(source_post.old_site_prefixes.first()).map(String::as_str)
}

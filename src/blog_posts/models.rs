//! Posts as rows, and as the JSON of the contract.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;
use sqlx::types::Json;
use unicode_normalization::UnicodeNormalization as _;

use super::slug;
use crate::database::clock::Clock;
use crate::markdown::{self, Heading, Rendered, Simplified, as_typed};
use crate::site::settings::RATING_LIMITERS;
use crate::users::CurrentUser;
use crate::users::session::confirm;
use crate::web::error::AppError;
use crate::web::payload::{Field, Fields, Id, Input};
use crate::web::state::AppState;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Author {
    pub id: i64,
    pub username: String,
}

/// Whether others see a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// For its author alone.
    Draft,
    #[default]
    Published,
}

impl Status {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
        }
    }

    #[must_use]
    pub fn of(name: &str) -> Self {
        if name == "draft" { Self::Draft } else { Self::Published }
    }
}

impl Field for Status {
    fn from_text(text: &str) -> Result<Self, String> {
        match text {
            "draft" => Ok(Self::Draft),
            "published" => Ok(Self::Published),
            _ => Err("Choose `draft` or `published`.".to_owned()),
        }
    }
}

/// A post, whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Post {
    pub id: i64,
    pub title: String,
    pub slug: String,
    pub status: Status,
    pub tags: Vec<String>,
    /// Markdown, as it was written.
    pub content: String,
    pub content_html: String,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// None for a draft.
    pub published_at: Option<DateTime<Utc>>,
    /// Counts up with every change.
    pub version: i32,
    pub average_rating: f64,
    pub rating_count: i64,
    /// The reader's own.
    pub my_rating: Option<i16>,
    /// What was left out when it was rendered just now, for whoever wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<&'static str>,
    #[serde(skip)]
    pub outline: Vec<Heading>,
    #[serde(skip)]
    pub excerpt: String,
    #[serde(skip)]
    pub minutes: i32,
    /// How often each number of stars was given.
    #[serde(skip)]
    pub stars: [i64; 5],
    /// What was published just before and after, where the page is shown.
    #[serde(skip)]
    pub earlier: Option<Neighbour>,
    #[serde(skip)]
    pub later: Option<Neighbour>,
    /// Since when the post's gate has been refusing, where the page is shown; none when it has not for an hour or two.
    #[serde(skip)]
    pub unusual_since: Option<DateTime<Utc>>,
}

impl Post {
    /// Authors may change their posts, and staff may change all.
    #[must_use]
    pub fn may_be_changed_by(&self, user: &CurrentUser) -> bool {
        user.is_staff || user.id == self.author.id
    }

    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.status == Status::Draft
    }

    /// The page's address.
    #[must_use]
    pub fn path(&self) -> String {
        slug::path(self.id, &self.title)
    }

    /// When it was published or, for a draft, begun.
    #[must_use]
    pub fn date(&self) -> &DateTime<Utc> {
        self.published_at.as_ref().unwrap_or(&self.created_at)
    }

    /// The stars from five down to one: how often each was given, and its share in whole percent. The shares of a
    /// post that has ratings add up to 100.
    #[must_use]
    pub fn distribution(&self) -> Vec<(usize, i64, i64)> {
        let shares = percentages(self.stars);
        (0..5).rev().map(|index| (index + 1, self.stars[index], shares[index])).collect()
    }

    fn rendered(mut self, Rendered { html, outline, excerpt, minutes, simplified }: Rendered) -> Self {
        (self.content_html, self.outline, self.excerpt, self.minutes) = (html, outline, excerpt, minutes);
        self.notice = simplified.map(Simplified::notice);
        self
    }
}

/// Neither space nor control, nor one of the characters that Unicode has displayed as nothing.
fn is_visible(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    !ignorable && !c.is_whitespace() && !c.is_control()
}

/// A title, 1 to 200 characters on one line.
#[derive(Clone, Debug)]
pub struct Title(String);

impl Field for Title {
    /// Control characters and those that turn the reading direction of what follows are left out.
    fn from_text(text: &str) -> Result<Self, String> {
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let spaced = text.replace(['\n', '\r', '\t'], " ");
        let clean: String = spaced.chars().filter(|c| !c.is_control() && !turns(*c)).collect();
        let clean = clean.trim().to_owned();
        match clean.chars().count() {
            _ if !clean.contains(is_visible) => Err("A post needs a title.".to_owned()),
            ..=200 => Ok(Self(clean)),
            count => Err(format!("Use at most 200 characters; these are {count}.")),
        }
    }
}

/// A post's text: 1 to 262,144 bytes of UTF-8, kept exactly.
#[derive(Clone, Debug)]
pub struct Content(String);

impl Content {
    pub const MAX_BYTES: usize = 262_144;
}

impl Field for Content {
    fn from_text(text: &str) -> Result<Self, String> {
        match text.len() {
            _ if !text.contains(is_visible) => Err("A post needs some text.".to_owned()),
            ..=Self::MAX_BYTES => Ok(Self(text.to_owned())),
            bytes => Err(format!("Use at most 262,144 bytes; this is {bytes}.")),
        }
    }
}

/// When it began that there was an hour and another within two hours of it. The latest comes first.
fn begin_of_run(hours: &[DateTime<Utc>]) -> Option<DateTime<Utc>> {
    let mut begin = *hours.first()?;
    for hour in hours {
        if begin - *hour > TimeDelta::hours(2) {
            break;
        }
        begin = *hour;
    }
    Some(begin)
}

/// Whole percentages by largest remainder.
fn percentages(counts: [i64; 5]) -> [i64; 5] {
    let total: i64 = counts.iter().sum();
    if total == 0 {
        return [0; 5];
    }
    let exact = counts.map(|count| i128::from(count) * 100);
    let mut shares = exact.map(|count| i64::try_from(count / i128::from(total)).unwrap_or(0));
    let mut order = [0, 1, 2, 3, 4];
    order.sort_by_key(|index| std::cmp::Reverse(exact[*index] % i128::from(total)));
    let missing = usize::try_from(100 - shares.iter().sum::<i64>()).unwrap_or(0);
    for index in order.into_iter().take(missing) {
        shares[index] += 1;
    }
    shares
}

/// Words that a post is found by, each in one form: without case, with hyphens for spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(pub Vec<String>);

const MOST_TAGS: usize = 10;

impl Tags {
    /// The one form of a tag.
    ///
    /// # Errors
    /// Says what is allowed.
    pub fn one(text: &str) -> Result<String, String> {
        let folded = text.nfkc().collect::<String>().to_lowercase();
        let folded = folded.trim().trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join("-");
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{200c}') || is_mark(c);
        let length = folded.chars().count();
        if (1..=30).contains(&length) && folded.chars().all(allowed) && folded.contains(char::is_alphanumeric) {
            return Ok(folded);
        }
        let shown: String = text.trim().chars().take(40).collect();
        Err(format!("\u{201c}{shown}\u{201d} is no tag: use 1 to 30 letters, digits, hyphens and underscores."))
    }

    fn all<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut tags = Vec::new();
        for text in texts.filter(|text| !text.trim().is_empty()) {
            let tag = Self::one(text)?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        if tags.len() > MOST_TAGS {
            return Err(format!("Use at most {MOST_TAGS} tags; these are {}.", tags.len()));
        }
        Ok(Self(tags))
    }
}

/// Marks that belong to the letter before them.
pub(super) fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

impl Field for Tags {
    /// Between commas, of any script.
    fn from_text(text: &str) -> Result<Self, String> {
        Self::all(text.split([',', '\u{60c}', '\u{3001}']))
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let texts = value.as_array().and_then(|tags| tags.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        Self::all(texts.ok_or("This has to be a list of strings.")?.into_iter())
    }
}

/// A version that was seen. Nothing stands for none.
#[derive(Clone, Copy, Debug)]
pub struct SeenVersion(Option<i32>);

impl Field for SeenVersion {
    fn from_text(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let version = text.parse().ok().filter(|version| *version >= 1);
        version.map(|version| Self(Some(version))).ok_or_else(|| "This has to be a version of the post.".to_owned())
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        let version = value.as_i64().and_then(|version| i32::try_from(version).ok()).filter(|version| *version >= 1);
        version.map(|version| Self(Some(version))).ok_or_else(|| "This has to be a version of the post.".to_owned())
    }
}

/// What an author sends.
#[derive(Clone, Debug)]
pub struct NewPost {
    title: Title,
    content: Content,
    tags: Option<Tags>,
    status: Option<Status>,
    /// The version that was changed; none for whatever is there.
    version: Option<i32>,
}

impl NewPost {
    #[must_use]
    pub fn is_draft(&self) -> bool {
        self.status == Some(Status::Draft)
    }
}

impl Input for NewPost {
    /// Percent-encoded or escaped, a text may be three times as long, and more so on its way to being refused.
    const MAX_BYTES: usize = 4 * Content::MAX_BYTES;

    fn read(fields: &mut Fields) -> Option<Self> {
        let (title, content) = (fields.take("title"), fields.take("content"));
        let tags = fields.take_if_there("tags");
        let status = fields.take_if_there("status");
        let version = fields.take_if_there("version");
        let version = version?.and_then(|SeenVersion(version)| version);
        Some(Self { title: title?, content: content?, tags: tags?, status: status?, version })
    }
}

/// A text that is only to be looked at.
#[derive(Clone, Debug)]
pub struct Draft {
    pub content: String,
}

impl Input for Draft {
    const MAX_BYTES: usize = NewPost::MAX_BYTES;

    /// The form's other fields may be there, as it is the same form.
    fn read(fields: &mut Fields) -> Option<Self> {
        for other in ["title", "tags", "status", "version"] {
            fields.ignore(other);
        }
        fields.take("content").map(|Content(content)| Self { content })
    }
}

/// # Errors
/// When the database cannot be asked.
pub async fn create(state: &AppState, author: &CurrentUser, post: &NewPost) -> Result<Post, AppError> {
    let rendered = state.renderer.render(post.content.0.clone()).await?;
    let (status, Tags(tags)) = (post.status.unwrap_or_default(), post.tags.clone().unwrap_or_default());
    let row = sqlx::query!(
        r#"insert into blog_posts (author_id, title, content, tags, status, created_at, updated_at, published_at,
            content_html, outline, excerpt, reading_minutes, rendered_by)
        select $1, $2, $3, $4, $5, clock.now, clock.now, case when $5 = 'published' then clock.now end,
            $7, $8, $9, $10, $11
        from (select coalesce($6, clock_timestamp()) as now) clock
        where exists (select from sessions where token_hash = decode($12, 'hex'))
        returning id, created_at, published_at, version"#,
        author.id,
        post.title.0,
        post.content.0,
        &tags,
        status.name(),
        state.clock.now(),
        rendered.html,
        Json(&rendered.outline) as _,
        rendered.excerpt,
        rendered.minutes,
        markdown::VERSION,
        author.session,
    );
    // A session that has ended since the request began does nothing any more.
    let row = row.fetch_optional(&state.pool).await?.ok_or(AppError::NotSignedIn { next: None })?;
    let created = Post {
        id: row.id,
        slug: slug::of(&post.title.0),
        title: post.title.0.clone(),
        status,
        tags,
        content: post.content.0.clone(),
        content_html: String::new(),
        author: Author { id: author.id, username: author.username.clone() },
        created_at: row.created_at,
        updated_at: row.created_at,
        published_at: row.published_at,
        version: row.version,
        average_rating: 0.0,
        rating_count: 0,
        my_rating: None,
        notice: None,
        outline: Vec::new(),
        excerpt: String::new(),
        minutes: 1,
        stars: [0; 5],
        earlier: None,
        later: None,
        unusual_since: None,
    };
    Ok(created.rendered(rendered))
}

/// # Errors
/// `not_found` where there is no such post, or it is somebody else's draft.
pub async fn find(pool: &PgPool, id: Id, reader: Option<&CurrentUser>) -> Result<Post, AppError> {
    fetch(pool, id, reader, None).await
}

/// A post for its page: with its neighbours, and without its source, which is as long as the rest together. In one query,
/// as whoever holds a long text while waiting for another connection makes others hold theirs.
///
/// # Errors
/// As [`find`].
pub async fn find_for_page(
    pool: &PgPool,
    clock: &Clock,
    id: Id,
    reader: Option<&CurrentUser>,
) -> Result<Post, AppError> {
    fetch(pool, id, reader, Some(clock)).await
}

async fn fetch(
    pool: &PgPool,
    Id(id): Id,
    reader: Option<&CurrentUser>,
    page: Option<&Clock>,
) -> Result<Post, AppError> {
    let row = sqlx::query!(
        r#"select p.id, p.title, case when $3 or p.rendered_by = 0 then p.content else '' end as "content!", p.status, p.tags, p.version, p.author_id, u.username, p.created_at,
            p.updated_at, p.published_at, p.average_rating, p.rating_count, r.rating as "my_rating?",
            p.content_html, p.outline as "outline: Json<Vec<Heading>>", p.excerpt, p.reading_minutes, p.rendered_by,
            p.stars_1, p.stars_2, p.stars_3, p.stars_4, p.stars_5,
            earlier.id as "earlier_id?", earlier.title as "earlier_title?",
            later.id as "later_id?", later.title as "later_title?", unusual.hours as "refusing?"
        from blog_posts p
            join users u on u.id = p.author_id
            left join rates r on r.blog_id = p.id and r.user_id = $2
            left join lateral (
                select id, title from blog_posts
                where not $3 and status = 'published' and (published_at, id) < (p.published_at, p.id)
                order by published_at desc, id desc limit 1
            ) as earlier on true
            left join lateral (
                select id, title from blog_posts
                where not $3 and status = 'published' and (published_at, id) > (p.published_at, p.id)
                order by published_at, id limit 1
            ) as later on true
            left join lateral (
                select array_agg(hour order by hour desc) as hours from rating_history, (select coalesce($4, clock_timestamp()) as now) as clock
                where not $3 and blog_id = p.id and refused > 0 and hour > clock.now - interval '1 day'
                group by clock.now having max(hour) > clock.now - interval '2 hours'
            ) as unusual on true
        where p.id = $1 and (p.status = 'published' or p.author_id = $2)"#,
        id,
        reader.map(|reader| reader.id),
        page.is_none(),
        page.and_then(Clock::now),
    );
    let row = row.fetch_optional(pool).await?.ok_or(AppError::NotFound)?;
    Ok(Post {
        id: row.id,
        slug: slug::of(&row.title),
        title: row.title,
        status: Status::of(&row.status),
        tags: row.tags,
        // From before texts were rendered, and not come to yet.
        content_html: if row.rendered_by == 0 { as_typed(&row.content) } else { row.content_html },
        content: row.content,
        author: Author { id: row.author_id, username: row.username },
        created_at: row.created_at,
        updated_at: row.updated_at,
        published_at: row.published_at,
        version: row.version,
        average_rating: row.average_rating,
        rating_count: row.rating_count,
        my_rating: row.my_rating,
        notice: None,
        outline: row.outline.0,
        excerpt: row.excerpt,
        minutes: row.reading_minutes,
        stars: [row.stars_1, row.stars_2, row.stars_3, row.stars_4, row.stars_5],
        earlier: row.earlier_id.zip(row.earlier_title).map(|(id, title)| Neighbour { id, title }),
        unusual_since: row.refusing.and_then(|hours| begin_of_run(&hours)),
        later: row.later_id.zip(row.later_title).map(|(id, title)| Neighbour { id, title }),
    })
}

/// # Errors
/// `not_found`, or `forbidden` for somebody else's post.
pub async fn find_to_change(pool: &PgPool, id: Id, user: &CurrentUser) -> Result<Post, AppError> {
    let post = find(pool, id, Some(user)).await?;
    if post.may_be_changed_by(user) { Ok(post) } else { Err(AppError::Forbidden) }
}

/// Saves a change, unless somebody else has saved since the version that was changed. Once published, a post remains so.
///
/// # Errors
/// `not_found` where the post is gone; `conflict`.
pub async fn update(
    state: &AppState,
    author: &CurrentUser,
    Id(id): Id,
    post: &NewPost,
) -> Result<Option<Simplified>, AppError> {
    let rendered = state.renderer.render(post.content.0.clone()).await?;
    let updated = sqlx::query!(
        r#"update blog_posts p set title = $2, content = $3, tags = coalesce($4, p.tags), updated_at = clock.now,
            version = p.version + 1, content_html = $7, outline = $8, excerpt = $9, reading_minutes = $10,
            rendered_by = $11,
            status = case when p.status = 'draft' and $12 then 'draft' else 'published' end,
            published_at = case
                when p.status = 'draft' and $12 then null else coalesce(p.published_at, clock.now)
            end
        from (select coalesce($5, clock_timestamp()) as now) clock
        where p.id = $1 and p.version = coalesce($6, p.version)
            and exists (select from sessions where token_hash = decode($13, 'hex'))"#,
        id,
        post.title.0,
        post.content.0,
        post.tags.as_ref().map(|tags| tags.0.as_slice()),
        state.clock.now(),
        post.version,
        rendered.html,
        Json(&rendered.outline) as _,
        rendered.excerpt,
        rendered.minutes,
        markdown::VERSION,
        // A change that does not say leaves a draft what it is.
        post.status != Some(Status::Published),
        author.session,
    );
    if updated.execute(&state.pool).await?.rows_affected() == 1 {
        return Ok(rendered.simplified);
    }
    confirm(&state.pool, author).await?;
    let exists = sqlx::query_scalar!(r#"select exists (select from blog_posts where id = $1) as "exists!""#, id);
    Err(if exists.fetch_one(&state.pool).await? { AppError::Conflict } else { AppError::NotFound })
}

/// Deletes a post, its ratings and what the limiters remember of it.
///
/// # Errors
/// `not_found` where the post is gone.
pub async fn delete(pool: &PgPool, author: &CurrentUser, Id(id): Id) -> Result<(), AppError> {
    let deleted = sqlx::query_scalar!(
        r#"with deleted as (
            delete from blog_posts
            where id = $1 and exists (select from sessions where token_hash = decode($3, 'hex')) returning id
        ), forgotten as (
            delete from limiter_states
            where limiter = any($2) and key in (select 'post:' || id from deleted)
        )
        select id from deleted"#,
        id,
        &RATING_LIMITERS.map(str::to_owned),
        author.session,
    );
    if deleted.fetch_optional(pool).await?.is_some() {
        return Ok(());
    }
    confirm(pool, author).await?;
    Err(AppError::NotFound)
}

/// Another post, to go on to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub id: i64,
    pub title: String,
}

impl Neighbour {
    #[must_use]
    pub fn path(&self) -> String {
        slug::path(self.id, &self.title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_visible_line() {
        let title = |text: &str| Title::from_text(text).map(|title| title.0);
        assert_eq!(title(" a\r\nb\u{202e}c\u{7} ").unwrap(), "a  bc");
        assert_eq!(title("سلام 👩‍💻").unwrap(), "سلام 👩‍💻");
        assert!(title("\u{200b}\u{3164}").is_err());
        assert!(title(" \u{202e} ").is_err() && title(&"x".repeat(201)).is_err() && title(&"ک".repeat(200)).is_ok());
    }

    #[test]
    fn content_is_kept_exactly_and_counted_in_bytes() {
        assert_eq!(Content::from_text(" a\r\n").unwrap().0, " a\r\n");
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2)).is_ok());
        assert!(Content::from_text(&"ک".repeat(Content::MAX_BYTES / 2 + 1)).is_err());
        assert!(Content::from_text(" \n ").is_err());
    }

    #[test]
    fn unusual_activity_begins_after_the_last_quiet_hours() {
        let at = |hours: &[i64]| {
            hours.iter().map(|hour| DateTime::from_timestamp(hour * 3_600, 0).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(begin_of_run(&at(&[100, 99, 97, 80])), Some(at(&[97])[0]));
        assert_eq!(begin_of_run(&at(&[100, 80])), Some(at(&[100])[0]));
        assert_eq!(begin_of_run(&[]), None);
    }

    #[test]
    fn percentages_add_up() {
        assert_eq!(percentages([0; 5]), [0; 5]);
        assert_eq!(percentages([1, 1, 1, 0, 0]), [34, 33, 33, 0, 0]);
        assert_eq!(percentages([1, 1, 1, 1, 2]), [17, 17, 17, 16, 33]);
        assert_eq!(percentages([0, 0, 0, 1, 999]).iter().sum::<i64>(), 100);
        assert_eq!(percentages([i64::MAX / 5; 5]), [20; 5]);
    }

    #[test]
    fn tags_have_one_form_each() {
        let tags = |text: &str| Tags::from_text(text).map(|tags| tags.0.join(" "));
        assert_eq!(tags(" Rust, #web , rust,  two words ,").unwrap(), "rust web two-words");
        assert_eq!(tags("آشپزی، برنامه‌نویسی").unwrap(), "آشپزی برنامه‌نویسی");
        assert_eq!(tags("").unwrap(), "");
        for bad in ["a b!", "<b>", "-", &"x".repeat(31), "1,2,3,4,5,6,7,8,9,10,11"] {
            assert!(tags(bad).is_err(), "{bad}");
        }
        assert!(Tags::from_json(&serde_json::json!(["a", "B"])).unwrap().0 == ["a", "b"]);
        assert!(Tags::from_json(&serde_json::json!("a")).is_err());
    }
}

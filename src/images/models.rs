//! Database queries for images, their owners, and the posts and profiles that use them.

use chrono::{DateTime, TimeDelta, Utc};
use evenkeel_markdown::image_name::ImageName;
use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{PgConnection, PgPool};

use super::error::ImageError;
use crate::db::clock::Clock;
use crate::i18n::format_size;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::response::pagination::{Direction, Pager, ResultPage, SortKey};

const MAX_IMAGES_PER_USER: i64 = 5_000;
pub const PAGE_SIZE: usize = 24;
pub const UNUSED_RETENTION: TimeDelta = TimeDelta::days(1);

/// Image that belongs to a user.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct UserImage {
    #[serde(skip)]
    pub id: i64,
    /// Path of the image on this site.
    pub url: String,
    pub width: u32,
    pub height: u32,
    /// Total size of all files of the image.
    pub bytes: i64,
    pub alt: String,
    /// Markdown that embeds the image in a post.
    pub markdown: String,
    pub added_at: DateTime<Utc>,
    /// True if a post or profile of the user shows the image. Unused images are deleted after a day, unless an earlier
    /// version of a post shows them.
    pub in_use: bool,
    #[serde(skip)]
    pub name: ImageName,
}

impl UserImage {
    fn new(id: i64, name: ImageName, bytes: i64, in_use: bool, alt: String, added_at: DateTime<Utc>) -> Self {
        let (width, height, url, markdown) = (name.width, name.height, name.path(), image_markdown(&alt, &name));
        Self { id, url, width, height, bytes, alt, markdown, added_at, in_use, name }
    }
}

pub fn image_markdown(alt: &str, name: &ImageName) -> String {
    format!("![{}]({})", evenkeel_markdown::escape_alt(alt), name.path())
}

/// One page of a user's image list, with the user's quota and used bytes.
#[derive(Debug, JsonSchema, Serialize)]
pub struct UserImages {
    #[serde(flatten)]
    pub slice: ResultPage<UserImage>,
    pub used_bytes: i64,
    pub quota_bytes: i64,
}

pub async fn list_user_images(
    pool: &PgPool,
    UserId(user): UserId,
    pager: &Pager<'_>,
) -> sqlx::Result<ResultPage<UserImage>> {
    let position = pager.position(SortKey::max_time());
    let is_before = position.side == Direction::Before;
    let SortKey::Time(at) = position.rank else {
        return Ok(pager.page_from_rows(Vec::new(), |own: &UserImage| (SortKey::Time(own.added_at), own.id)));
    };
    let rows = sqlx::query!(
        r#"select o.id, i.name, i.bytes, o.alt, o.added_at,
            exists (select from image_uses where image_id = i.id and owner_id = $1) as "in_use!"
        from image_owners o join images i on i.id = o.image_id
        where user_id = $1 and case when $4 then (added_at, o.id) > ($2, $3) else (added_at, o.id) < ($2, $3) end
        order by case when $4 then o.added_at end, case when $4 then o.id end, o.added_at desc, o.id desc limit $5"#,
        user,
        at,
        position.id,
        is_before,
        pager.limit(),
    );
    let own = rows.fetch_all(pool).await?.into_iter().filter_map(|row| {
        let name = ImageName::parse(&row.name)?;
        Some(UserImage::new(row.id, name, row.bytes, row.in_use, row.alt, row.added_at))
    });
    Ok(pager.page_from_rows(own.collect(), |own| (SortKey::Time(own.added_at), own.id)))
}

pub async fn latest_images(pool: &PgPool, UserId(user): UserId, limit: i64) -> sqlx::Result<Vec<ImageName>> {
    let names = sqlx::query_scalar!(
        "select i.name from image_owners o join images i on i.id = o.image_id
        where user_id = $1 order by o.added_at desc, o.id desc limit $2",
        user,
        limit,
    );
    Ok(names.fetch_all(pool).await?.iter().filter_map(|name| ImageName::parse(name)).collect())
}

/// After [`save_image_uses`] with this image in the same transaction, the result stays true until the transaction ends,
/// because the image is locked.
pub async fn is_owned_by(connection: &mut PgConnection, UserId(user): UserId, name: &ImageName) -> sqlx::Result<bool> {
    let own = sqlx::query_scalar!(
        r#"select exists (
            select from image_owners o join images i on i.id = o.image_id where user_id = $1 and name = $2
        ) as "own!""#,
        user,
        name.to_string(),
    );
    own.fetch_one(connection).await
}

#[derive(Clone, Copy, Debug)]
pub struct StorageUsage {
    pub images: i64,
    pub bytes: i64,
}

pub async fn storage_usage(connection: &mut PgConnection, UserId(user): UserId) -> sqlx::Result<StorageUsage> {
    let usage = sqlx::query_as!(
        StorageUsage,
        r#"select count(*) as "images!", coalesce(sum(bytes), 0)::bigint as "bytes!"
        from image_owners o join images i on i.id = o.image_id where user_id = $1"#,
        user,
    );
    usage.fetch_one(connection).await
}

/// The image stays locked until the transaction ends, so that its files cannot be deleted in the meantime.
pub async fn add_user_image(
    connection: &mut PgConnection,
    clock: &Clock,
    UserId(user): UserId,
    name: &ImageName,
    bytes: i64,
    alt: &str,
    quota: i64,
) -> Result<UserImage, AppError> {
    // Locks the row of the user, because concurrent uploads could otherwise exceed the quota together.
    let locked = sqlx::query!("select from users where id = $1 for no key update", user);
    locked.fetch_optional(&mut *connection).await?.ok_or(AppError::NotSignedIn { next: None })?;
    let now = clock.read(connection).await?;
    let image = sqlx::query_scalar!(
        "insert into images as i (name, bytes, created_at, unused_since) values ($1, $2, $3, $3)
        on conflict (name) do update set unused_since = case when i.unused_since is null then null else $3 end
        returning id",
        name.to_string(),
        bytes,
        now,
    );
    let image = image.fetch_one(&mut *connection).await?;
    let owned = sqlx::query!(
        "insert into image_owners (user_id, image_id, alt, added_at) values ($1, $2, $3, $4)
        on conflict on constraint image_owners_user_id_image_id_key do update
            set alt = coalesce(nullif(excluded.alt, ''), image_owners.alt), added_at = excluded.added_at
        returning id, alt, exists (select from image_uses where image_id = $2 and owner_id = $1) as \"in_use!\"",
        user,
        image,
        alt,
        now,
    );
    let owned = owned.fetch_one(&mut *connection).await?;
    check_quota(storage_usage(connection, UserId(user)).await?, quota)?;
    Ok(UserImage::new(owned.id, name.clone(), bytes, owned.in_use, owned.alt, now))
}

fn check_quota(usage: StorageUsage, quota: i64) -> Result<(), AppError> {
    if usage.images > MAX_IMAGES_PER_USER {
        return Err(AppError::invalid_field("image", phrase!("invalid-too-many-images", most = MAX_IMAGES_PER_USER)));
    }
    if usage.bytes > quota {
        let (would, most) = (format_size(usage.bytes), format_size(quota));
        let message = phrase!("invalid-images-too-large", size = would, most = most);
        return Err(AppError::invalid_field("image", message));
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
pub enum ImageUse {
    Post(i64),
    User(UserId),
    /// Setting of the site, such as `SITE_LOGO`.
    Setting(&'static str),
}

/// Records only images of the author or of `changed_by`; names of other images are skipped.
pub async fn save_image_uses(
    connection: &mut PgConnection,
    image_use: ImageUse,
    changed_by: Option<UserId>,
    names: &[String],
) -> sqlx::Result<()> {
    let (post, user, setting) = match image_use {
        ImageUse::Post(id) => (Some(id), None, None),
        ImageUse::User(UserId(id)) => (None, Some(id), None),
        ImageUse::Setting(name) => (None, None, Some(name)),
    };
    let removed = sqlx::query!(
        "delete from image_uses u using images i
        where i.id = u.image_id and (post_id = $1 or user_id = $2 or setting = $4) and i.name <> all($3)",
        post,
        user,
        names,
        setting,
    );
    removed.execute(&mut *connection).await?;
    if names.is_empty() {
        return Ok(());
    }
    // Locks the images in the order of their ids, to avoid deadlocks. The owners are read in a separate statement,
    // which sees deletions that were committed before the locks were granted.
    let locked = sqlx::query_scalar!("select id from images where name = any($1) order by id for no key update", names);
    let locked = locked.fetch_all(&mut *connection).await?;
    let added = sqlx::query!(
        "with owned as (
            select distinct on (image_id) image_id, user_id from image_owners
            where image_id = any($3) and user_id in ($2, $4, (select author_id from blog_posts where id = $1))
            order by image_id, user_id = $4 desc
        ),
        used as (
            update images set unused_since = null
            where id in (select image_id from owned) and unused_since is not null
        )
        insert into image_uses (image_id, post_id, user_id, setting, owner_id) select image_id, $1, $2, $5, user_id from owned
        on conflict do nothing",
        post,
        user,
        &locked,
        changed_by.map(|UserId(id)| id),
        setting,
    );
    added.execute(connection).await.map(drop)
}

/// Returns true if the row was deleted, because no other user has the image and no post or profile shows it. The caller
/// must then delete the files after the commit.
pub async fn remove_user_image(
    connection: &mut PgConnection,
    UserId(user): UserId,
    name: &ImageName,
) -> Result<bool, AppError> {
    let image = sqlx::query_scalar!(
        "select i.id from images i join image_owners o on o.image_id = i.id where i.name = $1 and o.user_id = $2
        for update of i",
        name.to_string(),
        user,
    );
    let image = image.fetch_optional(&mut *connection).await?.ok_or(AppError::NotFound)?;
    // A separate statement, which sees uses that another transaction has added before the row was locked.
    let in_use = sqlx::query_scalar!(
        r#"select exists (select from image_uses where image_id = $1 and owner_id = $2) as "in_use!""#,
        image,
        user,
    );
    if in_use.fetch_one(&mut *connection).await? {
        return Err(ImageError::ImageInUse.into());
    }
    sqlx::query!("delete from image_owners where image_id = $1 and user_id = $2", image, user)
        .execute(&mut *connection)
        .await?;
    let deleted = sqlx::query!(
        "delete from images i where id = $1 and not exists (select from image_owners where image_id = i.id)
            and not exists (select from image_uses where image_id = i.id)",
        image,
    );
    Ok(deleted.execute(connection).await?.rows_affected() == 1)
}

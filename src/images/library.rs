//! All images of the site: takes those that are sent, and deletes those that nothing shows.

use std::path::PathBuf;
use std::time::Duration;

use actix_web::web::Bytes;
use chrono::{DateTime, Utc};
use futures_util::StreamExt as _;
use sqlx::PgConnection;

use super::encoding::encode::{Encoded, Shape};
use super::encoding::sandbox::{encode_apart, program};
use super::error::ImageError;
use super::models::{self, OwnImage, UNUSED_FOR};
use super::settings::Settings;
use super::store::Store;
use crate::db::clock::MAX_BACKWARD_MS;
use crate::db::commit;
use crate::db::limiter_states::{self, KeyedLimit};
use crate::i18n::Phrase;
use crate::image_name::ImageName;
use crate::phrase;
use crate::web::connection::permits::Permits;
use crate::web::error::AppError;
use crate::web::request::upload::Upload;
use crate::web::request::visitor::UserId;
use crate::web::state::AppState;
use evenkeel_limiters::together::Limit;
use evenkeel_limiters::{LeakyBucket, LeakyBucketParams};

/// How long a request waits for its turn to have a picture read.
const PATIENCE: Duration = Duration::from_secs(8);

/// Images that are sent by one account: 60 at once, then one in 30 seconds.
const AT_ONCE: i64 = 60;
const ONE_IN_MS: i64 = 30_000;

/// Files of a store that are looked up at once.
const LISTED: usize = 500;

/// Clones share it.
#[derive(Clone, Debug)]
pub struct Library {
    pub store: Store,
    state: AppState,
    quota: i64,
    /// What reads pictures.
    program: PathBuf,
    /// One picture is read at a time, and its files are kept: that takes a core, up to half a gigabyte, and a connection.
    turns: Permits,
    /// One is deleted at a time: where the store does not answer, that takes one connection and no more.
    removals: Permits,
    bucket: LeakyBucket,
}

/// An image that was taken.
#[derive(Debug)]
pub struct Added {
    pub own: OwnImage,
    /// Whether it moved in the file, and does not here.
    pub has_stopped: bool,
}

impl Added {
    /// What its sender should know besides.
    #[must_use]
    pub fn notice(&self) -> Option<Phrase> {
        self.has_stopped.then(|| phrase!("notice-image-stands-still"))
    }
}

impl Library {
    /// # Errors
    /// If the folder cannot be made.
    pub fn new(settings: &Settings, state: &AppState) -> anyhow::Result<Self> {
        Ok(Self {
            store: Store::open(&settings.place)?,
            state: state.clone(),
            quota: i64::try_from(settings.quota).unwrap_or(i64::MAX),
            program: settings.program.clone().unwrap_or_else(program),
            turns: Permits::new(1, PATIENCE),
            removals: Permits::new(1, PATIENCE / 2),
            bucket: LeakyBucket::new(LeakyBucketParams {
                capacity: AT_ONCE,
                leak_amount: 1,
                leak_period_ms: ONE_IN_MS,
                max_backward_ms: MAX_BACKWARD_MS,
            })?,
        })
    }

    /// The most bytes of one account.
    #[must_use]
    pub fn quota(&self) -> i64 {
        self.quota
    }

    /// Takes a picture: makes an image of it, and keeps that as one of this user's.
    ///
    /// # Errors
    /// `invalid` with what is wrong with the field `image`; `images_limited`; `busy`; `unavailable`.
    pub async fn add(&self, user: UserId, upload: Upload, alt: &str, shape: Shape) -> Result<Added, AppError> {
        self.count(user).await?;
        let (library, alt) = (self.clone(), alt.to_owned());
        let turn = self.turns.take().await?;
        // Whoever hangs up leaves nothing half done.
        let adding = actix_web::rt::spawn(async move {
            let added = library.make(user, upload.bytes.clone(), &alt, shape).await?;
            drop((turn, upload));
            tracing::info!(user_id = user.0, image = %added.own.name, bytes = added.own.bytes, "image added");
            Ok(added)
        });
        adding.await.map_err(|panic| AppError::Internal(panic.to_string()))?
    }

    /// Takes a picture for whoever runs the site: it is not counted how many there are.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub async fn import(&self, user: UserId, file: Bytes, alt: &str) -> Result<OwnImage, AppError> {
        let _turn = self.turns.wait().await?;
        self.make(user, file, alt, Shape::Whole).await.map(|added| added.own)
    }

    async fn make(&self, user: UserId, file: Bytes, alt: &str, shape: Shape) -> Result<Added, AppError> {
        let encoded = encode_apart(&self.program, file, shape).await?;
        let encoded = encoded.map_err(|problem| AppError::field("image", problem.words()))?;
        let has_stopped = encoded.has_stopped && shape == Shape::Whole;
        let own = self.keep(user, encoded, alt).await?;
        Ok(Added { own, has_stopped })
    }

    async fn keep(&self, user: UserId, encoded: Encoded, alt: &str) -> Result<OwnImage, AppError> {
        let bytes = encoded.files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut transaction = self.state.pool.begin().await?;
        let own = models::add(&mut transaction, &self.state.clock, user, &encoded.name, bytes, alt, self.quota).await?;
        for (file, bytes) in encoded.files {
            self.store.put(&file, bytes).await?;
        }
        commit(transaction).await?;
        Ok(own)
    }

    /// Takes an image from one of those who have sent it, and deletes its files if nobody else has.
    ///
    /// # Errors
    /// `not_found`; `image_in_use`; `busy`; `unavailable`.
    pub async fn remove(&self, user: UserId, name: ImageName) -> Result<(), AppError> {
        let (library, turn) = (self.clone(), self.removals.take().await?);
        let remove = async move |connection: &mut PgConnection, _: &AppState| {
            let _turn = turn;
            if models::remove(connection, user, &name).await? {
                library.delete_files(&name).await?;
            }
            Ok(())
        };
        self.state.in_one_transaction(remove).await
    }

    /// Counts a picture that is sent, before anything is done with it.
    async fn count(&self, user: UserId) -> Result<(), AppError> {
        let (key, bucket) = (format!("images:{user}"), self.bucket);
        self.state
            .in_one_transaction(async move |connection, state| {
                let limit = KeyedLimit { key, limit: Limit { name: "images", limiter: &bucket } };
                let wait = limiter_states::count_event(connection, vec![limit], &state.clock).await;
                match wait.map_err(|error| AppError::Unavailable(Some(error.into())))? {
                    None => Ok(()),
                    Some(retry_after_ms) => Err(ImageError::ImagesLimited { retry_after_ms }.into()),
                }
            })
            .await
    }

    /// Notes which images nothing shows, and since when.
    pub async fn note_unused(&self) -> Result<(), AppError> {
        let mut connection = self.state.pool.acquire().await?;
        // Both at once: a post that is being saved may have been missed the time before.
        let noted = sqlx::query!(
            "update images i set unused_since = case when used then null else coalesce($1, clock_timestamp()) end
            from (select id, exists (select from image_uses where image_id = images.id) as used from images) these
            where these.id = i.id and used = (unused_since is not null)",
            self.state.clock.now(),
        );
        noted.execute(&mut *connection).await?;
        Ok(())
    }

    /// Deletes one image that nothing has shown for a day, with its files. Whether there was one.
    pub async fn delete_unused(&self) -> Result<bool, AppError> {
        let mut transaction = self.state.pool.begin().await?;
        let image = sqlx::query!(
            "select id, name from images i
            where unused_since < coalesce($1, clock_timestamp()) - make_interval(secs => $2)
                and not exists (select from image_uses where image_id = i.id)
            order by unused_since limit 1 for update skip locked",
            self.state.clock.now(),
            UNUSED_FOR.as_seconds_f64(),
        );
        let Some(image) = image.fetch_optional(&mut *transaction).await? else { return Ok(false) };
        // Somebody may have begun to use it before we held it. Then it is not found again.
        let deleted = sqlx::query!(
            "delete from images i where id = $1 and not exists (select from image_uses where image_id = i.id)",
            image.id,
        );
        if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(true);
        }
        if let Some(name) = ImageName::parse(&image.name) {
            self.delete_files(&name).await?;
        }
        commit(transaction).await?;
        tracing::info!(image = image.name, "unused image deleted");
        Ok(true)
    }

    async fn delete_files(&self, name: &ImageName) -> Result<(), AppError> {
        for file in name.files() {
            self.store.delete(&file).await?;
        }
        Ok(())
    }

    /// Deletes files that belong to no image: what was left where an instance ended in the middle.
    pub async fn delete_stray(&self) -> Result<usize, AppError> {
        let now = self.state.now().await?;
        let mut deleted = 0;
        let mut listed = self.store.list().chunks(LISTED);
        while let Some(files) = listed.next().await {
            let mut old = Vec::new();
            for listed in files {
                let (file, written_at): (_, DateTime<Utc>) = listed?;
                if file.width.is_none() && written_at < now - UNUSED_FOR {
                    old.push(file.name);
                }
            }
            let names: Vec<String> = old.iter().map(ToString::to_string).collect();
            let known = sqlx::query_scalar!("select name from images where name = any($1)", &names);
            let known = known.fetch_all(&self.state.pool).await?;
            for name in old.iter().filter(|name| !known.contains(&name.to_string())) {
                deleted += usize::from(self.delete_if_stray(name).await?);
            }
        }
        Ok(deleted)
    }

    /// Whoever sends the same picture now waits until it is gone, or has it already, and it is not stray.
    async fn delete_if_stray(&self, name: &ImageName) -> Result<bool, AppError> {
        let mut transaction = self.state.pool.begin().await?;
        if !claim(&mut transaction, name).await? {
            return Ok(false);
        }
        self.delete_files(name).await?;
        transaction.rollback().await?;
        tracing::info!(image = %name, "orphaned image files deleted");
        Ok(true)
    }
}

/// Takes a name that nobody has, until the transaction ends.
async fn claim(connection: &mut PgConnection, name: &ImageName) -> sqlx::Result<bool> {
    let claimed = sqlx::query!(
        "insert into images (name, bytes, created_at) values ($1, 0, 'epoch') on conflict (name) do nothing",
        name.to_string(),
    );
    Ok(claimed.execute(connection).await?.rows_affected() == 1)
}

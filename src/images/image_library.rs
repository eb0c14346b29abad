//! Image library: adds uploaded images, and deletes unused images and files that belong to no image.

use std::path::PathBuf;
use std::time::Duration;

use actix_web::web::Bytes;
use chrono::{DateTime, Utc};
use evenkeel_image_encoding::sandbox::{current_program, encode_in_sandbox};
use evenkeel_image_encoding::{CropMode, EncodedImage, WorkerError};
use evenkeel_markdown::image_name::ImageName;
use futures_util::StreamExt as _;
use sqlx::PgConnection;
use tokio::time::timeout;

use super::error::ImageError;
use super::models::{self, UNUSED_RETENTION, UserImage};
use super::problem_message::problem_message;
use super::settings::ImageSettings;
use super::store::ImageStore;
use crate::db::clock::MAX_BACKWARD_STEP_MS;
use crate::db::commit;
use crate::db::limiter_states::{self, KeyedLimit};
use crate::i18n::Phrase;
use crate::permits::Permits;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::current_user::UserId;
use crate::web::request::upload::UploadedFile;
use crate::web::state::CoreState;
use evenkeel_limiters::combined_limits::NamedLimit;
use evenkeel_limiters::{LeakyBucket, LeakyBucketParams};

const PERMIT_TIMEOUT: Duration = Duration::from_secs(8);

/// Upload rate limit of an account: a burst of 60 images, then one per 30 seconds (in milliseconds).
const UPLOAD_BURST: i64 = 60;
const UPLOAD_PERIOD_MS: i64 = 30_000;

/// Maximum time for which the response to a deletion waits until the files are deleted.
const DELETION_TIMEOUT: Duration = Duration::from_secs(3);

const LIST_BATCH: usize = 500;

#[derive(Clone, Debug)]
pub struct ImageLibrary {
    pub store: ImageStore,
    state: CoreState,
    quota: i64,
    worker_program: PathBuf,
    /// One permit: encoding uses one core, up to 0.5 GB of memory and a database connection.
    encoding_permits: Permits,
    /// One permit, so that an unresponsive store blocks at most one database connection.
    deletion_permits: Permits,
    bucket: LeakyBucket,
}

#[derive(Debug)]
pub struct AddedImage {
    pub image: UserImage,
    /// True if the upload was animated and only its first frame was kept.
    pub lost_animation: bool,
}

impl AddedImage {
    pub fn lost_animation_warning(&self) -> Option<Phrase> {
        self.lost_animation.then(|| phrase!("notice-image-animation-removed"))
    }
}

impl ImageLibrary {
    pub fn new(settings: &ImageSettings, state: &CoreState) -> anyhow::Result<Self> {
        Ok(Self {
            store: ImageStore::open(&settings.location)?,
            state: state.clone(),
            quota: i64::try_from(settings.quota_bytes).unwrap_or(i64::MAX),
            worker_program: settings.worker_program.clone().unwrap_or_else(current_program),
            encoding_permits: Permits::new(1, PERMIT_TIMEOUT),
            deletion_permits: Permits::new(1, PERMIT_TIMEOUT / 2),
            bucket: LeakyBucket::new(LeakyBucketParams {
                capacity: UPLOAD_BURST,
                leak_amount: 1,
                leak_period_ms: UPLOAD_PERIOD_MS,
                max_backward_ms: MAX_BACKWARD_STEP_MS,
            })?,
        })
    }

    pub fn quota_bytes(&self) -> i64 {
        self.quota
    }

    pub async fn add(
        &self,
        user: UserId,
        upload: UploadedFile,
        alt: &str,
        shape: CropMode,
    ) -> Result<AddedImage, AppError> {
        self.count_upload(user).await?;
        let (library, alt) = (self.clone(), alt.to_owned());
        let permit = self.encoding_permits.acquire(user.into()).await?;
        // The upload is processed in its own task, so that it is not interrupted if the client disconnects.
        let adding = actix_web::rt::spawn(async move {
            let added = library.encode_and_store(user, upload.bytes.clone(), &alt, shape).await?;
            drop((permit, upload));
            tracing::info!(user_id = user.0, image = %added.image.name, bytes = added.image.bytes, "image added");
            Ok(added)
        });
        adding.await?
    }

    /// Imports an image for a management command, without a rate limit.
    pub async fn import(&self, user: UserId, file: Bytes, alt: &str) -> Result<UserImage, AppError> {
        let _permit = self.encoding_permits.acquire_without_timeout().await?;
        self.encode_and_store(user, file, alt, CropMode::Whole).await.map(|added| added.image)
    }

    async fn encode_and_store(
        &self,
        user: UserId,
        file: Bytes,
        alt: &str,
        shape: CropMode,
    ) -> Result<AddedImage, AppError> {
        let encoded = encode_in_sandbox(&self.worker_program, file, shape).await.map_err(|error| match error {
            WorkerError::Run(_) => AppError::Unavailable(Some(error.into())),
            WorkerError::Output(source) => AppError::Internal(format!("{source:#}")),
        })?;
        let encoded = encoded.map_err(|problem| AppError::invalid_field("image", problem_message(&problem)))?;
        let has_stopped = encoded.lost_animation && shape == CropMode::Whole;
        let own = self.store_image(user, encoded, alt).await?;
        Ok(AddedImage { image: own, lost_animation: has_stopped })
    }

    async fn store_image(&self, user: UserId, encoded: EncodedImage, alt: &str) -> Result<UserImage, AppError> {
        let bytes = encoded.files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut transaction = self.state.pool.begin().await?;
        allow_waiting_for_store(&mut transaction).await?;
        let own =
            models::add_user_image(&mut transaction, &self.state.clock, user, &encoded.name, bytes, alt, self.quota)
                .await?;
        for (file, bytes) in encoded.files {
            self.store.write_file(&file, bytes).await?;
        }
        commit(transaction).await?;
        Ok(own)
    }

    /// If the files cannot be deleted now, [`delete_stray_files`](Self::delete_stray_files) deletes the files later.
    pub async fn remove(&self, user: UserId, name: ImageName) -> Result<(), AppError> {
        let (library, permit) = (self.clone(), self.deletion_permits.acquire(user.into()).await?);
        // Removes the image in a separate task, which is not interrupted if the client disconnects.
        let removing = actix_web::rt::spawn(async move {
            let mut transaction = library.state.pool.begin().await?;
            let is_deleted = models::remove_user_image(&mut transaction, user, &name).await?;
            commit(transaction).await?;
            if is_deleted {
                let deleting = actix_web::rt::spawn(async move {
                    let _permit = permit;
                    if let Err(error) = library.delete_if_stray(&name).await {
                        tracing::warn!(image = %name, %error, "files of a deleted image not deleted; will be retried");
                    }
                });
                // Limits the time that a slow image store delays the response.
                let _ = timeout(DELETION_TIMEOUT, deleting).await;
            }
            Ok(())
        });
        removing.await?
    }

    async fn count_upload(&self, user: UserId) -> Result<(), AppError> {
        let (key, bucket) = (format!("images:{user}"), self.bucket);
        self.state
            .transaction(async move |connection, state| {
                let limit = KeyedLimit { key, limit: NamedLimit { name: "images", limiter: &bucket } };
                let wait = limiter_states::count_event(connection, vec![limit], &state.clock).await;
                match wait.map_err(|error| AppError::Unavailable(Some(error.into())))? {
                    None => Ok(()),
                    Some(retry_after) => Err(ImageError::RateLimited { retry_after }.into()),
                }
            })
            .await
    }

    pub async fn update_unused_since(&self) -> Result<(), AppError> {
        let mut connection = self.state.pool.acquire().await?;
        // The time is also cleared for images that are in use: the previous run may have set it while a post with the
        // image was being saved.
        let noted = sqlx::query!(
            "update images i set unused_since = case when used then null else coalesce($1, clock_timestamp()) end
            from (select id, exists (select from image_uses where image_id = images.id) as used from images) these
            where these.id = i.id and used = (unused_since is not null)",
            self.state.clock.now(),
        );
        noted.execute(&mut *connection).await?;
        Ok(())
    }

    /// Returns false if there is no unused image. If the files cannot be deleted,
    /// [`delete_stray_files`](Self::delete_stray_files) deletes them later.
    pub async fn delete_next_unused(&self) -> Result<bool, AppError> {
        let mut transaction = self.state.pool.begin().await?;
        let image = sqlx::query!(
            "select id, name from images i
            where unused_since < coalesce($1, clock_timestamp()) - make_interval(secs => $2)
                and not exists (select from image_uses where image_id = i.id)
                and not exists (select from post_revisions where images @> array[i.id])
            order by unused_since limit 1 for update skip locked",
            self.state.clock.now(),
            UNUSED_RETENTION.as_seconds_f64(),
        );
        let Some(image) = image.fetch_optional(&mut *transaction).await? else { return Ok(false) };
        // The image is not deleted if a post has started to use it since it was selected. The next call does not select
        // it again.
        let deleted = sqlx::query!(
            "delete from images i where id = $1 and not exists (select from image_uses where image_id = i.id)",
            image.id,
        );
        if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(true);
        }
        commit(transaction).await?;
        tracing::info!(image = image.name, "unused image deleted");
        if let Some(name) = ImageName::parse(&image.name) {
            self.delete_if_stray(&name).await?;
        }
        Ok(true)
    }

    /// Deletes image files without a row in `images`, which remain if an instance is stopped during an upload, or if
    /// the files of a deleted image could not be deleted. Returns the number of images.
    pub async fn delete_stray_files(&self) -> Result<usize, AppError> {
        let now = self.state.now().await?;
        let mut deleted = 0;
        let mut listed = self.store.list_files().chunks(LIST_BATCH);
        while let Some(files) = listed.next().await {
            let mut old = Vec::new();
            for listed in files {
                let (file, written_at): (_, DateTime<Utc>) = listed?;
                if file.width.is_none() && written_at < now - UNUSED_RETENTION {
                    old.push(file.name);
                }
            }
            let names: Vec<String> = old.iter().map(ToString::to_string).collect();
            let stored_names = sqlx::query_scalar!("select name from images where name = any($1)", &names);
            let stored_names = stored_names.fetch_all(&self.state.pool).await?;
            for name in old.iter().filter(|name| !stored_names.contains(&name.to_string())) {
                if self.delete_if_stray(name).await? {
                    tracing::info!(image = %name, "orphaned image files deleted");
                    deleted += 1;
                }
            }
        }
        Ok(deleted)
    }

    /// A concurrent upload of the same image waits until the files are deleted, and fails if that takes longer than the
    /// lock timeout. If the upload was first, its files are kept.
    async fn delete_if_stray(&self, name: &ImageName) -> Result<bool, AppError> {
        let mut transaction = self.state.pool.begin().await?;
        allow_waiting_for_store(&mut transaction).await?;
        if !claim_name(&mut transaction, name).await? {
            return Ok(false);
        }
        for file in name.files() {
            self.store.delete_file(&file).await?;
        }
        transaction.rollback().await?;
        Ok(true)
    }
}

/// Lets the transaction wait for slow requests to the image store: three files, at most 12 seconds each. Otherwise
/// `PostgreSQL` would end a session that is idle in a transaction for five seconds.
async fn allow_waiting_for_store(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query!("set local idle_in_transaction_session_timeout = '45s'").execute(connection).await.map(drop)
}

/// Inserts a temporary row, which blocks uploads of the same image until the transaction ends. Returns false if the
/// name is in use.
async fn claim_name(connection: &mut PgConnection, name: &ImageName) -> sqlx::Result<bool> {
    let claimed = sqlx::query!(
        "insert into images (name, bytes, created_at) values ($1, 0, 'epoch') on conflict (name) do nothing",
        name.to_string(),
    );
    Ok(claimed.execute(connection).await?.rows_affected() == 1)
}

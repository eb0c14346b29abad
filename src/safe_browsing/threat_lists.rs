//! Local copies of the threat lists of a Safe Browsing server, and their updates.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use sqlx::PgPool;
use tokio::sync::Mutex;

use super::client::{Client, RequestError};
use super::pacing::{PaceDecision, RequestOutcome, RequestPacer};
use super::settings::Settings;
use crate::db::clock::Clock;
use crate::db::commit;
use evenkeel_limiters::PacerState;
use evenkeel_safe_browsing::hash_prefixes::PrefixList;
use evenkeel_safe_browsing::protocol::{
    ClientInfo, Compression, Constraints, FetchThreatListUpdatesRequest, ListUpdateRequest, ListUpdateResponse,
    ThreatListId,
};

/// Maximum age of a list, measured from the server's last confirmation. Older lists are ignored.
const STALE_AFTER: TimeDelta = TimeDelta::hours(24);

/// Interval between updates if the server specifies no minimum wait.
const UPDATE_INTERVAL: TimeDelta = TimeDelta::minutes(30);

#[derive(Debug)]
pub struct SafeBrowsing {
    pub(super) settings: Settings,
    pub(super) client: Client,
    pub(super) pool: PgPool,
    pub(super) clock: Clock,
    pub(super) fetching: RequestPacer,
    pub(super) finding: RequestPacer,
    /// Limits this instance to one full hash request at a time.
    pub(super) lookup_lock: Mutex<()>,
    /// Held while lists are loaded, so that a slow query does not replace newer lists with older lists.
    load_lock: Mutex<()>,
    pub(super) loaded: RwLock<Arc<BTreeMap<String, LoadedList>>>,
}

#[derive(Debug)]
pub(super) struct LoadedList {
    pub(super) list: Arc<PrefixList>,
    /// Number of changes to the list when it was read from the database, used to detect later updates.
    pub(super) changes: i64,
    pub(super) client_state: String,
    pub(super) updated_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ThreatListStatus {
    pub name: String,
    pub prefixes: usize,
    /// Memory usage in bytes.
    pub bytes: usize,
    /// Time at which the server last confirmed that the list is up to date; `None` before the first confirmation.
    pub updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// The lists are up to date.
    Done,
    /// Pacing permits no request before `until`.
    Wait { until: DateTime<Utc> },
}

impl SafeBrowsing {
    pub fn new(settings: Settings, pool: PgPool, clock: Clock) -> Result<Self, RequestError> {
        Ok(Self {
            client: Client::new(&settings)?,
            settings,
            pool,
            fetching: RequestPacer::new("threatListUpdates.fetch", clock.clone()),
            finding: RequestPacer::new("fullHashes.find", clock.clone()),
            clock,
            lookup_lock: Mutex::default(),
            load_lock: Mutex::default(),
            loaded: RwLock::default(),
        })
    }

    /// Loads the lists, and delays the first requests by a random time of up to one minute.
    pub async fn load_lists_after_start(&self) -> sqlx::Result<()> {
        self.fetching.resume(&self.pool).await?;
        self.finding.resume(&self.pool).await?;
        self.load().await
    }

    pub async fn load(&self) -> sqlx::Result<()> {
        let _guard = self.load_lock.lock().await;
        let old = self.loaded_lists();
        let names: Vec<String> = self.settings.lists.iter().map(ThreatListId::name).collect();
        let changes: Vec<i64> = names.iter().map(|name| old.get(name).map_or(-1, |loaded| loaded.changes)).collect();
        let rows = sqlx::query!(
            r#"select l.name, l.client_state, l.changes, l.updated_at,
                case when l.changes <> known.changes then l.prefixes end as prefixes
            from unnest($1::text[], $2::bigint[]) as known (name, changes) join threat_lists l on l.name = known.name"#,
            &names,
            &changes,
        );
        let mut loaded = BTreeMap::new();
        for row in rows.fetch_all(&self.pool).await? {
            let before = old.get(&row.name).map(|loaded| loaded.list.clone());
            // Invalid data becomes an empty list. The next update then fails its checksum, which makes the client
            // request the whole list.
            let list = row.prefixes.map(|prefixes| Arc::new(PrefixList::from_bytes(&prefixes).unwrap_or_default()));
            let list = list.or(before).unwrap_or_default();
            let (changes, client_state, updated_at) = (row.changes, row.client_state, row.updated_at);
            loaded.insert(row.name, LoadedList { list, changes, client_state, updated_at });
        }
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
        Ok(())
    }

    pub(super) fn loaded_lists(&self) -> Arc<BTreeMap<String, LoadedList>> {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Updates the lists if pacing permits a request.
    pub async fn update(&self) -> Result<UpdateOutcome, UpdateError> {
        let permit = match self.fetching.acquire(&self.pool).await? {
            PaceDecision::Granted(permit) => permit,
            PaceDecision::Wait { until } => return Ok(UpdateOutcome::Wait { until }),
        };
        // Reloads the lists, because another instance may have updated the lists meanwhile.
        self.load().await?;
        let answer = self.client.fetch_list_updates(&self.fetch_request()).await;
        let (outcome, stored) = match &answer {
            Ok(answer) => {
                let wait = Some(to_time_delta(answer.minimum_wait_duration).unwrap_or(UPDATE_INTERVAL));
                (RequestOutcome::Answered { wait }, self.apply(&answer.list_update_responses).await)
            }
            Err(_) => (RequestOutcome::Failed, Ok(())),
        };
        // The lease ends only after the response is stored, so that the next instance that sends a request starts from
        // the new lists. If the response cannot be stored, the request was nevertheless answered.
        self.fetching.report_outcome_with_retries(&self.pool, &permit, outcome).await?;
        stored?;
        answer?;
        self.load().await?;
        Ok(UpdateOutcome::Done)
    }

    fn fetch_request(&self) -> FetchThreatListUpdatesRequest {
        let loaded = self.loaded_lists();
        let request = |list: &ThreatListId| ListUpdateRequest {
            state: loaded.get(&list.name()).map(|loaded| loaded.client_state.clone()).unwrap_or_default(),
            constraints: Constraints {
                size: self.settings.size,
                supported_compressions: vec![Compression::Raw, Compression::Rice],
            },
            list: list.clone(),
        };
        FetchThreatListUpdatesRequest {
            client: client_info(),
            list_update_requests: self.settings.lists.iter().map(request).collect(),
        }
    }

    /// Stores updates. A list with an invalid update is cleared, so that the next request fetches the whole list. Lists
    /// without an update are unchanged and count as confirmed.
    async fn apply(&self, updates: &[ListUpdateResponse]) -> sqlx::Result<()> {
        let mut transaction = self.pool.begin().await?;
        let now = self.clock.read(&mut transaction).await?;
        for list in &self.settings.lists {
            let name = list.name();
            let (state, prefixes, updated_at) = match updates.iter().find(|update| update.list == *list) {
                None => (None, None, Some(now)),
                Some(update) => match self.apply_update(&name, update).await {
                    Ok(prefixes) => (Some(update.new_client_state.clone()), Some(prefixes), Some(now)),
                    Err(error) => {
                        tracing::warn!(list = name, %error, "invalid update; threat list will be fetched in full");
                        (Some(String::new()), Some(Vec::new()), None)
                    }
                },
            };
            let statement = sqlx::query!(
                "insert into threat_lists as list (name, client_state, prefixes, changes, updated_at)
                values ($1, coalesce($2, ''), coalesce($3, ''::bytea), 1, $4)
                on conflict (name) do update set
                    client_state = coalesce($2, list.client_state), prefixes = coalesce($3, list.prefixes),
                    changes = list.changes + case when $3 is null then 0 else 1 end, updated_at = $4",
                name,
                state,
                prefixes,
                updated_at,
            );
            statement.execute(&mut *transaction).await?;
        }
        commit(transaction).await
    }

    /// Applies an update on a blocking thread, because millions of prefixes take several hundred milliseconds.
    async fn apply_update(&self, name: &str, update: &ListUpdateResponse) -> Result<Vec<u8>, anyhow::Error> {
        let before = self.loaded_lists().get(name).map(|loaded| loaded.list.clone()).unwrap_or_default();
        let update = update.clone();
        let applied = tokio::task::spawn_blocking(move || update.apply_to(&before).map(|list| list.to_bytes()));
        Ok(applied.await??)
    }

    /// Returns the total number of changes to all lists, which never decreases.
    pub fn list_version(&self) -> i64 {
        self.loaded_lists().values().map(|list| list.changes).sum()
    }

    pub fn server_host(&self) -> String {
        self.settings.server_host()
    }

    /// Status of each list, and pacing states of list updates and of full hash requests.
    pub async fn status(&self) -> sqlx::Result<(Vec<ThreatListStatus>, [Option<PacerState>; 2])> {
        self.load().await?;
        let loaded = self.loaded_lists();
        let list_status = |list: &ThreatListId| {
            let loaded_list = loaded.get(&list.name());
            ThreatListStatus {
                name: list.name(),
                prefixes: loaded_list.map_or(0, |loaded_list| loaded_list.list.len()),
                bytes: loaded_list.map_or(0, |loaded_list| loaded_list.list.memory_usage()),
                updated_at: loaded_list.and_then(|loaded_list| loaded_list.updated_at),
            }
        };
        let lists = self.settings.lists.iter().map(list_status).collect();
        let paces = [self.fetching.read_state(&self.pool).await?, self.finding.read_state(&self.pool).await?];
        Ok((lists, paces))
    }
}

pub fn is_stale(updated_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    updated_at.is_none_or(|updated_at| now - updated_at > STALE_AFTER)
}

pub(super) fn client_info() -> ClientInfo {
    let (id, version) = (env!("CARGO_PKG_NAME").to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    ClientInfo { client_id: id, client_version: version }
}

pub(super) fn to_time_delta(duration: Option<Duration>) -> Option<TimeDelta> {
    duration.map(|duration| TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX))
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

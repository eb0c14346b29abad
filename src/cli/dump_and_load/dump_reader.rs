//! Reads a dump object by object, and groups rows of one table into batches.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc;

use super::bitpin::BitpinConverter;
use super::models::{DUMP_HEADER, Model};
use crate::db::latest_migration;

/// Maximum number of rows in a batch. `MAX_BYTES` also limits the size of the JSON text of a batch.
const MAX_ROWS: u64 = 2_000;
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Progress of a load, stored in the table `data_loads`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Number of loaded objects.
    pub objects: i64,
    /// SHA-256 hash of the loaded objects, which verifies that an interrupted load is resumed with the same file.
    pub digest: Vec<u8>,
}

#[derive(Debug)]
pub struct RowBatch {
    pub model: &'static Model,
    pub columns: Vec<String>,
    /// Rows as a JSON array of objects.
    pub rows: String,
    pub count: u64,
    /// Progress of the load after this batch.
    pub position: LoadProgress,
    /// True if rows that the database rejects are reported and skipped. Used for dumps of BitPin-Blog.
    pub skips_rejected: bool,
}

const DIFFERENT_FILE: &str = "the file differs from the file of the interrupted load; load that file to continue, or start \
    again with an empty database";

/// JSON object of a dump, in the format of Django.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    pk: &'a RawValue,
    #[serde(borrow)]
    fields: &'a RawValue,
}

/// Fields of the first object of a dump.
#[derive(Deserialize)]
struct Head {
    migration: i64,
}

/// Reads a dump, skipping objects that an interrupted load has already stored, and sends the rows in batches. Blocks
/// the thread.
///
/// Returns the [`BitpinConverter`] with warnings and counts for a dump of BitPin-Blog, and `None` for a dump of
/// Evenkeel.
pub fn read_dump(
    source: impl Read,
    begun: &LoadProgress,
    sender: &mpsc::Sender<RowBatch>,
) -> anyhow::Result<Option<BitpinConverter>> {
    let mut json = serde_json::Deserializer::from_reader(source);
    let reader = Reader { begun, sender, hash: Sha256::new(), objects: 0, batch: None, bitpin: None };
    let bitpin = json.deserialize_seq(reader).context("cannot read the dump")?;
    json.end().context("the file has data after the end of the dump")?;
    Ok(bitpin)
}

struct Reader<'a> {
    begun: &'a LoadProgress,
    sender: &'a mpsc::Sender<RowBatch>,
    hash: Sha256,
    objects: i64,
    batch: Option<RowBatch>,
    /// State of the conversion of a BitPin-Blog dump. `None` for a dump of Evenkeel.
    bitpin: Option<BitpinConverter>,
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Option<BitpinConverter>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects with model, pk and fields")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut objects: A) -> Result<Option<BitpinConverter>, A::Error> {
        let failed = |error: anyhow::Error| A::Error::custom(format!("{error:#}"));
        while let Some(object) = objects.next_element::<Box<RawValue>>()? {
            self.read_object(object.get()).map_err(failed)?;
        }
        if self.objects == 0 || self.objects < self.begun.objects {
            return Err(A::Error::custom(if self.objects == 0 { "the dump has no objects" } else { DIFFERENT_FILE }));
        }
        self.send().map_err(failed)?;
        Ok(self.bitpin)
    }
}

/// Checks that the dump was not made by a newer version.
fn check_head(object: &Object<'_>) -> anyhow::Result<()> {
    ensure!(object.model == DUMP_HEADER, "the file is not a dump of Evenkeel: the first object is not {DUMP_HEADER}");
    let head: Head = serde_json::from_str(object.fields.get()).context("invalid fields in the first object")?;
    let ours = latest_migration();
    ensure!(
        head.migration <= ours,
        "the dump was made by a newer version of Evenkeel, with migration {}; this version has migration {ours}",
        head.migration
    );
    Ok(())
}

impl Reader<'_> {
    fn read_object(&mut self, text: &str) -> anyhow::Result<()> {
        let number = self.objects + 1;
        let is_new = number > self.begun.objects;
        if number == 1 || is_new || self.bitpin.is_some() {
            let object: Object<'_> = serde_json::from_str(text).with_context(|| format!("object {number}"))?;
            if number == 1 && BitpinConverter::is_bitpin_model(&object.model) {
                self.bitpin = Some(BitpinConverter::default());
            }
            self.process_object(&object, number, is_new).with_context(|| format!("object {number}"))?;
        }
        self.hash.update(text);
        self.objects = number;
        let is_there = number == self.begun.objects;
        ensure!(!is_there || self.hash.clone().finalize().as_slice() == self.begun.digest, DIFFERENT_FILE);
        Ok(())
    }

    /// Adds an object to the batch unless an interrupted load has already stored it. Stored objects of a BitPin-Blog
    /// dump are still converted, because the converter must know which usernames are taken.
    fn process_object(&mut self, object: &Object<'_>, number: i64, is_new: bool) -> anyhow::Result<()> {
        let Object { model, pk, fields } = object;
        if let Some(bitpin) = &mut self.bitpin {
            let row = bitpin.convert(model, pk.get(), fields.get()).filter(|_| is_new);
            let Some((model, row)) = row else { return Ok(()) };
            let columns = row.as_object().into_iter().flat_map(|row| row.keys().cloned()).collect();
            return self.add(model, columns, &row.to_string());
        }
        if number == 1 {
            return check_head(object);
        }
        let Some(model) = Model::find_by_name(model) else { bail!("unknown model {model}") };
        let fields_by_name: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(fields.get())?;
        let names = fields_by_name.into_keys().map(Cow::into_owned);
        let columns: Vec<String> = names.chain(model.primary_key().map(str::to_owned)).collect();
        let inner = fields.get().trim();
        let inner = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner).trim();
        let key = model.primary_key().map(|name| format!("\"{name}\":{}", pk.get()));
        let row = [key.as_deref().unwrap_or_default(), inner];
        let row = row.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
        self.add(model, columns, &format!("{{{row}}}"))
    }

    /// Adds a row, which is a JSON object, to the batch. Sends the batch first if the row does not fit.
    fn add(&mut self, model: &'static Model, columns: Vec<String>, row: &str) -> anyhow::Result<()> {
        let fits = |batch: &RowBatch| {
            batch.model.name == model.name
                && batch.columns == columns
                && batch.count < MAX_ROWS
                && batch.rows.len() < MAX_BYTES
        };
        if !self.batch.as_ref().is_some_and(fits) {
            self.send()?;
        }
        let skips_rejected = self.bitpin.is_some();
        let new = || RowBatch {
            model,
            columns,
            rows: String::new(),
            count: 0,
            position: LoadProgress::default(),
            skips_rejected,
        };
        let batch = self.batch.get_or_insert_with(new);
        batch.rows.push(if batch.count == 0 { '[' } else { ',' });
        batch.rows.push_str(row);
        batch.count += 1;
        Ok(())
    }

    fn send(&mut self) -> anyhow::Result<()> {
        let Some(mut batch) = self.batch.take() else { return Ok(()) };
        batch.rows.push(']');
        let digest = self.hash.clone().finalize().to_vec();
        batch.position = LoadProgress { objects: self.objects, digest };
        self.sender.blocking_send(batch).context("the load was cancelled")
    }
}

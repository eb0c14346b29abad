//! JSON messages of the [Safe Browsing Update API, version
//! 4](https://developers.google.com/safe-browsing/reference/rest).
//!
//! Version 5 of the API is not implemented. It would require few changes outside of this module:
//!
//! - A list has a name in place of three types, and a minimum wait of its own.
//! - A response without a minimum wait means that more updates are available immediately.
//! - The response to a lookup of several prefixes has one cache duration for all of them.
//! - The client identifies itself in the `User-Agent` header.
//!
//! URL canonicalization, prefixes and their encoding are the same in both versions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::hash_prefixes::{FixedLengthPrefixes, InvalidListChange, PrefixList};
use crate::rice_coding;
use crate::rice_coding::InvalidRiceEncoding;
use crate::url_expressions::FullHash;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreatListId {
    /// Threat type, such as `MALWARE` or `SOCIAL_ENGINEERING`.
    pub threat_type: String,
    pub platform_type: String,
    pub threat_entry_type: String,
}

impl ThreatListId {
    /// Returns the identifier of the list of URLs with this threat type, for all platforms.
    pub fn for_urls(threat_type: &str) -> Self {
        Self {
            threat_type: threat_type.to_owned(),
            platform_type: "ANY_PLATFORM".to_owned(),
            threat_entry_type: "URL".to_owned(),
        }
    }

    /// Returns the three types of the list, separated by slashes, such as `MALWARE/ANY_PLATFORM/URL`.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.threat_type, self.platform_type, self.threat_entry_type)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    pub client_id: String,
    pub client_version: String,
}

/// Size limits that the client requests: powers of two from 2^10 to 2^20, or 0 for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SizeConstraints {
    pub max_update_entries: u32,
    pub max_database_entries: u32,
}

/// Body of a request to the API method `threatListUpdates.fetch`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchThreatListUpdatesRequest {
    pub client: ClientInfo,
    pub list_update_requests: Vec<ListUpdateRequest>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListUpdateRequest {
    #[serde(flatten)]
    pub list: ThreatListId,
    /// Client state from the last response; empty to request the whole list.
    pub state: String,
    pub constraints: Constraints,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Constraints {
    #[serde(flatten)]
    pub size: SizeConstraints,
    pub supported_compressions: Vec<Compression>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Compression {
    Raw,
    Rice,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FetchThreatListUpdatesResponse {
    pub list_update_responses: Vec<ListUpdateResponse>,
    /// Minimum time before the next request to the method `threatListUpdates.fetch`.
    #[serde(with = "seconds")]
    pub minimum_wait_duration: Option<Duration>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListUpdateResponse {
    #[serde(flatten)]
    pub list: ThreatListId,
    pub response_type: ResponseType,
    #[serde(default)]
    pub additions: Vec<ThreatEntrySet>,
    #[serde(default)]
    pub removals: Vec<ThreatEntrySet>,
    #[serde(default)]
    pub new_client_state: String,
    pub checksum: Checksum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ResponseType {
    PartialUpdate,
    FullUpdate,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checksum {
    #[serde(with = "bytes")]
    pub sha256: Vec<u8>,
}

/// Entries to add to a list, or indices of entries to remove; raw or Rice-encoded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ThreatEntrySet {
    pub compression_type: Option<Compression>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_hashes: Option<RawHashes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rice_hashes: Option<RiceDeltaEncoding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw_indices: Option<RawIndices>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rice_indices: Option<RiceDeltaEncoding>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawHashes {
    pub prefix_size: usize,
    #[serde(with = "bytes")]
    pub raw_hashes: Vec<u8>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RawIndices {
    pub indices: Vec<u32>,
}

/// Rice-encoded integers, see [`rice_coding`]. The server may omit fields that are 0 or empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RiceDeltaEncoding {
    /// First integer, serialized as a string, because the protocol defines a 64-bit integer.
    #[serde(with = "text")]
    pub first_value: u32,
    pub rice_parameter: u32,
    pub num_entries: usize,
    #[serde(with = "bytes")]
    pub encoded_data: Vec<u8>,
}

/// Error in a list update. The client must discard the list and request the whole list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUpdate {
    #[error(transparent)]
    Change(#[from] InvalidListChange),
    #[error(transparent)]
    Rice(#[from] InvalidRiceEncoding),
    #[error("an entry set lacks the data of its compression type")]
    Entries,
    #[error("the checksum does not have 32 bytes")]
    Checksum,
}

impl ThreatEntrySet {
    fn prefixes(&self) -> Result<FixedLengthPrefixes, InvalidUpdate> {
        match (self.compression_type, &self.raw_hashes, &self.rice_hashes) {
            (Some(Compression::Raw), Some(raw), _) => {
                Ok(FixedLengthPrefixes::new(raw.prefix_size, raw.raw_hashes.clone())?)
            }
            (Some(Compression::Rice), _, Some(rice)) => Ok(FixedLengthPrefixes::from_integers(&rice.numbers()?)),
            _ => Err(InvalidUpdate::Entries),
        }
    }

    fn indices(&self) -> Result<Vec<u32>, InvalidUpdate> {
        match (self.compression_type, &self.raw_indices, &self.rice_indices) {
            (Some(Compression::Raw), Some(raw), _) => Ok(raw.indices.clone()),
            (Some(Compression::Rice), _, Some(rice)) => Ok(rice.numbers()?),
            _ => Err(InvalidUpdate::Entries),
        }
    }
}

impl RiceDeltaEncoding {
    fn numbers(&self) -> Result<Vec<u32>, InvalidRiceEncoding> {
        rice_coding::decode(self.first_value, self.rice_parameter, self.num_entries, &self.encoded_data)
    }
}

impl ListUpdateResponse {
    /// Returns the list after this update.
    ///
    /// # Errors
    /// Returns [`InvalidUpdate`]. The client must then discard the list and request the whole list again.
    pub fn apply_to(&self, list: &PrefixList) -> Result<PrefixList, InvalidUpdate> {
        let checksum: FullHash = self.checksum.sha256.as_slice().try_into().map_err(|_| InvalidUpdate::Checksum)?;
        let additions: Vec<FixedLengthPrefixes> =
            self.additions.iter().map(ThreatEntrySet::prefixes).collect::<Result<_, _>>()?;
        let empty = PrefixList::default();
        let (list, removals) = match self.response_type {
            ResponseType::FullUpdate => (&empty, Vec::new()),
            ResponseType::PartialUpdate => {
                let removals: Vec<Vec<u32>> =
                    self.removals.iter().map(ThreatEntrySet::indices).collect::<Result<_, _>>()?;
                (list, removals.concat())
            }
        };
        Ok(list.with_changes(&removals, &additions, &checksum)?)
    }
}

/// Body of a request to the API method `fullHashes.find`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindFullHashesRequest {
    pub client: ClientInfo,
    pub client_states: Vec<String>,
    pub threat_info: ThreatInfo,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreatInfo {
    pub threat_types: Vec<String>,
    pub platform_types: Vec<String>,
    pub threat_entry_types: Vec<String>,
    pub threat_entries: Vec<ThreatEntry>,
}

/// Hash prefix in a request, or full hash in a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreatEntry {
    #[serde(with = "bytes")]
    pub hash: Vec<u8>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FindFullHashesResponse {
    pub matches: Vec<ThreatMatch>,
    /// Minimum time before the next request to the method `fullHashes.find`.
    #[serde(with = "seconds")]
    pub minimum_wait_duration: Option<Duration>,
    /// Cache duration of the information that a hash with a requested prefix, but not in `matches`, is safe.
    #[serde(with = "seconds")]
    pub negative_cache_duration: Option<Duration>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreatMatch {
    #[serde(flatten)]
    pub list: ThreatListId,
    pub threat: ThreatEntry,
    #[serde(with = "seconds", default)]
    pub cache_duration: Option<Duration>,
}

/// Serializes bytes as Base64.
mod bytes {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::{Deserialize as _, Deserializer, Error as _};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Serializes an integer as a string.
mod text {
    use serde::de::{Deserialize as _, Deserializer, Error as _};
    use serde::ser::Serializer;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(number: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Serializes a duration as seconds with up to nine decimals and the suffix `s`, such as `593.440s`.
mod seconds {
    use std::time::Duration;

    use serde::de::{Deserialize as _, Deserializer, Error as _};
    use serde::ser::Serializer;

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => {
                serializer.collect_str(&format_args!("{}.{:09}s", duration.as_secs(), duration.subsec_nanos()))
            }
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        let seconds: Option<f64> = text.strip_suffix('s').and_then(|seconds| seconds.parse().ok());
        let seconds = seconds.filter(|seconds| *seconds >= 0.0);
        let duration = seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        duration.map(Some).ok_or_else(|| D::Error::custom("not a duration in seconds such as 1.5s"))
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use serde_json::json;
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn update(change: &serde_json::Value) -> ListUpdateResponse {
        let mut update = json!({ "threatType": "MALWARE", "platformType": "ANY_PLATFORM", "threatEntryType": "URL" });
        update.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        serde_json::from_value(update).unwrap()
    }

    fn sum(prefixes: &[u8]) -> String {
        STANDARD.encode(Sha256::digest(prefixes))
    }

    #[test]
    fn a_list_is_fetched_and_changed_in_all_encodings() {
        let raw = |size: usize, hashes: &[u8]| json!({ "compressionType": "RAW", "rawHashes": { "prefixSize": size, "rawHashes": STANDARD.encode(hashes) } });
        let whole =
            update(&json!({ "responseType": "FULL_UPDATE", "additions": [raw(4, b"ddddbbbb"), raw(5, b"ccccc")],
            "newClientState": "c3RhdGU=", "checksum": { "sha256": sum(b"bbbbcccccdddd") } }));
        let list = whole.apply_to(&PrefixList::default()).unwrap();
        assert_eq!((list.len(), whole.new_client_state.as_str()), (3, "c3RhdGU="));
        // Removes the entries at indices 0 and 2, and adds `aaaa` as a Rice encoding with only a first value.
        let partial = |indices: serde_json::Value| {
            json!({ "responseType": "PARTIAL_UPDATE", "removals": [indices],
                "additions": [{ "compressionType": "RICE", "riceHashes": { "firstValue": "1633771873" } }],
                "checksum": { "sha256": sum(b"aaaaccccc") } })
        };
        let by_raw = partial(json!({ "compressionType": "RAW", "rawIndices": { "indices": [0, 2] } }));
        let by_rice = partial(json!({ "compressionType": "RICE",
            "riceIndices": { "firstValue": "0", "riceParameter": 2, "numEntries": 1, "encodedData": "BA==" } }));
        for change in [by_raw, by_rice] {
            let changed = update(&change).apply_to(&list).unwrap();
            assert_eq!(
                changed.to_bytes(),
                [&[4, 0, 0, 0, 0, 0, 0, 0, 4][..], b"aaaa", &[5, 0, 0, 0, 0, 0, 0, 0, 5], b"ccccc"].concat()
            );
            // A full update replaces the previous list.
            assert_eq!(whole.apply_to(&changed).unwrap(), list);
        }
        let empty = update(&json!({ "responseType": "FULL_UPDATE", "checksum": { "sha256": sum(b"") } }));
        assert!(empty.apply_to(&list).unwrap().is_empty());
    }

    #[test]
    fn a_change_that_is_wrong_is_refused() {
        let none = PrefixList::default();
        let wrong = |change: serde_json::Value| update(&change).apply_to(&none).unwrap_err();
        let with = |additions: serde_json::Value, checksum: &str| {
            wrong(
                json!({ "responseType": "PARTIAL_UPDATE", "additions": additions, "checksum": { "sha256": checksum } }),
            )
        };
        assert_eq!(with(json!([]), &sum(b"other")), InvalidUpdate::Change(InvalidListChange::Checksum));
        assert_eq!(with(json!([]), "AAAA"), InvalidUpdate::Checksum);
        assert_eq!(with(json!([{ "compressionType": "RAW" }]), &sum(b"")), InvalidUpdate::Entries);
        assert_eq!(with(json!([{}]), &sum(b"")), InvalidUpdate::Entries);
        let rice = json!([{ "compressionType": "RICE", "riceHashes": { "firstValue": "1", "numEntries": 1 } }]);
        assert_eq!(with(rice, &sum(b"")), InvalidUpdate::Rice(InvalidRiceEncoding::Parameter));
    }

    #[test]
    fn durations_are_seconds_with_a_unit() {
        let wait = |text: &str| {
            serde_json::from_value::<FetchThreatListUpdatesResponse>(json!({ "minimumWaitDuration": text }))
                .map(|got| got.minimum_wait_duration)
        };
        assert_eq!(wait("593.440s").unwrap(), Some(Duration::from_millis(593_440)));
        assert_eq!(wait("301s").unwrap(), Some(Duration::from_secs(301)));
        assert_eq!(wait("2592000s").unwrap(), Some(Duration::from_hours(30 * 24)));
        assert_eq!(wait("1e400s").unwrap(), Some(Duration::MAX));
        for bad in ["300", "-1s", "s", "NaNs"] {
            assert!(wait(bad).is_err(), "{bad}");
        }
        assert_eq!(serde_json::from_str::<FetchThreatListUpdatesResponse>("{}").unwrap().minimum_wait_duration, None);
        let answer = FindFullHashesResponse {
            negative_cache_duration: Some(Duration::from_millis(1_500)),
            ..Default::default()
        };
        assert_eq!(serde_json::to_value(answer).unwrap()["negativeCacheDuration"], "1.500000000s");
    }

    proptest! {
        #[test]
        fn never_panics_on_responses(text in "[\\[\\]{}\":,0-9a-zA-Z_=. ]{0,200}") {
            let _ = serde_json::from_str::<FindFullHashesResponse>(&text);
            if let Ok(answer) = serde_json::from_str::<FetchThreatListUpdatesResponse>(&text) {
                for update in answer.list_update_responses {
                    let _ = update.apply_to(&PrefixList::default());
                }
            }
        }
    }
}

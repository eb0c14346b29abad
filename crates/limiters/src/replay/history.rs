//! Rating histories, read from CSV files.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use chrono::DateTime;

/// Rating of a post in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PastRating {
    /// Time in milliseconds since the Unix epoch.
    pub time_ms: i64,
    /// Number of stars, from 1 to 5.
    pub rating: u8,
    /// True if the rating belongs to a brigade.
    pub brigade: bool,
    /// Number that identifies the user, if known. A user's second rating of a post replaces the first.
    pub user: Option<u32>,
}

impl PastRating {
    /// Day (UTC) of the rating, in days since 1970-01-01.
    pub fn days_since_epoch(&self) -> i64 {
        self.time_ms.div_euclid(86_400_000)
    }
}

/// Past ratings of several posts. The ratings of each post are sorted by time.
#[derive(Clone, Debug, Default)]
pub struct ReplayHistory {
    posts: BTreeMap<String, Vec<PastRating>>,
}

/// Invalid row of a CSV file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct InvalidCsvRow {
    /// Number of the line in the file; the header is line 1.
    pub line: u64,
    /// Description of the error.
    pub problem: String,
}

struct Columns {
    post: usize,
    time: usize,
    rating: usize,
    kind: Option<usize>,
    user: Option<usize>,
}

impl Columns {
    fn from_headers(headers: &csv::StringRecord) -> Result<Self, String> {
        let column = |name: &str| headers.iter().position(|header| header == name);
        let needed = |name: &str| column(name).ok_or_else(|| format!("the column {name:?} is missing"));
        if let Some(unknown) = headers.iter().find(|name| !["post", "time", "rating", "kind", "user"].contains(name)) {
            return Err(format!("unknown column {unknown:?}; valid columns are post, time, rating, kind and user"));
        }
        if let Some(twice) = headers.iter().enumerate().find(|(index, name)| column(name) != Some(*index)) {
            return Err(format!("the column {:?} occurs twice", twice.1));
        }
        let (post, time, rating) = (needed("post")?, needed("time")?, needed("rating")?);
        Ok(Self { post, time, rating, kind: column("kind"), user: column("user") })
    }
}

impl ReplayHistory {
    /// Reads a CSV file with the columns `post`, `time` (Unix seconds or RFC 3339), `rating` and optionally `kind`
    /// (`honest` or `brigade`) and `user`. Rows and columns may be in any order.
    ///
    /// # Errors
    /// The error contains the line number of the first invalid row.
    pub fn read_csv(csv: impl Read) -> Result<Self, InvalidCsvRow> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(csv);
        let headers = reader.headers().map_err(|error| InvalidCsvRow { line: 1, problem: error.to_string() })?;
        let Columns { post, time, rating, kind, user } =
            Columns::from_headers(headers).map_err(|problem| InvalidCsvRow { line: 1, problem })?;
        let mut history = Self::default();
        let mut users: HashMap<String, u32> = HashMap::new();
        let mut record = csv::StringRecord::new();
        loop {
            let more = reader.read_record(&mut record).map_err(|error| {
                let line = error.position().map_or_else(|| reader.position().line(), csv::Position::line);
                InvalidCsvRow {
                    line,
                    problem: "the row has more or fewer fields than the header, or is not UTF-8".to_owned(),
                }
            });
            if !more? {
                break;
            }
            let line = record.position().map_or(0, csv::Position::line);
            let field = |index: usize| record.get(index).unwrap_or_default();
            let entry = PastRating {
                time_ms: time_ms(field(time)).map_err(|problem| InvalidCsvRow { line, problem })?,
                rating: stars(field(rating)).map_err(|problem| InvalidCsvRow { line, problem })?,
                brigade: is_brigade(kind.map_or("", field)).map_err(|problem| InvalidCsvRow { line, problem })?,
                user: user.map(field).filter(|user| !user.is_empty()).map(|user| number_of(user, &mut users)),
            };
            match history.posts.get_mut(field(post)) {
                Some(entries) => entries.push(entry),
                None => drop(history.posts.insert(field(post).to_owned(), vec![entry])),
            }
        }
        for entries in history.posts.values_mut() {
            entries.sort_by_key(|entry| entry.time_ms);
        }
        Ok(history)
    }

    /// Adds a post with its ratings, which may be in any order. Replaces a post with the same id.
    pub fn insert(&mut self, post: String, mut entries: Vec<PastRating>) {
        entries.sort_by_key(|entry| entry.time_ms);
        self.posts.insert(post, entries);
    }

    /// Iterates over the posts in order of their ids.
    pub fn posts(&self) -> impl Iterator<Item = (&str, &[PastRating])> {
        self.posts.iter().map(|(post, entries)| (post.as_str(), entries.as_slice()))
    }

    /// Ratings of a post, sorted by time; `None` if the history does not contain the post.
    pub fn post_ratings(&self, post: &str) -> Option<&[PastRating]> {
        self.posts.get(post).map(Vec::as_slice)
    }

    /// Total number of ratings of all posts.
    pub fn len(&self) -> u64 {
        self.posts.values().map(|entries| entries.len() as u64).sum()
    }

    /// True if the history contains no post.
    pub fn is_empty(&self) -> bool {
        self.posts.is_empty()
    }
}

fn number_of(user: &str, users: &mut HashMap<String, u32>) -> u32 {
    if let Some(number) = users.get(user) {
        return *number;
    }
    let number = u32::try_from(users.len()).unwrap_or(u32::MAX);
    users.insert(user.to_owned(), number);
    number
}

fn stars(text: &str) -> Result<u8, String> {
    let stars = text.parse().ok().filter(|stars| (1..=5).contains(stars));
    stars.ok_or_else(|| format!("the rating is {text:?} but must be a whole number from 1 to 5"))
}

fn is_brigade(kind: &str) -> Result<bool, String> {
    match kind {
        "" | "honest" => Ok(false),
        "brigade" => Ok(true),
        other => Err(format!("the kind is {other:?} but must be honest or brigade")),
    }
}

/// Parses Unix seconds (decimals allowed) or RFC 3339. Returns milliseconds since the Unix epoch.
fn time_ms(text: &str) -> Result<i64, String> {
    const YEAR_10_000_S: f64 = 253_402_300_800.0;
    if let Ok(seconds) = text.parse::<f64>() {
        let possible = seconds.abs() < YEAR_10_000_S;
        #[expect(clippy::cast_possible_truncation, reason = "it is within the years of a calendar")]
        return if possible {
            Ok((seconds * 1_000.0).round() as i64)
        } else {
            Err(format!("the time {text} is out of range for Unix seconds"))
        };
    }
    let time = DateTime::parse_from_rfc3339(text);
    time.map(|time| time.timestamp_millis())
        .map_err(|_| format!("the time is {text:?} but must be Unix seconds or RFC 3339, such as 2026-05-01T12:00:00Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(csv: &str) -> String {
        ReplayHistory::read_csv(csv.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_malformed_row_is_named_by_its_line() {
        assert_eq!(error("post,time\n1,2\n"), "line 1: the column \"rating\" is missing");
        assert_eq!(
            error("post,time,rating,color\n"),
            "line 1: unknown column \"color\"; valid columns are post, time, rating, kind and user"
        );
        assert_eq!(error("post,time,rating,post\n"), "line 1: the column \"post\" occurs twice");
        assert_eq!(
            error("post,time,rating\n1,2,3\n1,2,6\n"),
            "line 3: the rating is \"6\" but must be a whole number from 1 to 5"
        );
        assert_eq!(
            error("post,time,rating,kind\n1,2,3,honest\n1,2,3,bot\n"),
            "line 3: the kind is \"bot\" but must be honest or brigade"
        );
        assert!(error("post,time,rating\n1,noon,3\n").starts_with("line 2: the time is \"noon\" but"));
        assert_eq!(error("post,time,rating\n1,1e300,3\n"), "line 2: the time 1e300 is out of range for Unix seconds");
        assert_eq!(error("post,time,rating\n1,NaN,3\n"), "line 2: the time NaN is out of range for Unix seconds");
        assert!(error("post,time,rating\n\"two\nlines\",0,3\n1,2\n").starts_with("line 4: "));
    }

    #[test]
    fn times_are_seconds_or_rfc_3339() {
        assert_eq!(time_ms("1.0005"), Ok(1_001));
        assert_eq!(time_ms("-1"), Ok(-1_000));
        assert_eq!(time_ms("2026-05-01T12:00:00.5+02:00"), Ok(1_777_629_600_500));
    }
}

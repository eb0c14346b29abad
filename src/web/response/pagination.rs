//! Cursor pagination by keyset, whose cost does not grow with the page number.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::signing::Keys;
use crate::web::error::AppError;
use crate::web::request::query::Query;

/// Lists are in descending order, so rows after a position are older or have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    After,
    Before,
}

impl Direction {
    fn opposite(self) -> Self {
        match self {
            Self::After => Self::Before,
            Self::Before => Self::After,
        }
    }
}

/// Sort key of a row. Rows with equal sort keys are ordered by id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SortKey {
    Time(DateTime<Utc>),
    Number(f64),
}

impl SortKey {
    /// Year 9999, because chrono has no equivalent of `infinity` in `PostgreSQL`.
    pub fn max_time() -> Self {
        Self::Time(DateTime::from_timestamp(253_370_764_800, 0).unwrap_or_default())
    }

    pub fn max_number() -> Self {
        Self::Number(f64::INFINITY)
    }

    fn lowest(self) -> Self {
        match self {
            Self::Time(_) => Self::Time(DateTime::from_timestamp(-62_135_596_800, 0).unwrap_or_default()),
            Self::Number(_) => Self::Number(f64::NEG_INFINITY),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cursor {
    pub side: Direction,
    pub rank: SortKey,
    pub id: i64,
}

impl Cursor {
    pub fn sort_time(&self) -> DateTime<Utc> {
        match self.rank {
            SortKey::Time(time) => time,
            SortKey::Number(_) => DateTime::default(),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
    pub fn sort_integer(&self) -> i64 {
        self.sort_number() as i64
    }

    pub fn sort_number(&self) -> f64 {
        match self.rank {
            SortKey::Number(number) => number,
            SortKey::Time(_) => f64::INFINITY,
        }
    }
}

#[derive(Debug)]
pub struct Pager<'a> {
    list: String,
    keys: &'a Keys,
    size: usize,
    position: Option<Cursor>,
    is_ascending: bool,
}

/// Page of a list.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "{T}Page")]
pub struct ResultPage<T> {
    pub results: Vec<T>,
    /// Path of the next page, including its cursor; `None` on the last page.
    pub next: Option<String>,
    pub previous: Option<String>,
    /// `true` if the list is the result of a search that may have missed further matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

impl<T> ResultPage<T> {
    /// Path of the first page; `None` on the first page. The cursor is the last parameter of `previous`.
    pub fn first_page(&self) -> Option<&str> {
        let (path, _) = self.previous.as_ref()?.rsplit_once("cursor=")?;
        Some(path.trim_end_matches(['?', '&']))
    }

    pub fn link(&self) -> Option<String> {
        let next = self.next.as_ref().map(|path| format!("<{path}>; rel=\"next\""));
        let previous = self.previous.as_ref().map(|path| format!("<{path}>; rel=\"prev\""));
        let links: Vec<String> = next.into_iter().chain(previous).collect();
        (!links.is_empty()).then(|| links.join(", "))
    }
}

const INVALID_CURSOR: AppError = AppError::Malformed("malformed-cursor");

impl<'a> Pager<'a> {
    pub fn new(list: impl Into<String>, query: &Query, keys: &'a Keys, size: usize) -> Result<Self, AppError> {
        let pager = Self::first_page(list, keys, size);
        let position = query.get("cursor")?.map(|text| pager.decode(&text).ok_or(INVALID_CURSOR)).transpose()?;
        Ok(Self { position, ..pager })
    }

    pub fn first_page(list: impl Into<String>, keys: &'a Keys, size: usize) -> Self {
        Self { list: list.into(), keys, size, position: None, is_ascending: false }
    }

    pub fn ascending(self, is_ascending: bool) -> Self {
        Self { is_ascending, ..self }
    }

    /// Path of the current page, including its cursor.
    pub fn current_path(&self) -> String {
        self.position.map_or_else(|| self.list.clone(), |position| self.path(position))
    }

    pub fn page_size(&self) -> usize {
        self.size
    }

    /// One row more than the page size, to detect whether there is another page.
    pub fn limit(&self) -> i64 {
        i64::try_from(self.size + 1).unwrap_or(i64::MAX)
    }

    /// `first` is a sort key before the first row. In ascending order, the next page is the page before the cursor.
    pub fn position(&self, first: SortKey) -> Cursor {
        let cursor = self.position.unwrap_or(Cursor { side: Direction::After, rank: first, id: i64::MAX });
        match (self.is_ascending, self.position) {
            (false, _) => cursor,
            (true, Some(_)) => Cursor { side: cursor.side.opposite(), ..cursor },
            (true, None) => Cursor { side: Direction::Before, rank: first.lowest(), id: -i64::MAX },
        }
    }

    /// `rows` are sorted by their distance from the cursor. `position` returns the sort key and id of a row.
    pub fn page_from_rows<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> (SortKey, i64)) -> ResultPage<T> {
        let more = rows.len() > self.size;
        rows.truncate(self.size);
        let side = self.position.map_or(Direction::After, |position| position.side);
        let (has_next, has_previous) = match side {
            Direction::After => (more, self.position.is_some()),
            Direction::Before => (true, more),
        };
        if side == Direction::Before {
            rows.reverse();
        }
        let beside = |row: &T, side| {
            let (rank, id) = position(row);
            self.path(Cursor { side, rank, id })
        };
        let next = rows.last().filter(|_| has_next).map(|last| beside(last, Direction::After));
        let previous = rows.first().filter(|_| has_previous).map(|first| beside(first, Direction::Before));
        ResultPage { results: rows, next, previous, partial: false }
    }

    fn path(&self, position: Cursor) -> String {
        let separator = if self.list.contains('?') { '&' } else { '?' };
        format!("{}{separator}cursor={}", self.list, self.encode(position))
    }

    /// The signature makes the cursor valid for this list only.
    fn encode(&self, Cursor { side, rank, id }: Cursor) -> String {
        let (kind, rank) = match rank {
            SortKey::Time(time) => (0, time.timestamp_micros().to_be_bytes()),
            SortKey::Number(number) => (2, number.to_bits().to_be_bytes()),
        };
        let kind = kind + u8::from(side == Direction::Before);
        let bytes: Vec<u8> = std::iter::once(kind).chain(rank).chain(id.to_be_bytes()).collect();
        self.keys.sign(&self.purpose(), &bytes)
    }

    fn decode(&self, text: &str) -> Option<Cursor> {
        let bytes = self.keys.verify(&self.purpose(), text)?;
        let (rest, id) = bytes.split_last_chunk::<8>()?;
        let (kind, rank) = rest.split_last_chunk::<8>()?;
        let side = if matches!(kind, [1 | 3]) { Direction::Before } else { Direction::After };
        let rank = match kind {
            [0 | 1] => SortKey::Time(DateTime::from_timestamp_micros(i64::from_be_bytes(*rank))?),
            [2 | 3] => SortKey::Number(f64::from_bits(u64::from_be_bytes(*rank))),
            _ => return None,
        };
        Some(Cursor { side, rank, id: i64::from_be_bytes(*id) })
    }

    fn purpose(&self) -> String {
        format!("cursor {}", self.list)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::signing::SecretKey;

    fn keys(text: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(text).unwrap())
    }

    fn asked(path: &str) -> Query {
        Query::for_request(&TestRequest::with_uri(path).to_http_request())
    }

    fn load_numbers(pager: &Pager<'_>, count: u32) -> ResultPage<f64> {
        let position = pager.position(SortKey::max_number());
        let SortKey::Number(from) = position.rank else { panic!("another rank") };
        let all = (0..count).map(f64::from);
        let mut rows: Vec<f64> = match position.side {
            Direction::After => all.rev().filter(|number| *number < from).collect(),
            Direction::Before => all.filter(|number| *number > from).collect(),
        };
        rows.truncate(pager.page_size() + 1);
        pager.page_from_rows(rows, |number| (SortKey::Number(*number), 7))
    }

    #[test]
    fn pages_in_both_directions_without_gaps() {
        let keys = keys("0123456789abcdef0123456789abcdef");
        let mut path = Some("/list/?tag=a".to_owned());
        let mut all_pages = Vec::new();
        let load_page = |path: &str| load_numbers(&Pager::new("/list/?tag=a", &asked(path), &keys, 3).unwrap(), 10);
        while let Some(next) = path {
            let page = load_page(&next);
            path = page.next.clone();
            all_pages.push(page);
        }
        let rows = |all: &[ResultPage<f64>]| all.iter().map(|page| page.results.clone()).collect::<Vec<_>>();
        assert_eq!(rows(&all_pages), [vec![9.0, 8.0, 7.0], vec![6.0, 5.0, 4.0], vec![3.0, 2.0, 1.0], vec![0.0]]);
        assert_eq!(all_pages[0].previous, None);
        for (page, before) in all_pages[1..].iter().zip(&all_pages) {
            assert_eq!(load_page(page.previous.as_ref().unwrap()).results, before.results);
        }
        assert!(
            all_pages[1].link().unwrap().contains("rel=\"next\", <")
                && all_pages[3].link().unwrap().ends_with("rel=\"prev\"")
        );
    }

    #[test]
    fn ascending_pages_begin_with_the_smallest_key() {
        let keys = keys("0123456789abcdef0123456789abcdef");
        let load_page =
            |path: &str| load_numbers(&Pager::new("/list/", &asked(path), &keys, 2).unwrap().ascending(true), 5);
        let first = load_page("/list/");
        let second = load_page(first.next.as_ref().unwrap());
        let third = load_page(second.next.as_ref().unwrap());
        assert_eq!([&first.results, &second.results, &third.results], [&vec![0.0, 1.0], &vec![2.0, 3.0], &vec![4.0]]);
        assert_eq!((&first.previous, &third.next), (&None, &None));
        assert_eq!(load_page(third.previous.as_ref().unwrap()).results, [2.0, 3.0]);
        assert_eq!(load_page(second.previous.as_ref().unwrap()).results, [0.0, 1.0]);
    }

    #[test]
    fn cursor_round_trips_and_is_bound_to_its_list() {
        let ours = keys("0123456789abcdef0123456789abcdef");
        let time = DateTime::from_timestamp_micros(1_790_000_000_000_001).unwrap();
        let pager = Pager::new("/list/", &asked("/list/"), &ours, 3).unwrap();
        for position in [
            Cursor { side: Direction::Before, rank: SortKey::Time(time), id: 7 },
            Cursor { side: Direction::After, rank: SortKey::Number(0.1 + 0.2), id: i64::MAX },
        ] {
            let path = pager.path(position);
            assert_eq!(
                Pager::new("/list/", &asked(&path), &ours, 3).unwrap().position(SortKey::max_number()),
                position
            );
            let other_list = Pager::new("/list/?tag=a", &asked(&path), &ours, 3);
            let other_site = Pager::new("/list/", &asked(&path), &keys("another secret key, of 32 letters"), 3).err();
            assert!(other_list.is_err() && other_site.is_some());
        }
        for text in ["AAAA", "not%20base64!", "a%00"] {
            assert!(Pager::new("/list/", &asked(&format!("/list/?cursor={text}")), &ours, 3).is_err());
        }
    }
}

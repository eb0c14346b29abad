//! Places in a list. A page is found by comparing with the last row seen, not by counting rows, so the
//! thousandth page costs what the first one does.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};

use crate::web::error::AppError;
use crate::web::state::Keys;

/// How a list is ordered. Both orders are descending, ids last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    New,
    Top,
    /// How well posts match what was searched for.
    Relevance,
}

/// Which side of the place is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    After,
    Before,
}

/// What a list is ordered by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    PublishedAt(DateTime<Utc>),
    TopScore(f64),
    Relevance(f64),
}

/// A row's place, and the side of it that is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cursor {
    pub side: Side,
    pub rank: Rank,
    pub id: i64,
}

/// The path of a page of a list.
#[must_use]
pub fn page_path(base: &str, cursor: &Cursor, keys: &Keys) -> String {
    let separator = if base.contains('?') { '&' } else { '?' };
    format!("{base}{separator}cursor={}", cursor.encode(keys))
}

/// One page of a list, with cursors to the pages beside it.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    pub results: Vec<T>,
    pub next: Option<Cursor>,
    pub previous: Option<Cursor>,
}

impl<T> Slice<T> {
    /// A page of nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self { results: Vec::new(), next: None, previous: None }
    }

    /// `rows` come in the order of `side`, with one more than the `most` of a page where there are more. `place` is a
    /// row's own.
    pub fn of(mut rows: Vec<T>, most: usize, side: Side, has_cursor: bool, place: impl Fn(&T) -> (Rank, i64)) -> Self {
        let more = rows.len() > most;
        rows.truncate(most);
        let (has_next, has_previous) = match side {
            Side::After => (more, has_cursor),
            Side::Before => (has_cursor, more),
        };
        if side == Side::Before {
            rows.reverse();
        }
        let beside = |row: &T, side| {
            let (rank, id) = place(row);
            Cursor { side, rank, id }
        };
        let next = rows.last().filter(|_| has_next).map(|last| beside(last, Side::After));
        let previous = rows.first().filter(|_| has_previous).map(|first| beside(first, Side::Before));
        Self { results: rows, next, previous }
    }
}

const NOT_OURS: AppError = AppError::Malformed("This cursor was not made by this list.");

impl Cursor {
    /// The place before the first row of a list.
    #[must_use]
    pub fn before_all(order: Order) -> Self {
        // The year 9999: PostgreSQL's own infinity has no equal in chrono.
        let far = DateTime::from_timestamp(253_370_764_800, 0).unwrap_or_default();
        let rank = match order {
            Order::New => Rank::PublishedAt(far),
            Order::Top => Rank::TopScore(f64::INFINITY),
            Order::Relevance => Rank::Relevance(f64::INFINITY),
        };
        Self { side: Side::After, rank, id: i64::MAX }
    }

    /// Opaque text for a URL, with a tag that only this site can make.
    #[must_use]
    pub fn encode(&self, keys: &Keys) -> String {
        let (order, rank) = match self.rank {
            Rank::PublishedAt(time) => (0, time.timestamp_micros().to_be_bytes()),
            Rank::TopScore(score) => (2, score.to_bits().to_be_bytes()),
            Rank::Relevance(rank) => (4, rank.to_bits().to_be_bytes()),
        };
        let mut bytes = vec![order + u8::from(self.side == Side::Before)];
        bytes.extend(rank);
        bytes.extend(self.id.to_be_bytes());
        let tag = keys.cursor_tag(&bytes);
        bytes.extend(tag);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// # Errors
    /// `malformed` for what this site did not make, or made for another order.
    pub fn decode(text: &str, order: Order, keys: &Keys) -> Result<Self, AppError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| NOT_OURS)?;
        let (payload, tag) = bytes.split_last_chunk::<8>().ok_or(NOT_OURS)?;
        if !keys.is_cursor_tag(payload, tag) {
            return Err(NOT_OURS);
        }
        let (rest, id) = payload.split_last_chunk::<8>().ok_or(NOT_OURS)?;
        let (kind, rank) = rest.split_last_chunk::<8>().ok_or(NOT_OURS)?;
        let side = if matches!(kind, [1 | 3 | 5]) { Side::Before } else { Side::After };
        let rank = match (kind, order) {
            ([0 | 1], Order::New) => {
                Rank::PublishedAt(DateTime::from_timestamp_micros(i64::from_be_bytes(*rank)).ok_or(NOT_OURS)?)
            }
            ([2 | 3], Order::Top) => Rank::TopScore(f64::from_bits(u64::from_be_bytes(*rank))),
            ([4 | 5], Order::Relevance) => Rank::Relevance(f64::from_bits(u64::from_be_bytes(*rank))),
            _ => return Err(NOT_OURS),
        };
        Ok(Self { side, rank, id: i64::from_be_bytes(*id) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::settings::SecretKey;

    fn keys(text: &str) -> Keys {
        Keys::derive(&SecretKey::from_text(text).unwrap())
    }

    #[test]
    fn a_cursor_is_read_back_exactly_and_only_where_it_was_made() {
        let ours = keys("0123456789abcdef0123456789abcdef");
        let new = Cursor {
            side: Side::Before,
            rank: Rank::PublishedAt(DateTime::from_timestamp_micros(1_790_000_000_000_001).unwrap()),
            id: 7,
        };
        let top = Cursor { side: Side::After, rank: Rank::TopScore(0.1 + 0.2), id: i64::MAX };
        assert_eq!(Cursor::decode(&new.encode(&ours), Order::New, &ours).unwrap(), new);
        assert_eq!(Cursor::decode(&top.encode(&ours), Order::Top, &ours).unwrap(), top);

        let refused = |text: &str, order| matches!(Cursor::decode(text, order, &ours), Err(AppError::Malformed(_)));
        assert!(refused(&new.encode(&ours), Order::Top) && refused(&top.encode(&ours), Order::New));
        assert!(refused(&new.encode(&keys("fedcba9876543210fedcba9876543210")), Order::New));
        assert!(refused("", Order::New) && refused("AAAA", Order::New) && refused("not base64!", Order::New));
        let mut forged = new.encode(&ours).into_bytes();
        forged[14] = if forged[14] == b'A' { b'B' } else { b'A' };
        assert!(refused(&String::from_utf8(forged).unwrap(), Order::New));
    }
}

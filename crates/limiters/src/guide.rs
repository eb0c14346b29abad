//! Guide: which limiter for what.
//!
//! # Choices
//!
//! - **Key**: A limit needs a key: a user, an IP address, an API key, a post. Limit a client if clients can
//!   overload the service, and limit an object, such as a post, if many clients together can harm it. Both limits can
//!   apply to one event ([`combined_limits`](crate::combined_limits)); an event that one of them refuses is charged to
//!   none.
//! - **Rate**: If the permitted rate is known, use a [`LeakyBucket`](crate::LeakyBucket): it is exact, and clients can
//!   be told what remains. If the usual rate differs from key to key, use [`Surge`](crate::Surge) or
//!   [`Ema`](crate::Ema), which learn it.
//! - **Number of processes**: One process keeps the states in memory ([`RateLimiter`](crate::RateLimiter)). Several
//!   processes share them on a Valkey or Redis server (`ValkeyStore`), or in a database table: a state is a small
//!   value that Serde can write ([`Limiter::save`](crate::Limiter::save)). If the event itself is a row of a database,
//!   keep the state in the same database and lock it in the same transaction. Then the event and its charge are
//!   committed together or not at all, also if a process dies in between.
//! - **Refused events**: A server answers 429 with `Retry-After` (the middlewares in `tower` and `actix`
//!   do so). A worker waits (`RateLimiter::until_ready`). A client of a remote service follows
//!   the waits that the service demands ([`Pacer`](crate::Pacer)).
//!
//! # How the limiters react to five kinds of traffic
//!
//! The plots show four weeks of events of one key: the events per hour in grey, and the admitted ones in blue. The
//! vertical axis is logarithmic, the horizontal axis shows days. The leaky bucket allows 20 events per hour and bursts
//! of 40, the rate class about 20 to 30 per hour, and the other two limiters have their default parameters. The example
//! `guide_plots` of this crate creates the plots and the table.
//!
//! Admitted events in the four weeks:
//!
#![doc = include_str!("guide/admitted.md")]
//!
//! ## Steady traffic
//!
//! Four events per hour at random times. All limiters admit almost all events.
//!
#![doc = include_str!("guide/steady.html")]
//!
//! ## Day and night
//!
//! Between 0 and 12 events per hour. The adaptive limiters learn the average and its spread, so that the usual increase
//! in the morning is admitted.
//!
#![doc = include_str!("guide/daily.html")]
//!
//! ## Popular for a day
//!
//! A post is linked by a popular site: 25 times as many events, decreasing over two days. The leaky bucket limits them
//! to its rate, and the rate class refuses them until the clients slow down. `Surge` and `Ema` admit almost all.
//!
#![doc = include_str!("guide/popular.html")]
//!
//! ## Flood
//!
//! Two thousand one-star ratings per hour for twelve hours, on a post that usually gets four stars. The leaky bucket
//! and the rate class admit only their fixed rate. `Surge` refuses the flood, because the values of the ratings differ
//! from the usual ones; a flood of four-star ratings would be treated like popularity. `Ema` refuses the first twenty
//! minutes, but then treats the flood as usual. Combine `Ema` with a leaky bucket.
//!
#![doc = include_str!("guide/flood.html")]
//!
//! ## Slow ramp
//!
//! From day 14 on, the rate doubles every two days. `Ema` and `Surge` learn the new rate and admit almost all events.
//! The leaky bucket admits its fixed rate. Once the rate class limits the client, it refuses all further events,
//! because the gaps between the events never become long enough. Use a rate class only for clients that can slow down.
//!
#![doc = include_str!("guide/ramp.html")]
//!
//! # Ratings
//!
//! A limiter that refuses ratings also refuses honest users. If the aim is an average that a group of users cannot
//! move, use [`SteadyScore`](crate::SteadyScore): it accepts all ratings and limits their weight. Use a leaky bucket in
//! addition, against floods that fill the database.
//!
//! # Memory
//!
//! `MemoryStore` stores at most its capacity, rounded up. When it is full, it evicts the least recently updated keys,
//! so an attacker with many keys can evict the states of clients that are not active. Choose a capacity of several
//! times the number of clients that are active while a bucket empties. Limit networks instead of single IPv6 addresses
//! (`http::ip_key` does so). Long keys take more memory: hash them.

//! A client that asks as fast as it gets answers: some connections, kept alive, each with one request at a time.
//!
//! It shares the processors with what it measures, so it does no more than it must.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Makes the request with this number.
pub type Maker = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// What came of some seconds.
pub struct Measured {
    pub per_second: f64,
    /// None where they were not taken.
    pub latency: Option<Latency>,
    /// Answers that were no success, and the status of one of them.
    pub failed: usize,
    pub failed_with: Option<u16>,
    /// None where it was not counted.
    pub spent: Option<Spent>,
}

/// Microseconds of all processors together, for each answer.
#[derive(Clone, Copy)]
pub struct Spent {
    pub site: f64,
    /// What asks: this program.
    pub client: f64,
    /// Nearly all of it is `PostgreSQL`, if nothing else runs.
    pub rest: f64,
    pub idle: f64,
}

/// How long the middle one of the answers took, and how long all but the slowest hundredth.
#[derive(Clone, Copy)]
pub struct Latency {
    pub p50: Duration,
    pub p99: Duration,
}

/// The same request each time, as somebody who is not signed in.
pub fn get(path: &str) -> Maker {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n");
    Arc::new(move |_| request.clone())
}

/// Asks for `time` and waits for the last answers. Takes two threads.
pub fn drive(address: SocketAddr, clients: usize, time: Duration, make: &Maker) -> Measured {
    const THREADS: usize = 2;
    let (next, begun) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let until = begun + time;
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (next, make) = (next.clone(), make.clone());
            std::thread::spawn(move || thread(address, clients / THREADS, until, &next, &make))
        })
        .collect();
    let answers: Vec<Answered> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let took = begun.elapsed();
    let mut failures = answers.iter().filter(|answer| !(200..300).contains(&answer.status));
    let failed_with = failures.next().map(|answer| answer.status);
    let failed = failures.count() + usize::from(failed_with.is_some());
    let mut times: Vec<Duration> = answers.iter().map(|answer| answer.took).collect();
    times.sort_unstable();
    let at = |hundredths: usize| times.get(times.len() * hundredths / 100).copied();
    let latency = at(50).zip(at(99)).map(|(p50, p99)| Latency { p50, p99 });
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let per_second = (answers.len() - failed) as f64 / took.as_secs_f64();
    Measured { per_second, latency, failed, failed_with, spent: None }
}

struct Answered {
    status: u16,
    took: Duration,
}

fn thread(address: SocketAddr, clients: usize, until: Instant, next: &AtomicU64, make: &Maker) -> Vec<Answered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let all = (0..clients).map(|_| client(address, until, next, make));
    runtime.block_on(futures_util::future::join_all(all)).into_iter().flatten().collect()
}

/// A connection that breaks counts as an answer without a status, and is replaced.
async fn client(address: SocketAddr, until: Instant, next: &AtomicU64, make: &Maker) -> Vec<Answered> {
    let (mut answered, mut connection) = (Vec::new(), None);
    let mut buffer = Vec::with_capacity(64 << 10);
    while Instant::now() < until {
        let request = make(next.fetch_add(1, Ordering::Relaxed));
        let begun = Instant::now();
        let status = exchange(address, &mut connection, &request, &mut buffer).await.unwrap_or(0);
        if status == 0 {
            connection = None;
        }
        answered.push(Answered { status, took: begun.elapsed() });
    }
    answered
}

async fn exchange(
    address: SocketAddr,
    connection: &mut Option<TcpStream>,
    request: &str,
    buffer: &mut Vec<u8>,
) -> anyhow::Result<u16> {
    let stream = if let Some(stream) = connection {
        stream
    } else {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        connection.insert(stream)
    };
    stream.write_all(request.as_bytes()).await?;
    buffer.clear();
    let (status, length) = loop {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the connection was closed");
        }
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let (status, body) = head(std::str::from_utf8(&buffer[..end])?)?;
            break (status, end + 4 + body);
        }
    };
    while buffer.len() < length {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the connection was closed");
        }
    }
    Ok(status)
}

/// The status and the length of the body. What is measured here always says its length.
fn head(head: &str) -> anyhow::Result<(u16, usize)> {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse())
    });
    Ok((status, length.context("no length")??))
}

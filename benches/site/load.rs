//! HTTP load generator with keep-alive connections and one request at a time per connection.
//!
//! The load generator shares the processors with the measured server, so it does as little work as possible.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Function that returns the HTTP request with a given sequence number.
pub type RequestFactory = Arc<dyn Fn(u64) -> String + Send + Sync>;

pub struct Measurement {
    pub per_second: f64,
    /// Median and 99th percentile of the latency; `None` if latencies were not measured.
    pub latency: Option<Latency>,
    /// Number of unsuccessful responses.
    pub failed: usize,
    /// HTTP status of one of the unsuccessful responses; 0 for a broken connection.
    pub failed_with: Option<u16>,
    /// CPU time per response; `None` if CPU time was not measured.
    pub spent: Option<CpuTime>,
}

/// Average CPU time per response in microseconds, summed over all processors.
#[derive(Clone, Copy)]
pub struct CpuTime {
    pub site: f64,
    /// CPU time of this benchmark process.
    pub client: f64,
    /// CPU time of all other processes, nearly all of it used by `PostgreSQL`.
    pub rest: f64,
    pub idle: f64,
}

#[derive(Clone, Copy)]
pub struct Latency {
    pub p50: Duration,
    pub p99: Duration,
}

/// Returns a factory whose requests are all GET requests for `path` by an anonymous visitor.
pub fn get(path: &str) -> RequestFactory {
    let request = get_request("text/html", path);
    Arc::new(move |_| request.clone())
}

/// Returns a GET request by an anonymous visitor.
pub fn get_request(accept: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n")
}

/// Sends requests from two threads for the duration `time`, and waits for the last responses.
pub fn run_load(address: SocketAddr, clients: usize, time: Duration, make: &RequestFactory) -> Measurement {
    const THREADS: usize = 2;
    let (next, begun) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let until = begun + time;
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (next, make) = (next.clone(), make.clone());
            std::thread::spawn(move || thread(address, clients / THREADS, until, &next, &make))
        })
        .collect();
    let answers: Vec<Response> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
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
    Measurement { per_second, latency, failed, failed_with, spent: None }
}

struct Response {
    status: u16,
    took: Duration,
}

fn thread(
    address: SocketAddr,
    clients: usize,
    until: Instant,
    next: &AtomicU64,
    make: &RequestFactory,
) -> Vec<Response> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let all = (0..clients).map(|_| client(address, until, next, make));
    runtime.block_on(futures_util::future::join_all(all)).into_iter().flatten().collect()
}

/// Sends requests over one connection. A broken connection is recorded as a response with status 0 and then replaced.
async fn client(address: SocketAddr, until: Instant, next: &AtomicU64, make: &RequestFactory) -> Vec<Response> {
    let (mut answered, mut connection) = (Vec::new(), None);
    let mut buffer = Vec::with_capacity(64 << 10);
    while Instant::now() < until {
        let request = make(next.fetch_add(1, Ordering::Relaxed));
        let begun = Instant::now();
        let status = exchange(address, &mut connection, &request, &mut buffer).await.unwrap_or(0);
        if status == 0 {
            connection = None;
        }
        answered.push(Response { status, took: begun.elapsed() });
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
    let (status, end) = loop {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the connection was closed");
        }
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let (status, body) = head(std::str::from_utf8(&buffer[..end])?)?;
            break (status, body.map(|body| end + 4 + body));
        }
    };
    // A body without a length is chunked, and ends with an empty chunk.
    while end.map_or_else(|| !buffer.ends_with(b"\r\n0\r\n\r\n"), |end| buffer.len() < end) {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the connection was closed");
        }
    }
    Ok(status)
}

/// Parses the status and the body length from a response head.
fn head(head: &str) -> anyhow::Result<(u16, Option<usize>)> {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse())
    });
    Ok((status, length.transpose()?))
}

//! TCP proxy between the site and its database that injects faults.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::sleep;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// New connections are closed immediately.
    Refuse,
    /// No data passes in either direction, and no connection is closed.
    BlackHole,
    /// Every read is delayed.
    Delay(Duration),
    /// COMMIT messages are held back until the fault ends.
    HoldCommits,
    /// Only BEGIN messages are delayed.
    SlowBegin(Duration),
}

/// Way in which open connections are closed: orderly, or by a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Cut,
    Reset,
}

#[derive(Clone)]
enum Upstream {
    Unix(PathBuf),
    Tcp(String),
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    fault: watch::Sender<Fault>,
    /// Counter that increases when all connections must be closed, with the way to close them.
    ends: watch::Sender<(u64, End)>,
    /// Number of responses to COMMIT that are still to be dropped.
    swallow: Arc<Mutex<u32>>,
    attempts: Arc<AtomicU64>,
}

impl Proxy {
    /// Starts a proxy to the server of `options`.
    pub async fn start(options: &PgConnectOptions) -> Self {
        let upstream = match options.get_socket() {
            Some(dir) => Upstream::Unix(dir.join(".s.PGSQL.5432")),
            None => Upstream::Tcp(format!("{}:{}", options.get_host(), options.get_port())),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            address: listener.local_addr().unwrap(),
            fault: watch::Sender::new(Fault::None),
            ends: watch::Sender::new((0, End::Cut)),
            swallow: Arc::default(),
            attempts: Arc::default(),
        };
        let serving = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                serving.attempts.fetch_add(1, Ordering::Relaxed);
                let serving = serving.clone();
                let upstream = upstream.clone();
                tokio::spawn(async move { Box::pin(serving.serve(client, upstream)).await });
            }
        });
        proxy
    }

    pub fn attempts(&self) -> u64 {
        self.attempts.load(Ordering::Relaxed)
    }

    pub fn set(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Closes all connections in an orderly way.
    pub fn cut(&self) {
        self.ends.send_modify(|(count, how)| (*count, *how) = (*count + 1, End::Cut));
    }

    pub fn reset(&self) {
        self.ends.send_modify(|(count, how)| (*count, *how) = (*count + 1, End::Reset));
    }

    /// Lets the next `count` commits succeed, but resets the client's connection instead of forwarding the response.
    pub fn swallow_commits(&self, count: u32) {
        *self.swallow.lock().unwrap() = count;
    }

    pub fn commits_to_swallow(&self) -> u32 {
        *self.swallow.lock().unwrap()
    }

    async fn serve(&self, mut client: TcpStream, upstream: Upstream) {
        if *self.fault.borrow() == Fault::Refuse {
            return;
        }
        let server: io::Result<Box<dyn Stream>> = match upstream {
            Upstream::Unix(path) => UnixStream::connect(path).await.map(|stream| Box::new(stream) as _),
            Upstream::Tcp(address) => TcpStream::connect(address).await.map(|stream| Box::new(stream) as _),
        };
        let Ok(server) = server else { return };
        let mut ends = self.ends.subscribe();
        ends.mark_unchanged();
        let how = tokio::select! {
            _ = ends.changed() => ends.borrow().1,
            how = self.forward(&mut client, server) => how,
        };
        if how == End::Reset {
            let _ = client.set_zero_linger();
        }
    }

    async fn forward(&self, client: &mut TcpStream, server: Box<dyn Stream>) -> End {
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = tokio::io::split(server);
        let (mut up, mut down) = ([0; 16 * 1024], [0; 16 * 1024]);
        let mut committing = false;
        loop {
            tokio::select! {
                read = from_client.read(&mut up) => {
                    let Ok(count @ 1..) = read else { return End::Cut };
                    self.pass().await;
                    let now = *self.fault.borrow();
                    if let Fault::SlowBegin(time) = now && up[..count].windows(6).any(|window| window == b"BEGIN\0") {
                        sleep(time).await;
                    }
                    if up[..count].windows(7).any(|window| window == b"COMMIT\0") {
                        let mut fault = self.fault.subscribe();
                        let _ = fault.wait_for(|fault| *fault != Fault::HoldCommits).await;
                    }
                    committing = up[..count].windows(7).any(|window| window == b"COMMIT\0");
                    if to_server.write_all(&up[..count]).await.is_err() { return End::Cut }
                }
                read = from_server.read(&mut down) => {
                    let Ok(count @ 1..) = read else { return End::Cut };
                    self.pass().await;
                    // The server has responded, so the transaction is committed.
                    if committing && self.takes_one() { return End::Reset }
                    if to_client.write_all(&down[..count]).await.is_err() { return End::Cut }
                }
            }
        }
    }

    async fn pass(&self) {
        let mut fault = self.fault.subscribe();
        let now = *fault.borrow();
        if let Fault::Delay(time) = now {
            sleep(time).await;
        }
        let _ = fault.wait_for(|fault| *fault != Fault::BlackHole).await;
    }

    fn takes_one(&self) -> bool {
        let mut remaining = self.swallow.lock().unwrap();
        let takes = *remaining > 0;
        *remaining = remaining.saturating_sub(1);
        takes
    }
}

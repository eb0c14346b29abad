//! Slow image uploads, which must not block other clients.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::noise;
use crate::support::{Actor, TestSite};

/// Starts an upload from the loopback address 127.0.2.`network`: sends the headers and this many bytes of the image.
async fn begin(site: SocketAddr, sender: &Actor, network: u8, bytes: usize) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 2, network], 0).into()).unwrap();
    let mut stream = socket.connect(site).await.unwrap();
    let head = format!(
        "POST /images/ HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nCookie: {}\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n\
         --x\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\n",
        sender.cookie.as_deref().unwrap()
    );
    let mut all = head.into_bytes();
    all.resize(all.len() + bytes, b'a');
    stream.write_all(&all).await.unwrap();
    stream
}

async fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_mins(2), reading).await.expect("held for ever").unwrap_or_default();
    String::from_utf8_lossy(&answer).into_owned()
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn incomplete_uploads_hold_no_permit() {
    let site = TestSite::start().await;
    let (crowd, ann) = (site.many_users(16).await, site.user("ann").await);
    let slow = crowd.iter().zip(1..).map(|(sender, network)| begin(site.instances[0], sender, network, 1));
    let _slow = join_all(slow).await;
    ann.send_image("A heron", noise(1, 400)).await.expect(201);
    assert_eq!(site.site().state().uploads.available(), 8);
}

#[cfg(target_os = "linux")]
#[actix_web::test]
async fn stalled_uploads_are_evicted_with_a_response() {
    let site = TestSite::start().await;
    let (crowd, ann) = (site.many_users(8).await, site.user("ann").await);
    let slow = crowd.iter().zip(0..).map(|(sender, n)| begin(site.instances[0], sender, 1 + n / 2, 100_000));
    let slow = join_all(slow).await;
    let patience = Instant::now() + Duration::from_mins(2);
    loop {
        let answer = ann.attempt_image(noise(1, 400)).await;
        if answer.as_ref().is_some_and(|answer| answer.status == 201) {
            break;
        }
        if let Some(answer) = answer {
            answer.expect_problem(503, "busy");
        }
        assert!(Instant::now() < patience);
    }
    for answer in join_all(slow.into_iter().map(rest)).await {
        assert!(answer.starts_with("HTTP/1.1 408") || answer.starts_with("HTTP/1.1 503"), "{answer}");
    }
}

//! Images in an S3-compatible object store: `s3s` with its file system backend, on loopback.

use std::net::SocketAddr;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::{add, plain};
use crate::support::TestSite;

const ID: &str = "evenkeel";
const SECRET: &str = "canary-secret-of-the-store";

struct Server {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start(folder: &std::path::Path, at: &str) -> Self {
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder).unwrap());
        service.set_auth(SimpleAuth::from_single(ID, SECRET));
        let service = service.build();
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = service.clone();
                open.spawn(async move {
                    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, serving }
    }

    /// Stops the server and closes all of its connections.
    async fn stop(self) {
        self.serving.abort();
        let _ = self.serving.await;
    }
}

#[actix_web::test]
async fn images_can_be_stored_in_s3() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("pictures")).unwrap();
    let server = Server::start(folder.path(), "127.0.0.1:0").await;
    let endpoint = format!("http://{}", server.address);
    let settings = [
        ("IMAGE_STORE", "s3://pictures/of/blog"),
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", ID),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    let site = TestSite::start_with(&settings, 1).await;
    let (ann, guest) = (site.user("ann").await, site.guest());
    let (url, other) = (add(&ann, plain(1)).await, add(&ann, plain(2)).await);
    let name = url.strip_prefix("/images/").unwrap();
    assert!(folder.path().join("pictures/of/blog").join(&name[..2]).join(name).exists());
    ann.write("Herons", &format!("![x]({url})")).await;
    assert_eq!(guest.get(&url).await.expect(200).header("content-type"), "image/png");
    guest.get(&url.replace("8x8", "8x9")).await.expect_problem(404, "not_found");
    site.advance_clock(chrono::TimeDelta::days(2));
    site.site().housekeeping().delete_unused_images().await;
    guest.get(&other).await.expect_problem(404, "not_found");
    // The modification times come from the machine's clock, which is far ahead of the site's test clock, so no file is
    // stale.
    assert_eq!(site.site().state.images.delete_stray_files().await.unwrap(), 0);
    let address = server.address.to_string();
    server.stop().await;
    guest.get(&url).await.expect_problem(503, "unavailable");
    ann.send_image("x", plain(3)).await.expect_problem(503, "unavailable").expect_no_text(SECRET);
    guest.page("/blogs/1/herons/").await.expect(200);
    let server = Server::start(folder.path(), &address).await;
    guest.get(&url).await.expect(200);
    ann.send_image("x", plain(3)).await.expect(201);
    server.stop().await;
}

//! Second click on the button of a form during a slow request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fantoccini::{Client, Locator};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::driver::{Driver, fill, found, register, see};
use crate::images::SAMPLE;
use crate::support::{PASSWORD, TestSite};

/// Delay of each response while the connection is slow.
const LATENCY: Duration = Duration::from_millis(1_500);

/// TCP proxy of a site, which can delay responses.
struct SlowConnection {
    url: String,
    is_slow: Arc<AtomicBool>,
}

impl SlowConnection {
    async fn start(site: std::net::SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let is_slow = Arc::new(AtomicBool::new(false));
        let slow = is_slow.clone();
        actix_web::rt::spawn(async move {
            while let Ok((browser, _)) = listener.accept().await {
                actix_web::rt::spawn(forward(browser, site, slow.clone()));
            }
        });
        Self { url, is_slow }
    }

    /// Clicks a button twice, 400 ms apart, over a slow connection, and waits for a page with the notice `shown`.
    async fn click_twice(&self, browser: &Client, button: &str, shown: (&str, &str)) {
        found(browser, Locator::Css(button)).await;
        self.is_slow.store(true, Ordering::Relaxed);
        let clicks = "const button = document.querySelector(arguments[0]);
            const click = () => button.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, detail: 1}));
            click();
            setTimeout(click, 400);";
        browser.execute(clicks, vec![json!(button)]).await.unwrap();
        see(browser, shown.0, shown.1).await;
        self.is_slow.store(false, Ordering::Relaxed);
    }
}

async fn forward(mut browser: TcpStream, site: std::net::SocketAddr, slow: Arc<AtomicBool>) {
    let Ok(mut site) = TcpStream::connect(site).await else { return };
    let ((mut requests, mut answers), (mut answered, mut asked)) = (browser.split(), site.split());
    let delayed = async {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count @ 1..) = answered.read(&mut bytes).await {
            if slow.load(Ordering::Relaxed) {
                tokio::time::sleep(LATENCY).await;
            }
            if answers.write_all(&bytes[..count]).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        _ = tokio::io::copy(&mut requests, &mut asked) => {}
        () = delayed => {}
    }
}

/// Registers, publishes, saves, rates, reports and uploads with two clicks each. Each action is done once without an
/// error.
pub async fn second_click_during_a_slow_response_does_no_harm() {
    let driver = Driver::start();
    let site = TestSite::start_with(&[("RATING_LIMITER", "off")], 1).await;
    let post = site.post("writer").await;
    let connection = SlowConnection::start(site.instances[0]).await;
    let (ann, url) = (driver.browser(true).await, &connection.url);
    let button = "main form:not(.search) button:not([hidden], [type=button], [formenctype], [form])";
    let open = async |path: &str| ann.goto(&format!("{url}{path}")).await.unwrap();

    open("/users/register/").await;
    fill(&ann, "username", "ann").await;
    fill(&ann, "email", "ann@example.com").await;
    fill(&ann, "password", PASSWORD).await;
    connection.click_twice(&ann, button, (".notice", "Welcome, ann. You’re signed in.")).await;

    open("/blogs/create/").await;
    fill(&ann, "title", "Herons").await;
    fill(&ann, "content", "They stand.").await;
    connection.click_twice(&ann, "#status button[value=published]", (".notice", "Post published. http://")).await;
    let edit = found(&ann, Locator::Css("main a[href$='/edit/']")).await.attr("href").await.unwrap().unwrap();

    open(&edit).await;
    fill(&ann, "content", " They wait.").await;
    connection.click_twice(&ann, "#status button[value=published]", (".notice", "Changes saved.")).await;

    open(&format!("/blogs/{post}/")).await;
    let star = "input[name=rating][value='4']";
    connection.click_twice(&ann, star, ("#outcome", "Thanks! You rated this post 4 stars.")).await;

    open(&format!("/blogs/{post}/report/")).await;
    found(&ann, Locator::Css("input[name=category]")).await.click().await.unwrap();
    fill(&ann, "explanation", "It sells boats.").await;
    connection.click_twice(&ann, button, (".notice", "Thanks! We received your report and will review it.")).await;

    open("/images/").await;
    fill(&ann, "image", SAMPLE).await;
    connection.click_twice(&ann, "main form button", (".notice.done", "Image uploaded. To show it in a post")).await;

    ann.close().await.unwrap();
    for (table, count) in
        [("users", 2), ("blog_posts", 2), ("rates", 1), ("reports", 1), ("report_cases", 1), ("images", 1)]
    {
        assert_eq!(site.count(table).await, count, "{table}");
    }
    let text: String = sqlx::query_scalar("select content from blog_posts where title = 'Herons'")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    assert_eq!(text, "They stand. They wait.");
}

/// Leaves the page, which saves the draft, and presses the button before the response has arrived.
pub async fn button_waits_for_a_running_autosave() {
    let driver = Driver::start();
    let site = TestSite::start().await;
    let connection = SlowConnection::start(site.instances[0]).await;
    let ann = driver.browser(true).await;
    register(&ann, &connection.url, "ann").await;
    ann.goto(&format!("{}/blogs/create/", connection.url)).await.unwrap();
    found(&ann, Locator::Css(".toolbar button")).await;
    connection.is_slow.store(true, Ordering::Relaxed);
    let script = "const { title, content } = document.getElementById('write').elements;
        title.value = 'Herons';
        content.value = 'They stand.';
        Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
        document.dispatchEvent(new Event('visibilitychange'));
        document.querySelector('#status button[value=published]').click();";
    ann.execute(script, Vec::new()).await.unwrap();
    see(&ann, ".notice.done", "Post published.").await;
    ann.close().await.unwrap();
    let versions: Vec<i32> = sqlx::query_scalar("select version from blog_posts").fetch_all(&site.pool).await.unwrap();
    assert_eq!(versions, [2]);
}

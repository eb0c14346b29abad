//! Browser automation with `ChromeDriver`.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::support::{PASSWORD, TestSite};
use crate::translations;

/// Running `ChromeDriver` process, which is stopped with its browsers when this value is dropped.
pub struct Driver {
    child: Child,
    url: String,
}

/// Driver and site of a test, and the URL of the site.
pub struct Setup {
    pub driver: Driver,
    pub site: TestSite,
    pub url: String,
}

impl Setup {
    pub async fn start() -> Self {
        let driver = Driver::start();
        let site = TestSite::start().await;
        let url = format!("http://{}", site.instances[0]);
        Self { driver, site, url }
    }
}

impl Driver {
    pub fn start() -> Self {
        // Retries the start, because `ChromeDriver` exits if another process takes the port that it has chosen.
        (0..10).find_map(|_| Self::start_once()).unwrap()
    }

    fn start_once() -> Option<Self> {
        let mut command = Command::new("chromedriver");
        // `ChromeDriver` gets its own process group, so that browsers left open by a failed test are also killed.
        command.process_group(0);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let port = line.strip_prefix("ChromeDriver was started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let Some(port) = port else {
            child.wait().unwrap();
            return None;
        };
        Some(Self { child, url: format!("http://127.0.0.1:{port}") })
    }

    /// Opens a browser with an empty profile that saves downloads to `folder`.
    pub async fn browser_saving_to(&self, folder: &Path) -> Client {
        self.open(true, &[], json!({ "download.default_directory": folder })).await
    }

    pub async fn browser(&self, scripts: bool) -> Client {
        self.browser_with(scripts, &[]).await
    }

    pub async fn browser_with(&self, scripts: bool, more: &[&'static str]) -> Client {
        self.open(scripts, more, json!({})).await
    }

    async fn open(&self, scripts: bool, more: &[&'static str], mut preferences: Value) -> Client {
        let mut arguments: Vec<&str> = vec![
            "--headless=new",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            "--window-size=900,1200",
        ];
        arguments.extend(more);
        let language = format!("--accept-lang={}", translations::language().tag());
        arguments.push(&language);
        if nix::unistd::geteuid().is_root() {
            arguments.push("--no-sandbox");
        }
        let setting = if scripts { 1 } else { 2 };
        preferences["profile.managed_default_content_settings.javascript"] = setting.into();
        let options = json!({ "args": arguments, "prefs": preferences });
        let capabilities = serde_json::Map::from_iter([("goog:chromeOptions".to_owned(), options)]);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let browser = builder.capabilities(capabilities).connect(&self.url).await.unwrap();
        browser.goto("data:text/html,<title>off</title><script>document.title = 'on'</script>").await.unwrap();
        assert_eq!(browser.title().await.unwrap(), if scripts { "on" } else { "off" });
        browser
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = killpg(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGKILL);
        let _ = self.child.wait();
    }
}

/// Time limit for content to appear, long enough for slow machines.
const PATIENCE: Duration = Duration::from_mins(5);

pub async fn fill(browser: &Client, id: &str, text: &str) {
    found(browser, Locator::Id(id)).await.send_keys(text).await.unwrap();
}

/// Clicks the submit button of the page's main form.
pub async fn press(browser: &Client) {
    let button = "main form:not(.search) button:not([hidden], [type=button], [formenctype], [form])";
    found(browser, Locator::Css(button)).await.click().await.unwrap();
}

/// Scrolls an element to the middle of the window, where no sticky bar covers it, and clicks it.
pub async fn click_in_view(browser: &Client, css: &str) {
    let element = found(browser, Locator::Css(css)).await;
    let scroll = "document.querySelector(arguments[0]).scrollIntoView({block: 'center'})";
    browser.execute(scroll, vec![css.into()]).await.unwrap();
    element.click().await.unwrap();
}

/// Waits for an element, because a click does not wait for the next page.
pub async fn found(browser: &Client, locator: Locator<'_>) -> Element {
    browser.wait().at_most(PATIENCE).for_element(locator).await.unwrap()
}

/// Waits until the text of an element begins with the translation of `expected`.
pub async fn see(browser: &Client, css: &str, expected: &str) {
    see_one_of(browser, css, &translations::words(expected)).await;
}

/// Waits until the text of an element begins with `expected`, a text of a user, which is not translated.
pub async fn see_written(browser: &Client, css: &str, expected: &str) {
    see_one_of(browser, css, &[expected.to_owned()]).await;
}

pub async fn open_account_menu(browser: &Client) {
    found(browser, Locator::Css("header nav .menu summary")).await.click().await.unwrap();
}

/// Follows the link whose text is the translation of `name`.
pub async fn follow(browser: &Client, name: &str) {
    let patience = Instant::now() + PATIENCE;
    loop {
        for name in translations::words(name) {
            // A failed click is retried, because the page may change between the lookup and the click.
            if let Ok(link) = browser.find(Locator::LinkText(&name)).await
                && link.click().await.is_ok()
            {
                return;
            }
        }
        assert!(Instant::now() < patience, "no link is called {name}");
    }
}

/// Waits until the text of an element begins with one of `expected`. Polls the page, because a click does not wait for
/// the next page.
async fn see_one_of(browser: &Client, css: &str, expected: &[String]) {
    let patience = Instant::now() + PATIENCE;
    loop {
        let seen = match browser.find(Locator::Css(css)).await {
            Ok(element) => element.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        };
        // Removes Unicode isolates around names in another text direction, which are invisible.
        let seen = seen.replace(['\u{2068}', '\u{2069}'], "");
        if expected.iter().any(|expected| seen.starts_with(expected)) {
            return;
        }
        if Instant::now() > patience {
            let (url, body) = (browser.current_url().await, browser.find(Locator::Css("body")).await);
            let page = if let Ok(body) = body { body.text().await.unwrap_or_default() } else { String::new() };
            panic!("{css} shows {seen:?}, not {expected:?}, on {url:?}:\n{page}");
        }
    }
}

/// Returns the current value of a form field. Requires JavaScript.
pub async fn value_of(browser: &Client, id: &str) -> String {
    let script = format!("return document.getElementById('{id}').value");
    browser.execute(&script, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
}

pub async fn register(browser: &Client, site: &str, name: &str) {
    browser.goto(&format!("{site}/users/register/")).await.unwrap();
    fill(browser, "username", name).await;
    fill(browser, "email", "a@example.com").await;
    fill(browser, "password", PASSWORD).await;
    press(browser).await;
    see(browser, ".notice", &format!("Welcome, {name}. You’re signed in.")).await;
}

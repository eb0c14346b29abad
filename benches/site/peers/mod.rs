//! Benchmark of peers: compares Evenkeel with BitPin-Blog, the original Django application, and with `WordPress`.

mod bitpin_blog;
mod wordpress;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context as _, ensure};

use self::bitpin_blog::BitPinBlog;
use self::wordpress::WordPress;
use crate::load::{RequestFactory, get, run_load};
use crate::table::median;
use crate::workload::{Dataset, Site};
use crate::{CLIENTS, Plan, baselines::Nginx, start};

/// Number of posts of each site.
const POSTS: u64 = 200;

/// Programs that must be installed for the benchmark.
pub struct Peers {
    /// Checkout of BitPin-Blog.
    pub bitpin_blog: PathBuf,
    /// Python with the packages `django`, `djangorestframework`, `django-flags` and `gunicorn`.
    pub python: PathBuf,
}

/// Runs a command and returns its output.
fn run(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Function that returns the requests of one round.
type Requests = Box<dyn Fn() -> RequestFactory>;

/// Sends the same requests in every round.
fn every_round(make: RequestFactory) -> Requests {
    Box::new(move || make.clone())
}

/// Kind of request, with the address and the requests of each site. `None` if a site has no such request.
struct RequestKind {
    name: &'static str,
    sites: [Option<(SocketAddr, Requests)>; 4],
}

/// Measures all sites in alternating rounds.
pub async fn measure(plan: &Plan, folder: &Path, peers: &Peers) -> anyhow::Result<String> {
    let cluster = start(folder)?;
    let filled = Rc::new(Dataset::create_users(&cluster.connect_options(), plan.users).await?);
    let site = Site::start(folder, &cluster.database_url("evenkeel"))?;
    filled.create_posts(&site, POSTS).await?;
    let page = site.page_of(1)?;
    let nginx = Nginx::start(folder, &site.fetch(&page)?)?.context("nginx is not installed")?;
    let original = BitPinBlog::start(folder, peers)?;
    let wordpress = WordPress::start(folder)?;
    let mut text = "\n| successful requests per second | Evenkeel | BitPin-Blog | WordPress | nginx, a file |\n\
                    |---|---:|---:|---:|---:|\n"
        .to_owned();
    for request in rating_requests(&site, &filled, &original)
        .into_iter()
        .chain(page_requests(&site, &page, &original, &wordpress, &nginx))
    {
        writeln!(text, "{}", measure_request(plan, &request))?;
    }
    filled.check_totals().await?;
    writeln!(text, "\nEvenkeel: the totals of all posts equal a recount of the ratings.")?;
    writeln!(
        text,
        "BitPin-Blog: the stored average of a post is wrong by up to {:.1} stars.",
        original.average_error()?
    )?;
    Ok(text)
}

fn rating_requests(site: &Site, filled: &Rc<Dataset>, original: &BitPinBlog) -> Vec<RequestKind> {
    let (hot, spread) = (Rc::clone(filled), Rc::clone(filled));
    let request = |name, own: Requests, of_original: Requests| RequestKind {
        name,
        sites: [Some((site.address, own)), Some((original.address, of_original)), None, None],
    };
    vec![
        request(
            "rating, all users rate the same post",
            Box::new(move || hot.hot_ratings()),
            every_round(original.ratings(|_| 1)),
        ),
        request(
            "rating, the users rate many posts",
            Box::new(move || spread.spread_ratings()),
            every_round(original.ratings(|number| 2 + number % (POSTS - 1))),
        ),
    ]
}

fn page_requests(
    site: &Site,
    page: &str,
    original: &BitPinBlog,
    wordpress: &WordPress,
    nginx: &Nginx,
) -> Vec<RequestKind> {
    let request = |name, own: &str, of_original: Requests, of_wordpress: Requests| RequestKind {
        name,
        sites: [
            Some((site.address, every_round(get(own)))),
            Some((original.address, of_original)),
            Some((wordpress.address, of_wordpress)),
            Some((nginx.address, every_round(get("/page.html")))),
        ],
    };
    vec![
        request("page of a post", page, every_round(original.pages()), every_round(wordpress.pages())),
        request("list of posts", "/blogs/", every_round(get("/blogs/")), every_round(get("/"))),
    ]
}

fn measure_request(plan: &Plan, request: &RequestKind) -> String {
    let mut speeds: [Vec<f64>; 4] = Default::default();
    let mut failed = [0; 4];
    for _ in 0..plan.rounds {
        for ((site, speeds), failed) in request.sites.iter().zip(&mut speeds).zip(&mut failed) {
            if let Some((address, make)) = site {
                let measured = run_load(*address, CLIENTS, plan.time, &make());
                speeds.push(measured.per_second);
                *failed += measured.failed;
            }
        }
    }
    let cell = |(speeds, failed): (Vec<f64>, usize)| match (speeds.is_empty(), failed) {
        (true, _) => "–".to_owned(),
        (false, 0) => format!("{:.0}", median(speeds)),
        (false, failed) => format!("{:.0} ({failed} failed)", median(speeds)),
    };
    let cells: Vec<String> = speeds.into_iter().zip(failed).map(cell).collect();
    format!("| {} | {} |", request.name, cells.join(" | "))
}

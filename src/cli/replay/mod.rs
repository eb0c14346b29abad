//! `evenkeel replay`: sends past or simulated ratings through limiters and scores, and reports the results.

mod plot;
mod report;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use chrono::TimeDelta;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, Connection as _};

use self::plot::plot;
pub use self::report::parse_parameter;
use self::report::{DEFAULT_LIMITERS, build_limiter, format_table};
use crate::cli::progress;
use crate::db::clock::Clock;
use crate::db::{self, Database};
use crate::rate::site_ratings::{PostRatings, SiteRatingReader};
use evenkeel_limiters::AnyLimiter;
use evenkeel_limiters::replay::{ComputedScores, Replay, ReplayHistory, ReplayResult, SCENARIOS, Scenario, ScoreKind};

/// Arguments of `evenkeel replay`: source of the ratings, limiters, scores and output format.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    /// CSV file of ratings
    ///
    /// Columns: `post`, `time` (Unix seconds or RFC 3339), `rating` (1 to 5), and optionally `kind` (`honest` or
    /// `brigade`) and `user`. A file of daily ratings, which the ratings page of a post offers for download, is also
    /// accepted: the score of the post is then recomputed from the file.
    #[arg(required_unless_present_any = ["scenario", "database"], conflicts_with_all = ["scenario", "database"])]
    file: Option<PathBuf>,
    /// Name of a simulated scenario to replay, or `all`; `--scenario list` lists the names
    #[arg(long, conflicts_with = "database")]
    scenario: Option<String>,
    /// Replay the ratings of this site, including recently refused ones
    ///
    /// Two kinds of ratings count as brigading: those on days that staff excluded from the score, and, in hours of
    /// unusual activity, those that deviate from the score in the same direction as the refused ratings.
    #[arg(long)]
    database: bool,
    /// Number of past days whose ratings are counted, 1 to 3650; default: all. Needs `--database`
    ///
    /// Limiters also process the ratings of the 90 days before these days, without counting them.
    #[arg(long, requires = "database", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: Option<u32>,
    /// Seed of the random generator for scenarios; the same seed gives the same ratings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Limiters to compare, separated by commas; `off` admits every rating
    #[arg(long, value_delimiter = ',', default_values_t = DEFAULT_LIMITERS.map(str::to_owned))]
    limiter: Vec<String>,
    /// Scores to compute from the admitted ratings, separated by commas
    #[arg(long, value_delimiter = ',', default_values = ScoreKind::ALL.map(ScoreKind::name),
        value_parser = PossibleValuesParser::new(ScoreKind::ALL.map(ScoreKind::name)).try_map(|name| ScoreKind::from_name(&name).ok_or("unknown")))]
    score: Vec<ScoreKind>,
    /// Limiter parameter, such as `surge.floor=10`; with a single limiter, its name can be omitted: `floor=10`
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// SVG file to write with a chart of one post
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Id of the post in the chart; default: the post with the most ratings
    ///
    /// With `--database`, only this post is replayed.
    #[arg(long, value_name = "ID")]
    post: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Markdown table of the results
    Table,
    /// JSON, with results for each post
    Json,
}

type Limiters = Vec<(String, Option<AnyLimiter>)>;

impl ReplayArguments {
    pub async fn run(&self, settings: &db::Settings) -> anyhow::Result<String> {
        if self.scenario.as_deref() == Some("list") {
            let lines = SCENARIOS.map(|Scenario { name, description: what, .. }| format!("{name:13} {what}\n"));
            return Ok(lines.concat());
        }
        if self.post.is_some() && self.plot.is_none() && !self.database {
            bail!("--post can only be used with --plot or --database");
        }
        if let Some(twice) = self.score.iter().enumerate().find(|(at, score)| self.score[..*at].contains(score)) {
            bail!("--score contains {} twice", twice.1.name());
        }
        let limiters = self.limiters()?;
        if let Some(file) = &self.plot {
            let same = |input: &PathBuf| Some(input.canonicalize().ok()? == file.canonicalize().ok()?);
            if self.file.as_ref().and_then(same) == Some(true) {
                bail!("--plot would overwrite the input file {}; choose another file", file.display());
            }
            check_writable(file).with_context(|| format!("cannot write {}", file.display()))?;
        }
        let results = match &self.file {
            Some(file) if has_daily_ratings(file)? => return self.recompute_score(file),
            Some(file) => vec![self.replay(&file.display().to_string(), &read(file)?, &limiters)?],
            None if self.database => vec![self.replay_site(settings, &limiters).await?],
            None => self
                .scenarios()?
                .map(|one| self.replay(one.description, &one.generate_history(self.seed), &limiters))
                .collect::<Result<_, _>>()?,
        };
        match self.format {
            Format::Table => Ok(format_table(&results)),
            Format::Json => {
                let all = results.iter().map(|(history, outcomes)| json!({ "history": history, "limiters": outcomes }));
                Ok(serde_json::to_string_pretty(&all.collect::<Vec<_>>())? + "\n")
            }
        }
    }

    fn recompute_score(&self, file: &Path) -> anyhow::Result<String> {
        let sums = ComputedScores::read_csv(open(file)?).with_context(|| file.display().to_string())?;
        match self.format {
            Format::Table => Ok(sums.format_summary()),
            Format::Json => Ok(serde_json::to_string_pretty(&sums)? + "\n"),
        }
    }

    fn replay(
        &self,
        name: &str,
        history: &ReplayHistory,
        limiters: &Limiters,
    ) -> anyhow::Result<(String, Vec<ReplayResult>)> {
        let progress = progress_bar(history.len() * limiters.len() as u64, "replayed");
        let mut replays = self.replays(limiters);
        for replay in &mut replays {
            for (post, entries) in history.posts() {
                replay.replay_post(post, entries, &[], |_, _, _| ())?;
                progress.inc(entries.len() as u64);
            }
        }
        progress.finish_and_clear();
        self.write_plot(name, history, limiters)?;
        Ok((name.to_owned(), replays.into_iter().map(Replay::into_result).collect()))
    }

    async fn replay_site(
        &self,
        settings: &db::Settings,
        limiters: &Limiters,
    ) -> anyhow::Result<(String, Vec<ReplayResult>)> {
        let only = self.post.as_deref().map(parse_post_id).transpose()?;
        ensure!(self.plot.is_none() || only.is_some(), "--plot draws a single post; select it with --post ID");
        let (mut replays, mut drawn) = (self.replays(limiters), ReplayHistory::default());
        let database = Database::open_migrated(settings).await?;
        let mut connection = database.options.connect().await.context("cannot connect to the database")?;
        let now = Clock::Database.read(&mut connection).await?;
        let since = self.days.map(|days| now - TimeDelta::days(days.into()));
        if let Some(since) = since {
            replays = replays.into_iter().map(|replay| replay.with_results_since(since.timestamp_millis())).collect();
        }
        let mut arrivals = SiteRatingReader::select(&mut connection, only, since, i64::MAX).await?;
        if let Some(post) = only.filter(|_| arrivals.post_count() == 0) {
            bail!("post {post} does not exist or has no ratings");
        }
        let progress = progress_bar(arrivals.post_count() as u64, "replayed");
        loop {
            let posts = arrivals.next_chunk(&mut connection).await?;
            for PostRatings { id, entries, excluded_days } in &posts {
                for replay in &mut replays {
                    replay.replay_post(&id.to_string(), entries, excluded_days, |_, _, _| ())?;
                }
                if self.plot.is_some() {
                    drawn.insert(id.to_string(), entries.clone());
                }
            }
            progress.set_position(arrivals.posts_read() as u64);
            if arrivals.posts_read() == arrivals.post_count() {
                break;
            }
        }
        connection.close().await?;
        progress.finish_and_clear();
        self.write_plot("this site", &drawn, limiters)?;
        Ok(("this site".to_owned(), replays.into_iter().map(Replay::into_result).collect()))
    }

    fn replays(&self, limiters: &Limiters) -> Vec<Replay> {
        let by_post = matches!(self.format, Format::Json);
        limiters.iter().map(|(name, limiter)| Replay::new(name, *limiter, &self.score, by_post)).collect()
    }

    fn limiters(&self) -> anyhow::Result<Limiters> {
        if let Some((_, twice)) = self.limiter.iter().enumerate().find(|(at, name)| self.limiter[..*at].contains(name))
        {
            bail!("--limiter contains {twice} twice");
        }
        let mut params: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
        for text in &self.param {
            let (limiter, name, value) = parse_parameter(text)?;
            let limiter = match (limiter, self.limiter.as_slice()) {
                (Some(limiter), all) => all.iter().find(|name| **name == limiter),
                (None, [only]) => Some(only),
                (None, _) => bail!(
                    "--param {text} does not name a limiter, and several are replayed; write LIMITER.{text}, or select a \
                    single limiter with --limiter"
                ),
            };
            let unused =
                || format!("--param {text} is for a limiter that is not replayed; add this limiter to --limiter");
            let limiter = limiter.with_context(unused)?;
            params.entry(limiter).or_default().insert(name, value);
        }
        let of = |name: &String| {
            let limiter = build_limiter(name, params.get(name.as_str()).unwrap_or(&BTreeMap::new()));
            Ok((name.clone(), limiter.with_context(|| format!("cannot create the limiter {name}"))?))
        };
        self.limiter.iter().map(of).collect()
    }

    fn scenarios(&self) -> anyhow::Result<impl Iterator<Item = &'static Scenario>> {
        let scenario_name = self.scenario.as_deref().unwrap_or("all");
        if scenario_name == "all" && self.plot.is_some() {
            bail!("--plot draws a single scenario; select it with --scenario NAME");
        }
        if scenario_name != "all" && Scenario::from_name(scenario_name).is_none() {
            bail!("no scenario named {scenario_name:?}; `--scenario list` lists the names");
        }
        Ok(SCENARIOS.iter().filter(move |scenario| scenario_name == "all" || scenario.name == scenario_name))
    }

    fn write_plot(&self, name: &str, history: &ReplayHistory, limiters: &Limiters) -> anyhow::Result<()> {
        let Some(file) = &self.plot else { return Ok(()) };
        let biggest = || history.posts().max_by_key(|(_, entries)| entries.len()).map(|(post, _)| post.to_owned());
        let post =
            self.post.clone().or_else(biggest).context("--plot has nothing to draw, because no post has ratings")?;
        let svg = plot(&format!("{name}: post {post}"), history, &post, limiters, &self.score)?;
        std::fs::write(file, svg).with_context(|| format!("cannot write {}", file.display()))
    }
}

fn parse_post_id(text: &str) -> anyhow::Result<i64> {
    text.parse().with_context(|| format!("--post must be the id of a post, not {text:?}"))
}

fn open(file: &Path) -> anyhow::Result<File> {
    File::open(file).with_context(|| format!("cannot read {}", file.display()))
}

fn has_daily_ratings(file: &Path) -> anyhow::Result<bool> {
    let mut reader = csv::Reader::from_reader(open(file)?);
    Ok(reader.headers().is_ok_and(|headers| headers.get(0) == Some("day")))
}

fn read(file: &Path) -> anyhow::Result<ReplayHistory> {
    let opened = open(file)?;
    let bytes = opened.metadata().map_or(0, |metadata| metadata.len());
    let progress = progress_bar(bytes, "read");
    let history = ReplayHistory::read_csv(BufReader::new(progress.wrap_read(opened)));
    progress.finish_and_clear();
    history.with_context(|| file.display().to_string())
}

fn progress_bar(length: u64, what: &'static str) -> ProgressBar {
    progress::with_bar_template(ProgressBar::new(length), "{wide_bar} {percent} % {msg}").with_message(what)
}

/// Checks that a file can be written before the long computation starts. Does not change an existing file.
fn check_writable(file: &Path) -> std::io::Result<()> {
    let is_new = !file.exists();
    File::options().write(true).create(true).truncate(false).open(file)?;
    if is_new { std::fs::remove_file(file) } else { Ok(()) }
}

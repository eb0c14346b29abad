//! `evenkeel replay`: its arguments, and what it does with them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use chrono::TimeDelta;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::db;
use crate::db::clock::Clock;
use crate::db::{Database, is_migrated};
use crate::rate::replay::days::Sums;
use crate::rate::replay::plot::plot;
use crate::rate::replay::{
    CONTENDERS, History, Outcome, Replay, SCENARIOS, Scenario, ScoreKind, contender, parameter, site, table,
};
use evenkeel_limiters::AnyLimiter;

/// What to replay, through which limiters and scores, and how to show the result.
#[derive(Debug, Args)]
pub struct Arguments {
    /// CSV with the columns post, time (Unix seconds or RFC 3339), rating (1 to 5), and perhaps kind (honest or brigade)
    /// and user. Or the CSV of days that a post's page links: then its score is added up again
    #[arg(required_unless_present_any = ["scenario", "database"], conflicts_with_all = ["scenario", "database"])]
    file: Option<PathBuf>,
    /// Made-up traffic instead of a file: all, or one of those that `--scenario list` lists
    #[arg(long, conflicts_with = "database")]
    scenario: Option<String>,
    /// The ratings of this site instead of a file, with those of late that were refused. Which of them a crowd sent is what the
    /// site itself says: ratings on days that moderators left out, and those in unusual hours that pulled to one side
    #[arg(long)]
    database: bool,
    /// Only ratings of the last so many days; limiters have learned from 90 days before. With `--database`
    #[arg(long, requires = "database", value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: Option<u32>,
    /// The seed of made-up traffic: the same seed makes the same traffic
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which limiters, in this order
    #[arg(long, value_delimiter = ',', default_values_t = CONTENDERS.map(str::to_owned))]
    limiter: Vec<String>,
    /// Which scores of what the limiters admit
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [ScoreKind::Average, ScoreKind::Steady])]
    score: Vec<ScoreKind>,
    /// A parameter that differs from its default: `surge.floor=10`, or `floor=10` if there is only one limiter
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Draws one post, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Which post is drawn, otherwise the one with the most ratings; with `--database`, the only one that is replayed
    #[arg(long, value_name = "ID")]
    post: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Markdown
    Table,
    /// With the figures of each post
    Json,
}

type Limiters = Vec<(String, Option<AnyLimiter>)>;

impl Arguments {
    /// Replays, and returns the text to print.
    ///
    /// # Errors
    /// If there is nothing to replay, or an argument, the file or the database is not as it should be.
    pub async fn run(&self, settings: &db::Settings) -> anyhow::Result<String> {
        if self.scenario.as_deref() == Some("list") {
            let lines = SCENARIOS.map(|Scenario { name, what, .. }| format!("{name:13} {what}\n"));
            return Ok(lines.concat());
        }
        if self.post.is_some() && self.plot.is_none() && !self.database {
            bail!("--post goes with --plot or --database");
        }
        if let Some(twice) = self.score.iter().enumerate().find(|(at, score)| self.score[..*at].contains(score)) {
            bail!("score {} is there twice", twice.1.name());
        }
        let limiters = self.limiters()?;
        if let Some(file) = &self.plot {
            let same = |input: &PathBuf| Some(input.canonicalize().ok()? == file.canonicalize().ok()?);
            if self.file.as_ref().and_then(same) == Some(true) {
                bail!("--plot would overwrite {}", file.display());
            }
            try_to_write(file).with_context(|| format!("cannot write {}", file.display()))?;
        }
        let results = match &self.file {
            Some(file) if has_days(file)? => return self.add_up(file),
            Some(file) => vec![self.replay(&file.display().to_string(), &read(file)?, &limiters)?],
            None if self.database => vec![self.replay_site(settings, &limiters).await?],
            None => self
                .scenarios()?
                .map(|one| self.replay(one.what, &one.history(self.seed), &limiters))
                .collect::<Result<_, _>>()?,
        };
        match self.format {
            Format::Table => Ok(table(&results)),
            Format::Json => {
                let all = results.iter().map(|(history, outcomes)| json!({ "history": history, "limiters": outcomes }));
                Ok(serde_json::to_string_pretty(&all.collect::<Vec<_>>())? + "\n")
            }
        }
    }

    fn add_up(&self, file: &Path) -> anyhow::Result<String> {
        let sums = Sums::read(open(file)?).with_context(|| file.display().to_string())?;
        match self.format {
            Format::Table => Ok(sums.table()),
            Format::Json => Ok(serde_json::to_string_pretty(&sums)? + "\n"),
        }
    }

    fn replay(&self, name: &str, history: &History, limiters: &Limiters) -> anyhow::Result<(String, Vec<Outcome>)> {
        let progress = bar(history.len() * limiters.len() as u64, "rated");
        let mut replays = self.replays(limiters);
        for replay in &mut replays {
            for (post, entries) in history.posts() {
                replay.post(post, entries, &[], |_, _, _| ())?;
                progress.inc(entries.len() as u64);
            }
        }
        progress.finish_and_clear();
        self.draw(name, history, limiters)?;
        Ok((name.to_owned(), replays.into_iter().map(Replay::outcome).collect()))
    }

    async fn replay_site(
        &self,
        settings: &db::Settings,
        limiters: &Limiters,
    ) -> anyhow::Result<(String, Vec<Outcome>)> {
        let only =
            self.post.as_ref().map(|id| id.parse().with_context(|| format!("--post {id}: this is no id of a post")));
        if self.plot.is_some() && only.is_none() {
            bail!("--plot draws one post: name it with --post");
        }
        let (mut replays, mut drawn) = (self.replays(limiters), History::default());
        let database = Database::open_existing(settings).await?;
        let mut connection = database.options.connect().await.context("the database cannot be reached")?;
        if !is_migrated(&mut connection).await? {
            bail!("the database is not up to date: run evenkeel migrate");
        }
        let now = Clock::Database.read(&mut connection).await?;
        let since = self.days.map(|days| now - TimeDelta::days(days.into()));
        if let Some(since) = since {
            replays = replays.into_iter().map(|replay| replay.since(since.timestamp_millis())).collect();
        }
        let mut arrivals = site::Arrivals::find(&mut connection, only.transpose()?, since, i64::MAX).await?;
        let progress = bar(arrivals.posts() as u64, "replayed");
        loop {
            let posts = arrivals.next(&mut connection).await?;
            for site::Post { id, entries, voided } in &posts {
                for replay in &mut replays {
                    replay.post(&id.to_string(), entries, voided, |_, _, _| ())?;
                }
                if self.plot.is_some() {
                    drawn.insert(id.to_string(), entries.clone());
                }
            }
            progress.set_position(arrivals.read() as u64);
            if arrivals.read() == arrivals.posts() {
                break;
            }
        }
        connection.close().await?;
        progress.finish_and_clear();
        self.draw("this site", &drawn, limiters)?;
        Ok(("this site".to_owned(), replays.into_iter().map(Replay::outcome).collect()))
    }

    fn replays(&self, limiters: &Limiters) -> Vec<Replay> {
        let by_post = matches!(self.format, Format::Json);
        limiters.iter().map(|(name, made)| Replay::new(name, *made, &self.score, by_post)).collect()
    }

    fn limiters(&self) -> anyhow::Result<Limiters> {
        if let Some((_, twice)) = self.limiter.iter().enumerate().find(|(at, name)| self.limiter[..*at].contains(name))
        {
            bail!("limiter {twice} is there twice");
        }
        let mut params: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
        for text in &self.param {
            let (limiter, name, value) = parameter(text)?;
            let limiter = match (limiter, self.limiter.as_slice()) {
                (Some(limiter), all) => all.iter().find(|name| **name == limiter),
                (None, [only]) => Some(only),
                (None, _) => bail!("--param {text}: which limiter's? Write limiter.{text}, or choose one limiter"),
            };
            let limiter = limiter.with_context(|| format!("--param {text}: that limiter is not replayed"))?;
            params.entry(limiter).or_default().insert(name, value);
        }
        let of = |name: &String| {
            let made = contender(name, params.get(name.as_str()).unwrap_or(&BTreeMap::new()));
            Ok((name.clone(), made.with_context(|| format!("limiter {name}"))?))
        };
        self.limiter.iter().map(of).collect()
    }

    fn scenarios(&self) -> anyhow::Result<impl Iterator<Item = &'static Scenario>> {
        let wanted = self.scenario.as_deref().unwrap_or("all");
        if wanted == "all" && self.plot.is_some() {
            bail!("--plot draws one scenario: name it");
        }
        if wanted != "all" && Scenario::named(wanted).is_none() {
            bail!("there is no scenario {wanted:?}: see --scenario list");
        }
        Ok(SCENARIOS.iter().filter(move |scenario| wanted == "all" || scenario.name == wanted))
    }

    fn draw(&self, name: &str, history: &History, limiters: &Limiters) -> anyhow::Result<()> {
        let Some(file) = &self.plot else { return Ok(()) };
        let biggest = || history.posts().max_by_key(|(_, entries)| entries.len()).map(|(post, _)| post.to_owned());
        let post = self.post.clone().or_else(biggest).context("there is no post to draw")?;
        let svg = plot(&format!("{name}: post {post}"), history, &post, limiters, &self.score)?;
        std::fs::write(file, svg).with_context(|| format!("cannot write {}", file.display()))
    }
}

fn open(file: &Path) -> anyhow::Result<File> {
    File::open(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Whether the file has the days of a post, not ratings.
fn has_days(file: &Path) -> anyhow::Result<bool> {
    let mut reader = csv::Reader::from_reader(open(file)?);
    Ok(reader.headers().is_ok_and(|headers| headers.get(0) == Some("day")))
}

fn read(file: &Path) -> anyhow::Result<History> {
    let opened = open(file)?;
    let bytes = opened.metadata().map_or(0, |metadata| metadata.len());
    let progress = bar(bytes, "read");
    let history = History::read(BufReader::new(progress.wrap_read(opened)));
    progress.finish_and_clear();
    history.with_context(|| file.display().to_string())
}

/// A progress bar. It is not shown where nobody watches: if standard error is no terminal.
fn bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(what);
    match ProgressStyle::with_template("{wide_bar} {percent} % {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A file that cannot be written should fail before the work, not after it. It stays as it is until then.
fn try_to_write(file: &Path) -> std::io::Result<()> {
    let is_new = !file.exists();
    File::options().write(true).create(true).truncate(false).open(file)?;
    if is_new { std::fs::remove_file(file) } else { Ok(()) }
}

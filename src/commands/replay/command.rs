//! `evenkeel replay`: its arguments, and what it does with them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::plot::plot;
use super::{CONTENDERS, History, Outcome, SCENARIOS, Scenario, contender, parameter, run, table};
use crate::limiters::AnyLimiter;

/// What to replay, through which limiters, and how to show the result.
#[derive(Debug, Args)]
pub struct Arguments {
    /// CSV with the columns post, time (Unix seconds or RFC 3339), rating (1 to 5) and perhaps kind (honest or brigade)
    #[arg(required_unless_present = "scenario", conflicts_with = "scenario")]
    file: Option<PathBuf>,
    /// Made-up traffic instead of a file: all, or one of those that `--scenario list` lists
    #[arg(long)]
    scenario: Option<String>,
    /// The seed of made-up traffic: the same seed makes the same traffic
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which limiters, in this order
    #[arg(long, value_delimiter = ',', default_values_t = CONTENDERS.map(str::to_owned))]
    limiter: Vec<String>,
    /// A parameter that differs from its default: `surge.floor=10`, or `floor=10` if there is only one limiter
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Draws one post, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Which post is drawn; otherwise the one with the most ratings
    #[arg(long, requires = "plot")]
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
    /// If there is nothing to replay, or an argument or the file is not valid.
    pub fn run(&self) -> anyhow::Result<String> {
        if self.scenario.as_deref() == Some("list") {
            let lines = SCENARIOS.map(|Scenario { name, what, .. }| format!("{name:13} {what}\n"));
            return Ok(lines.concat());
        }
        let limiters = self.limiters()?;
        let mut results = Vec::new();
        let histories = self.histories()?;
        if let Some(file) = &self.plot {
            // A file that cannot be written should fail before the work, not after it.
            File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
        }
        for (name, history) in histories {
            let progress = bar(history.len() * limiters.len() as u64, "rated");
            let outcomes: anyhow::Result<Vec<Outcome>> = limiters
                .iter()
                .map(|(limiter, made)| run(limiter, made.as_ref(), &history, &progress, |_, _, _| ()))
                .collect();
            progress.finish_and_clear();
            if let Some(file) = &self.plot {
                self.draw(file, &name, &history, &limiters)?;
            }
            results.push((name, outcomes?));
        }
        match self.format {
            Format::Table => Ok(table(&results)),
            Format::Json => {
                let all = results.iter().map(|(history, outcomes)| json!({ "history": history, "limiters": outcomes }));
                Ok(serde_json::to_string_pretty(&all.collect::<Vec<_>>())? + "\n")
            }
        }
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

    fn histories(&self) -> anyhow::Result<Vec<(String, History)>> {
        if let Some(file) = &self.file {
            return Ok(vec![(file.display().to_string(), read(file)?)]);
        }
        let wanted = self.scenario.as_deref().unwrap_or("all");
        if wanted == "all" && self.plot.is_some() {
            bail!("--plot draws one scenario: name it");
        }
        let named = Scenario::named(wanted);
        let chosen: Vec<&Scenario> = match (wanted, named) {
            ("all", _) => SCENARIOS.iter().collect(),
            (_, Some(scenario)) => vec![scenario],
            _ => bail!("there is no scenario {wanted:?}: see --scenario list"),
        };
        Ok(chosen.into_iter().map(|scenario| (scenario.what.to_owned(), scenario.history(self.seed))).collect())
    }

    fn draw(&self, file: &Path, name: &str, history: &History, limiters: &Limiters) -> anyhow::Result<()> {
        let biggest = || history.posts().max_by_key(|(_, entries)| entries.len()).map(|(post, _)| post.to_owned());
        let post = self.post.clone().or_else(biggest).context("there is no post to draw")?;
        let svg = plot(&format!("{name}: post {post}"), history, &post, limiters)?;
        std::fs::write(file, svg).with_context(|| format!("cannot write {}", file.display()))
    }
}

fn read(file: &Path) -> anyhow::Result<History> {
    let opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
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

//! Formats benchmark results as Markdown and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::load::{CpuTime, Latency, Measurement};

#[derive(Default)]
pub struct Table {
    pub rows: Vec<Comparison>,
    /// Ratios of an earlier run, by the name of the request.
    pub earlier_ratios: BTreeMap<String, f64>,
    notes: Vec<String>,
}

/// Measurements of one kind of request: of the site, and of the program with which the site is compared.
pub struct Comparison {
    name: String,
    baseline: &'static str,
    ours: Vec<Measurement>,
    theirs: Vec<Measurement>,
}

impl Comparison {
    /// Measures the site and the baseline alternately, `rounds` times each, because the speed of the machine varies.
    pub fn measure(
        name: &str,
        baseline: &'static str,
        rounds: usize,
        mut theirs: impl FnMut() -> Option<Measurement>,
        mut ours: impl FnMut() -> Measurement,
    ) -> Self {
        let mut row = Self { name: name.to_owned(), baseline, ours: Vec::new(), theirs: Vec::new() };
        for _ in 0..rounds {
            row.theirs.extend(theirs());
            row.ours.push(ours());
        }
        row
    }

    fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours.per_second / theirs.per_second).collect()
    }

    fn spent(&self) -> Vec<CpuTime> {
        self.ours.iter().filter_map(|measured| measured.spent).collect()
    }

    /// Returns a note about unsuccessful responses; `None` if all responses were successful.
    fn failures(&self) -> Option<String> {
        let failed: usize = self.ours.iter().map(|measured| measured.failed).sum();
        let status = self.ours.iter().find_map(|measured| measured.failed_with)?;
        Some(format!("{}: {failed} responses were not successful, such as one with status {status}.", self.name))
    }

    fn to_json(&self) -> Value {
        let ratio = Some(median(self.ratios())).filter(|ratio| ratio.is_finite());
        json!({
            "name": self.name,
            "requests_per_second": per_second(&self.ours).round(),
            "p50_ms": milliseconds(self, |latency| latency.p50),
            "p99_ms": milliseconds(self, |latency| latency.p99),
            "baseline": self.baseline,
            "baseline_requests_per_second": ratio.map(|_| per_second(&self.theirs).round()),
            "ratio": ratio.map(|ratio| (ratio * 100.0).round() / 100.0),
        })
    }
}

impl Table {
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub fn to_json(&self) -> Value {
        self.rows.iter().map(Comparison::to_json).collect()
    }

    /// Writes the table of CPU time per response, if it was measured.
    fn fmt_spent(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted: Vec<(&Comparison, Vec<CpuTime>)> = self.rows.iter().map(|row| (row, row.spent())).collect();
        if counted.iter().all(|(_, spent)| spent.is_empty()) {
            return Ok(());
        }
        writeln!(f, "\n| CPU time per response in µs | site | database and other processes | client | idle |")?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        for (row, spent) in counted.into_iter().filter(|(_, spent)| !spent.is_empty()) {
            let part = |part: fn(&CpuTime) -> f64| median(spent.iter().map(part).collect());
            let [site, rest, client, idle] =
                [part(|at| at.site), part(|at| at.rest), part(|at| at.client), part(|at| at.idle)];
            writeln!(f, "| {} | {site:.0} | {rest:.0} | {client:.0} | {idle:.0} |", row.name)?;
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n| request | requests per second | p50 | p99 | baseline | requests per second | ratio | earlier ratio |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---|---:|---:|---:|")?;
        for row in &self.rows {
            let ratios = row.ratios();
            let (baseline, theirs, ratio) = if ratios.is_empty() {
                ("–", "–".to_owned(), "–".to_owned())
            } else {
                let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(a, b), r| (a.min(*r), b.max(*r)));
                let range = format!("**{:.2}** ({least:.2} to {most:.2})", median(ratios));
                (row.baseline, format!("{:.0}", per_second(&row.theirs)), range)
            };
            let earlier = self.earlier_ratios.get(&row.name).map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
            writeln!(
                f,
                "| {} | {:.0} | {:.1} ms | {:.1} ms | {baseline} | {theirs} | {ratio} | {earlier} |",
                row.name,
                per_second(&row.ours),
                milliseconds(row, |latency| latency.p50),
                milliseconds(row, |latency| latency.p99),
            )?;
        }
        self.fmt_spent(f)?;
        writeln!(f)?;
        for note in self.rows.iter().filter_map(Comparison::failures).chain(self.notes.iter().cloned()) {
            writeln!(f, "{note}")?;
        }
        Ok(())
    }
}

fn per_second(measured: &[Measurement]) -> f64 {
    median(measured.iter().map(|measured| measured.per_second).collect())
}

fn milliseconds(row: &Comparison, part: fn(Latency) -> std::time::Duration) -> f64 {
    let times = row.ours.iter().filter_map(|measured| Some(part(measured.latency?).as_secs_f64() * 1000.0));
    (median(times.collect()) * 10.0).round() / 10.0
}

/// Median; for an even number of values, the mean of the middle two. NaN if there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        Some(upper) if values.len().is_multiple_of(2) => f64::midpoint(values[middle - 1], *upper),
        Some(middle) => *middle,
        None => f64::NAN,
    }
}

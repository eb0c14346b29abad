//! Formats benchmark results as a Markdown table.

use std::fmt;

use crate::load::{CpuTime, Latency, Measurement};

#[derive(Default)]
pub struct Table {
    pub rows: Vec<Comparison>,
    notes: Vec<String>,
}

/// Measurements of one kind of request, both of the site and of the program that the site is compared with.
pub struct Comparison {
    name: String,
    beside: &'static str,
    ours: Vec<Measurement>,
    theirs: Vec<Measurement>,
}

impl Comparison {
    /// Measures the two programs alternately, `rounds` times each, because the speed of the machine varies over time.
    pub fn measure(
        name: &str,
        beside: &'static str,
        rounds: usize,
        mut theirs: impl FnMut() -> Option<Measurement>,
        mut ours: impl FnMut() -> Measurement,
    ) -> Self {
        let mut row = Self { name: name.to_owned(), beside, ours: Vec::new(), theirs: Vec::new() };
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

    /// Note about unsuccessful responses, if there were any.
    fn failures(&self) -> Option<String> {
        let failed: usize = self.ours.iter().map(|measured| measured.failed).sum();
        let status = self.ours.iter().find_map(|measured| measured.failed_with)?;
        Some(format!("{}: {failed} answers were no success, one of them {status}.", self.name))
    }
}

impl Table {
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

impl Table {
    /// Writes the table of CPU time per response, if it was measured.
    fn fmt_spent(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted: Vec<(&Comparison, Vec<CpuTime>)> = self.rows.iter().map(|row| (row, row.spent())).collect();
        if counted.iter().all(|(_, spent)| spent.is_empty()) {
            return Ok(());
        }
        writeln!(f, "\n| µs of all processors for each answer | site | database and the rest | client | idle |")?;
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
        writeln!(f, "\n| | a second | p50 | p99 | beside it | a second | ratio |")?;
        writeln!(f, "|---|---:|---:|---:|---|---:|---:|")?;
        for row in &self.rows {
            let (p50, p99) = (latency(row, |at| at.p50), latency(row, |at| at.p99));
            let ratios = row.ratios();
            let (beside, theirs, ratio) = if ratios.is_empty() {
                ("–", "–".to_owned(), "–".to_owned())
            } else {
                let (least, most) = ratios.iter().fold((f64::MAX, 0.0_f64), |(a, b), r| (a.min(*r), b.max(*r)));
                let range = format!("**{:.2}** ({least:.2} to {most:.2})", median(ratios));
                (row.beside, format!("{:.0}", per_second(&row.theirs)), range)
            };
            writeln!(
                f,
                "| {} | {:.0} | {p50} | {p99} | {beside} | {theirs} | {ratio} |",
                row.name,
                per_second(&row.ours)
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

fn latency(row: &Comparison, part: fn(Latency) -> std::time::Duration) -> String {
    let times = row.ours.iter().filter_map(|measured| Some(part(measured.latency?).as_secs_f64() * 1000.0));
    format!("{:.1} ms", median(times.collect()))
}

/// Median of the values: the mean of the middle two if their number is even, NaN if there are no values.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        Some(upper) if values.len().is_multiple_of(2) => f64::midpoint(values[middle - 1], *upper),
        Some(middle) => *middle,
        None => f64::NAN,
    }
}

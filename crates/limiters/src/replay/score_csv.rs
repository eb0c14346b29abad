//! Recomputes a post's score from the published CSV file of its periods.

use std::io::Read;

use serde::{Deserialize, Serialize};

use super::history::InvalidCsvRow;
use super::scores::{mean, to_f64};

/// Required columns of the CSV file. Other columns are ignored.
#[derive(Deserialize)]
struct Day {
    ratings: u64,
    average: f64,
    weight: f64,
    weighted_sum: f64,
}

/// Totals and scores computed from the periods of a post.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ComputedScores {
    /// Average of all ratings; `None` without ratings.
    pub average: Option<f64>,
    /// Number of ratings in all periods.
    pub ratings: u64,
    /// Weighted average; `None` if the total weight is 0.
    pub steady: Option<f64>,
    /// Sum of the weights of all periods. A rating that counts fully has the weight 1.
    pub weight: f64,
}

impl ComputedScores {
    /// Reads a CSV file with the columns `ratings`, `average`, `weight` and `weighted_sum`. Other columns are ignored.
    ///
    /// # Errors
    /// The error contains the line number of the first invalid row.
    pub fn read_csv(csv: impl Read) -> Result<Self, InvalidCsvRow> {
        let mut reader = csv::Reader::from_reader(csv);
        let (mut stars, mut weighted, mut sums) = (0.0, 0.0, Self::default());
        for (row, line) in reader.deserialize().zip(2..) {
            let invalid = |problem: String| InvalidCsvRow { line, problem };
            let day: Day = row.map_err(|error| invalid(format!("invalid period of a score: {error}")))?;
            let numbers = [day.average, day.weight, day.weighted_sum];
            if numbers.iter().any(|number| !number.is_finite() || *number < 0.0) || day.average > 5.0 {
                return Err(invalid("a number is negative or not finite, or the average is above 5".to_owned()));
            }
            stars += day.average * to_f64(day.ratings);
            sums.ratings = sums.ratings.saturating_add(day.ratings);
            weighted += day.weighted_sum;
            sums.weight += day.weight;
        }
        sums.average = mean(stars, sums.ratings);
        sums.steady = (sums.weight > 1e-9).then(|| weighted / sums.weight);
        Ok(sums)
    }

    /// Formats the scores in two lines for a terminal.
    pub fn format_summary(&self) -> String {
        let score = |score: Option<f64>| score.map_or_else(|| "none".to_owned(), |score| format!("{score:.4}"));
        format!(
            "average {} of {} ratings\nsteady  {} with a total weight of {:.2} ratings\n",
            score(self.average),
            self.ratings,
            score(self.steady),
            self.weight
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_added_up() {
        let csv = "day,ratings,average,weight,weighted_sum,other,reason,because\n\
            2026-01-02,2,4.0,2.0,8.0,0,,\n2026-01-03,50,1.0,0.0,0.0,50,odd,\n2026-01-04,1,5.0,1.0,5.0,0,,\n";
        let sums = ComputedScores::read_csv(csv.as_bytes()).unwrap();
        assert_eq!((sums.ratings, sums.weight, sums.steady), (53, 3.0, Some(13.0 / 3.0)));
        assert_eq!(
            sums.format_summary(),
            "average 1.1887 of 53 ratings\nsteady  4.3333 with a total weight of 3.00 ratings\n"
        );
        let none = ComputedScores::read_csv("day,ratings,average,weight,weighted_sum\n".as_bytes()).unwrap();
        assert_eq!(none, ComputedScores::default());
    }

    #[test]
    fn invalid_row_is_reported_with_its_line() {
        let error = |csv: &str| ComputedScores::read_csv(csv.as_bytes()).unwrap_err().to_string();
        assert!(
            error("day,ratings,average,weight,weighted_sum\n2026-01-02,many,4,2,8\n")
                .starts_with("line 2: invalid period")
        );
        assert!(error("day,ratings,average,weight,weighted_sum\n2026-01-02,1,NaN,1,1\n").starts_with("line 2: "));
        assert!(error("day,ratings\n2026-01-02,2\n").starts_with("line 2: invalid period"));
    }
}

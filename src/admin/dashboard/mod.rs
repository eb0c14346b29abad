//! Dashboard of the admin area: site statistics, pending work, and links to the admin pages.

pub mod first_steps;
pub mod hourly_stats;
pub mod overview;
mod traffic;

use std::cmp::Ordering;

use actix_web::web;
use askama::Template;
use chrono::Timelike as _;
use schemars::JsonSchema;
use serde::Serialize;

use self::first_steps::FirstStep;
use self::overview::{Overview, PendingCounts};
use super::navigation::{AdminLink, link_groups, open_items, open_items_path};
use super::urls;
use crate::admin::dashboard::hourly_stats::{HOURS_SHOWN, HourStats};
use crate::chart::{BarChart, Column, Tick};
use crate::i18n::{Phrase, filters, format_size};
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::current_user::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::view::PageResponse;
use crate::web::routing::route::Route;
use crate::{page, phrase};

/// Width of an hour in the charts, in percent.
const HOUR_WIDTH: f64 = 100.0 / HOURS_SHOWN as f64;

#[derive(Debug, JsonSchema, Serialize)]
pub struct Dashboard {
    #[serde(flatten)]
    overview: Overview,
    /// Admin pages that the user may open.
    links: Vec<AdminLink>,
}

#[derive(Template)]
#[template(path = "admin/front.html")]
pub struct DashboardPage {
    layout: Layout,
    data: Dashboard,
    first_steps: Vec<FirstStep>,
}

page!(DashboardPage, data: Dashboard);

impl DashboardPage {
    fn waiting(&self) -> Vec<(Phrase, &'static str)> {
        let PendingCounts { reports, posts, mails, links, pauses, webhooks } = self.data.overview.waiting;
        let all = [
            (reports, phrase!("dashboard-reports", count = reports), urls::REPORT_CASES),
            (posts, phrase!("dashboard-submitted-posts", count = posts), urls::POSTS),
            (mails, phrase!("dashboard-failed-emails", count = mails), urls::MAILS),
            (links, phrase!("dashboard-flagged-links", count = links), urls::FLAGGED_LINKS),
            (pauses, phrase!("dashboard-pauses", count = pauses), urls::ZOMBIE_PAUSES),
            (webhooks, phrase!("dashboard-failing-webhooks", count = webhooks), urls::WEBHOOKS),
        ];
        let there = all.into_iter().filter(|(count, _, route)| *count > 0 && self.may(route));
        there.map(|(_, words, route)| (words, open_items_path(route.pattern))).collect()
    }

    fn may(&self, route: &Route) -> bool {
        route.role.is_none_or(|role| self.layout.user.as_ref().is_some_and(|user| user.has_role(role)))
    }

    fn charts(&self) -> Vec<(Phrase, BarChart)> {
        let chart = |title, class, count: fn(&HourStats) -> i64| Some((title, self.chart(class, count)?));
        let charts = [
            chart(phrase!("dashboard-visits-by-hour"), "new", |hour| hour.visitors),
            chart(phrase!("dashboard-ratings-by-hour"), "new", |hour| hour.ratings),
            chart(phrase!("dashboard-blocked-by-hour"), "refused", |hour| hour.refused),
        ];
        charts.into_iter().flatten().collect()
    }

    fn chart(&self, class: &'static str, count: fn(&HourStats) -> i64) -> Option<BarChart> {
        let locale = self.layout.locale;
        let hours = (0..HOURS_SHOWN).zip(&self.data.overview.hours);
        let column = |(index, hour): (i32, &HourStats)| Column {
            x: HOUR_WIDTH * f64::from(index),
            width: HOUR_WIDTH,
            counts: vec![(class, count(hour))],
            text: self.describe_hour(hour),
            is_open: index == HOURS_SHOWN - 1,
        };
        BarChart::new(hours.map(column).collect(), locale)
    }

    fn ticks(&self) -> Vec<Tick> {
        let hours = (0..HOURS_SHOWN).zip(&self.data.overview.hours).rev().step_by(4);
        let tick = |(index, hour): (i32, &HourStats)| Tick {
            x: HOUR_WIDTH * (f64::from(index) + 0.5),
            text: self.time(hour),
            is_minor: false,
        };
        hours.map(tick).collect()
    }

    fn describe_hour(&self, hour: &HourStats) -> String {
        let phrase = phrase!(
            "dashboard-hour",
            time = self.hour(hour),
            visits = hour.visitors,
            ratings = hour.ratings,
            refused = hour.refused,
        );
        phrase.translate_to_text(self.layout.locale).into_owned()
    }

    fn time(&self, hour: &HourStats) -> String {
        let local = self.layout.locale.zone.to_local(hour.from);
        self.layout.locale.format_time(local.hour(), local.minute())
    }

    /// Label, total and change of each statistic.
    fn tiles(&self) -> Vec<(Phrase, i64, Phrase)> {
        let (now, before) = (self.total(), &self.data.overview.previous_day);
        [
            (phrase!("column-visits"), now.visitors, before.visitors),
            (phrase!("column-page-views"), now.pages, before.pages),
            (phrase!("column-ratings-and-changes"), now.ratings, before.ratings),
            (phrase!("column-refused"), now.refused, before.refused),
            (phrase!("column-rate-limited"), now.limited, before.limited),
            (phrase!("column-errors"), now.failures, before.failures),
        ]
        .map(|(label, now, before)| (label, now, describe_change(now, before)))
        .into()
    }

    fn total(&self) -> HourStats {
        let hours = &self.data.overview.hours;
        let sum = |of: fn(&HourStats) -> i64| hours.iter().map(of).sum();
        HourStats {
            from: hours.first().map(|hour| hour.from).unwrap_or_default(),
            visitors: sum(|hour| hour.visitors),
            pages: sum(|hour| hour.pages),
            ratings: sum(|hour| hour.ratings),
            refused: sum(|hour| hour.refused),
            limited: sum(|hour| hour.limited),
            failures: sum(|hour| hour.failures),
        }
    }

    fn database_size(&self) -> Phrase {
        format_size(self.data.overview.database_size)
    }

    fn disk_free(&self) -> Option<Phrase> {
        self.data.overview.disk_free.map(format_size)
    }

    fn hour(&self, hour: &HourStats) -> Phrase {
        let local = self.layout.locale.zone.to_local(hour.from);
        // Shows minutes, because hours of UTC do not begin at minute 0 in some time zones.
        let text = self.layout.locale.format_local_time(local.date(), local.hour(), local.minute());
        phrase!("verbatim", text = text)
    }
}

fn describe_change(now: i64, before: i64) -> Phrase {
    let percent = ((now - before).abs() * 100 + before / 2) / before.max(1);
    let percent_text = || phrase!("percent", percent = percent);
    match now.cmp(&before) {
        Ordering::Equal => phrase!("dashboard-unchanged"),
        Ordering::Greater if before == 0 => phrase!("dashboard-none-before"),
        _ if percent == 0 => phrase!("dashboard-almost-unchanged"),
        Ordering::Less => phrase!("dashboard-fewer", percent = percent_text()),
        Ordering::Greater => phrase!("dashboard-more", percent = percent_text()),
    }
}

pub async fn show(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<PageResponse<DashboardPage>, AppError> {
    let overview = Overview::load(&state, &state.all_settings.database.data_dir).await?;
    let layout = Layout { link_counts: open_items(overview.waiting), ..layout };
    let links = link_groups(&user, &layout.link_counts).into_iter().flat_map(|group| group.links).collect();
    let first_steps = first_steps::first_steps(&mut *state.pool.acquire().await?, &state, &user).await?;
    Ok(PageResponse::new(DashboardPage { layout, first_steps, data: Dashboard { overview, links } }))
}

//! Dashboard of the admin area: site statistics, pending work, and links to the admin pages.

mod chart;
pub mod hours;
pub mod overview;

use std::path::PathBuf;

use actix_web::web;
use askama::Template;
use chrono::Timelike as _;
use serde::Serialize;

use self::chart::Chart;
use self::hours::Hour;
use self::overview::{Glance, Waiting};
use super::urls;
use crate::i18n::{Phrase, filters};
use crate::page;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::request::visitor::CurrentUser;
use crate::web::response::layout::Layout;
use crate::web::response::text::size;
use crate::web::response::view::View;
use crate::web::routing::route::Route;
use crate::web::state::AppState;

#[derive(Debug, Serialize)]
pub struct DashboardLink {
    path: &'static str,
    #[serde(skip)]
    title: Phrase,
    #[serde(skip)]
    what: Phrase,
}

/// Data directory whose free disk space the dashboard shows.
#[derive(Clone, Debug)]
pub struct DataFolder(pub PathBuf);

#[derive(Debug, Serialize)]
pub struct Front {
    #[serde(flatten)]
    glance: Glance,
    places: Vec<DashboardLink>,
}

#[derive(Template)]
#[template(path = "admin/front.html")]
pub struct FrontPage {
    layout: Layout,
    data: Front,
}

page!(FrontPage, data: Front);

fn places(user: &CurrentUser) -> Vec<DashboardLink> {
    let invitations = crate::users::urls::INVITATIONS;
    let all: [(Route, Phrase, Phrase); 13] = [
        (urls::REPORTS, phrase!("cases-title"), phrase!("cases-what")),
        (urls::LIMITER, phrase!("admin-limiter"), phrase!("admin-limiter-what")),
        (urls::POSTS, phrase!("posts-title"), phrase!("posts-what")),
        (urls::RATINGS, phrase!("ratings-title"), phrase!("ratings-what")),
        (urls::TAGS, phrase!("tags-title"), phrase!("tags-what")),
        (urls::WARNINGS, phrase!("warnings-title"), phrase!("warnings-what")),
        (urls::USERS, phrase!("users-title"), phrase!("users-what")),
        (invitations, phrase!("invitations-title"), phrase!("admin-invitations")),
        (urls::PAUSES, phrase!("pauses-title"), phrase!("pauses-what")),
        (urls::SESSIONS, phrase!("signed-in-title"), phrase!("signed-in-what")),
        (urls::STATES, phrase!("states-title"), phrase!("states-what")),
        (urls::MAILS, phrase!("mails-title"), phrase!("mails-what")),
        (urls::LOG, phrase!("log-title"), phrase!("log-what")),
    ];
    let may = all.into_iter().filter(|(address, ..)| address.role.is_none_or(|role| user.is(role)));
    may.map(|(address, title, what)| DashboardLink { path: address.pattern, title, what }).collect()
}

impl FrontPage {
    /// Pending work that the user's role permits: message and path of its list.
    fn waiting(&self) -> Vec<(Phrase, &'static str)> {
        let Waiting { reports, mails, links, pauses } = self.data.glance.waiting;
        let all = [
            (reports, phrase!("glance-reports", count = reports), urls::REPORTS),
            (mails, phrase!("glance-mails", count = mails), urls::MAILS),
            (links, phrase!("glance-links", count = links), urls::WARNINGS),
            (pauses, phrase!("glance-pauses", count = pauses), urls::PAUSES),
        ];
        let there = all.into_iter().filter(|(count, _, address)| *count > 0 && self.may(address));
        there.map(|(_, words, address)| (words, address.pattern)).collect()
    }

    fn may(&self, address: &Route) -> bool {
        address.role.is_none_or(|role| self.layout.user.as_ref().is_some_and(|user| user.is(role)))
    }

    fn visitors(&self) -> Vec<Chart> {
        chart::both(&self.data.glance.hours, |hour| vec![("new", hour.visitors)], self.layout.locale)
    }

    fn ratings(&self) -> Vec<Chart> {
        let parts: chart::Parts = |hour| vec![("new", hour.ratings), ("refused", hour.refused)];
        chart::both(&self.data.glance.hours, parts, self.layout.locale)
    }

    /// Sum of all hours in the charts.
    fn total(&self) -> Hour {
        let hours = &self.data.glance.hours;
        let sum = |of: fn(&Hour) -> i64| hours.iter().map(of).sum();
        Hour {
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
        size(self.data.glance.database_size)
    }

    fn disk_free(&self) -> Option<Phrase> {
        self.data.glance.disk_free.map(size)
    }

    fn hour(&self, hour: &Hour) -> Phrase {
        let local = self.layout.locale.zone.local(hour.from);
        phrase!("verbatim", text = self.layout.locale.hour(local.date(), local.hour()))
    }
}

pub async fn show(
    user: CurrentUser,
    layout: Layout,
    state: web::Data<AppState>,
    data: web::Data<DataFolder>,
) -> Result<View<FrontPage>, AppError> {
    let glance = Glance::of(&state, &data.0).await?;
    Ok(View::new(FrontPage { layout, data: Front { glance, places: places(&user) } }))
}

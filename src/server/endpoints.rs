//! Route table and endpoint registration of all apps.

use actix_web::web::ServiceConfig;

use super::{health, urls};
use crate::web::routing::endpoint::{Endpoint, register};
use crate::web::routing::route::RouteTable;
use crate::web::routing::static_files;
use crate::{admin, blog_posts, images, personal_data, rate, rate_classes, reports, safe_browsing, users};

/// All endpoints that use sessions. The order matters: the first pattern that matches a path wins, and a slug or
/// username segment matches anything.
fn pages() -> Vec<Endpoint> {
    let apps = [
        users::endpoints::endpoints,
        personal_data::endpoints::endpoints,
        rate::endpoints::endpoints,
        // Before the posts, whose route `/blogs/{id}/{slug}/` also matches `/blogs/{id}/report/`.
        reports::endpoints::endpoints,
        blog_posts::endpoints::endpoints,
        rate_classes::endpoints::endpoints,
        safe_browsing::endpoints::endpoints,
        images::endpoints::endpoints,
        admin::endpoints::endpoints,
    ];
    apps.into_iter().flat_map(|endpoints| endpoints()).collect()
}

/// Endpoints that need no database and work as soon as the process runs.
fn alive() -> Vec<Endpoint> {
    let mut alive = static_files::endpoints();
    alive.push(Endpoint::at(urls::HEALTHZ).get(health::alive));
    alive
}

fn outside() -> Vec<Endpoint> {
    let mut outside = alive();
    outside.extend(images::endpoints::files());
    outside.push(Endpoint::at(urls::READYZ).get(health::ready));
    outside
}

/// Declares the route table once per process. Usernames and slugs are also checked against it.
#[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
pub fn declare() -> &'static RouteTable {
    RouteTable::declare(|| RouteTable::new(outside().into_iter().chain(pages()).map(Endpoint::address)))
}

pub fn configure_pages(config: &mut ServiceConfig) {
    register(config, pages());
}

/// Registers the endpoints without sessions: static files, images and health checks.
pub fn configure_outside(config: &mut ServiceConfig) {
    register(config, outside());
}

pub fn configure_while_starting(config: &mut ServiceConfig) {
    register(config, alive());
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;

    use super::*;
    use crate::web::routing::route::Class;

    #[test]
    fn every_act_has_its_class_and_is_looked_at_by_browsing() {
        for address in declare().iter() {
            for method in &address.methods {
                // A preview changes nothing; it uses POST because its text is too long for a URL.
                let is_preview = address.pattern == blog_posts::urls::PREVIEW.pattern;
                let reading = [Method::GET, Method::HEAD].contains(method) || is_preview;
                assert_eq!(address.class_of(method) == Class::Browse, reading, "{method} {}", address.pattern);
            }
        }
        assert_eq!(
            declare().members(Class::Rate).join(", "),
            "POST /rate/, POST /rate/edit_user_rating/{id}/, PUT /rate/edit_user_rating/{id}/"
        );
    }

    #[test]
    fn pages_are_no_names_and_no_slugs() {
        let table = declare();
        assert!(["edit", "delete", "ratings"].iter().all(|word| table.is_taken(blog_posts::urls::POST.pattern, word)));
        assert!(["me", "login", "register"].iter().all(|word| table.is_taken(users::urls::USERS, word)));
        assert_eq!(blog_posts::slug("Edit!"), "edit-post");
        assert!(crate::web::request::field::Field::from_text("LOGIN").map(|_: users::Username| ()).is_err());
    }
}

//! Route table and endpoint registration of all apps.

use actix_web::web::ServiceConfig;

use super::{health, urls};
use crate::web::routing::endpoint::{Endpoint, register, register_by_first_segment};
use crate::web::routing::route::RouteTable;
use crate::web::routing::static_files;
use crate::{admin, api, blog_posts, images, personal_data, rate, rate_classes, reports, safe_browsing, users};

/// Endpoints in matching order: the first matching pattern wins, and a slug or username segment matches any text.
fn session_endpoints() -> Vec<Endpoint> {
    let apps = [
        users::endpoints::endpoints,
        api::endpoints::endpoints,
        personal_data::endpoints::endpoints,
        rate::endpoints::endpoints,
        // Reports precede posts, whose route `/blogs/{id}/{slug}/` also matches `/blogs/{id}/report/`.
        reports::endpoints::endpoints,
        blog_posts::endpoints::endpoints,
        rate_classes::endpoints::endpoints,
        safe_browsing::endpoints::endpoints,
        images::endpoints::endpoints,
        admin::endpoints::endpoints,
    ];
    apps.into_iter().flat_map(|endpoints| endpoints()).collect()
}

/// Endpoints that need no database.
fn startup_endpoints() -> Vec<Endpoint> {
    let mut alive = static_files::endpoints();
    alive.push(Endpoint::new(urls::HEALTHZ).get("Check the process", health::healthz));
    alive
}

fn sessionless_endpoints() -> Vec<Endpoint> {
    let mut outside = startup_endpoints();
    outside.extend(images::endpoints::file_endpoints());
    outside.push(Endpoint::new(urls::READYZ).get("Check whether the site is ready", health::readyz));
    outside
}

/// Initializes the global route table, whose path segments are reserved: no username or slug may equal them.
#[expect(clippy::must_use_candidate, reason = "it is called for what it does")]
pub fn declare_routes() -> &'static RouteTable {
    RouteTable::init(|| {
        RouteTable::new(sessionless_endpoints().into_iter().chain(session_endpoints()).map(Endpoint::into_route))
    })
}

pub fn configure_session_endpoints(config: &mut ServiceConfig) {
    register_by_first_segment(config, session_endpoints());
}

pub fn configure_sessionless_endpoints(config: &mut ServiceConfig) {
    register(config, sessionless_endpoints());
}

pub fn configure_startup_endpoints(config: &mut ServiceConfig) {
    register(config, startup_endpoints());
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;

    use super::*;
    use crate::access::RequestClass;
    use crate::web::routing::route::Route;

    #[test]
    fn every_route_has_expected_rate_class() {
        for route in declare_routes().iter() {
            for method in &route.methods {
                let reading = [Method::GET, Method::HEAD].contains(method);
                assert_eq!(route.rate_class_of(method) == RequestClass::Browse, reading, "{method} {}", route.pattern);
            }
        }
        let is_rating = |route: &&Route| route.unsafe_class == RequestClass::Rate;
        let rating: Vec<&str> = declare_routes().iter().filter(is_rating).map(|route| route.pattern).collect();
        assert_eq!(rating, ["/rate/", "/rate/edit_user_rating/{id}/", "/rate/withdraw/{id}/"]);
    }

    #[test]
    fn route_segments_are_reserved() {
        let table = declare_routes();
        assert!(
            ["edit", "delete", "ratings"]
                .iter()
                .all(|word| table.is_reserved(blog_posts::urls::POST_BY_ID.pattern, word))
        );
        assert!(["me", "login", "register"].iter().all(|word| table.is_reserved(users::urls::USERS_PREFIX, word)));
        assert_eq!(blog_posts::slug("Edit!"), "edit-post");
        assert!(crate::web::request::form_field::Field::from_text("LOGIN").map(|_: users::Username| ()).is_err());
    }
}

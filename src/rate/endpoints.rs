//! Endpoints of the rating URLs: the view for each HTTP method.

use schemars::json_schema;

use super::moderation::moderate;
use super::zombie_pauses::{list_paused_posts, unpause};
use super::{change_rating, history, own_ratings, rate_post, rating_stats, urls, withdraw_rating};
use crate::blog_posts::models::post_ids_parameter;
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::{LINK_ERRORS, QueryParameter};

#[expect(clippy::too_many_lines, reason = "a table is read row by row")]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::CREATE_RATING).post("Rate a post", rate_post::create).errors(&[
            "not_signed_in",
            "not_found",
            "own_post",
            "ratings_closed",
            "not_eligible",
            "already_rated",
            "post_rate_limited",
            "paused",
        ]),
        Endpoint::new(urls::RATING_STATS_OF_POSTS)
            .get("List rating statistics", rating_stats::list_rating_stats)
            .note("Posts that are not published are left out.")
            .query([post_ids_parameter().required()]),
        Endpoint::new(urls::RATING_STATS).get("Read rating statistics", rating_stats::show_rating_stats),
        Endpoint::new(urls::USER_RATING)
            .get("Read your rating of a post", own_ratings::show_own_rating)
            .errors(&["not_rated"]),
        Endpoint::new(urls::EDIT_RATING)
            .post("Change a rating", change_rating::change)
            .note("The field `blog` can be omitted; otherwise, it must be the id in the path.")
            .errors(&["not_signed_in", "not_rated", "own_post", "ratings_closed", "edit_limited", "post_rate_limited"])
            .put("Replace a rating", change_rating::change)
            .note("The field `blog` can be omitted; otherwise, it must be the id in the path.")
            .errors(&["not_signed_in", "not_rated", "own_post", "ratings_closed", "edit_limited", "post_rate_limited"]),
        Endpoint::new(urls::WITHDRAW_RATING)
            .post("Withdraw a rating", withdraw_rating::withdraw)
            .note("Returns the removed rating.")
            .errors(&["not_rated", "edit_limited", "post_rate_limited"]),
        Endpoint::new(urls::RATING_HISTORY)
            .get("Read the rating history", history::history)
            .note("New, changed and refused ratings over time, the average, and the periods of the score.")
            .query([
                QueryParameter::new(
                    "days",
                    "Number of days up to today, or `all`",
                    json_schema!({
                        "anyOf": [{ "type": "integer", "minimum": 1, "maximum": history::MAX_DAYS }, { "const": "all" }]
                    }),
                ),
                QueryParameter::id("before", "Lists only moderation decisions with smaller ids"),
                QueryParameter::choice("format", "Format of the response", &["json", "csv"]),
                QueryParameter::choice(
                    "of",
                    "Content of a CSV file: `days` for the score, `periods` for the numbers of ratings",
                    &["days", "periods"],
                ),
            ])
            .file("text/csv"),
        Endpoint::new(urls::EXCLUDE_RATINGS)
            .get("Preview excluding ratings", moderate::moderation_form)
            .errors(&["staff_only"])
            .query(days())
            .post("Exclude ratings", moderate::decide)
            .errors(&["staff_only"]),
        Endpoint::new(urls::RESTORE_RATINGS)
            .get("Preview restoring ratings", moderate::moderation_form)
            .errors(&["staff_only"])
            .query(days())
            .post("Restore ratings", moderate::decide)
            .errors(&["staff_only"]),
        Endpoint::new(urls::OWN_RATINGS)
            .get("List your ratings", own_ratings::list_own_ratings)
            .query([QueryParameter::cursor()]),
        Endpoint::new(urls::PAUSED_POSTS)
            .get("List posts that you cannot rate", list_paused_posts::list)
            .note("Posts whose ratings by the user are paused after thousands of failed attempts."),
        Endpoint::new(urls::UNPAUSE)
            .get("Read an unpause link", unpause::unpause_form)
            .errors(&["link_of_another"])
            .errors(LINK_ERRORS)
            .query([QueryParameter::text("token", "Token of the link in `unpause_url`").required()])
            .post("End all pauses", unpause::unpause)
            .note("Returns the number of pauses. Needs no session, because the token authorizes the request.")
            .errors(&["link_of_another"])
            .errors(LINK_ERRORS)
            .query([QueryParameter::text("token", "Token of the link in `unpause_url`").required()]),
    ]
}

fn days() -> [QueryParameter; 2] {
    [
        QueryParameter::date("from", "First day, in UTC"),
        QueryParameter::date("to", "Last day; the same as the first without it"),
    ]
}

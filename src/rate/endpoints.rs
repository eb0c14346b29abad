//! Endpoints of the rating URLs: the view for each HTTP method.

use schemars::json_schema;

use super::moderation::views as moderation;
use super::zombie_pauses::views as pauses;
use super::{history, urls, views};
use crate::blog_posts::models::post_ids_parameter;
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::{LINK_ERRORS, QueryParameter};

#[expect(clippy::too_many_lines, reason = "a table is read row by row")]
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::CREATE_RATING).post("Rate a post", views::create).errors(&[
            "not_signed_in",
            "not_found",
            "own_post",
            "not_eligible",
            "already_rated",
            "post_rate_limited",
            "paused",
        ]),
        Endpoint::new(urls::RATING_STATS_OF_POSTS)
            .get("List rating statistics", views::list_rating_stats)
            .note("Posts that are not published are left out.")
            .query([post_ids_parameter().required()]),
        Endpoint::new(urls::RATING_STATS).get("Read rating statistics", views::show_rating_stats),
        Endpoint::new(urls::USER_RATING)
            .get("Read your rating of a post", views::show_own_rating)
            .errors(&["not_rated"]),
        Endpoint::new(urls::EDIT_RATING)
            .post("Change a rating", views::change)
            .note("The field `blog` can be omitted; otherwise, it must be the id in the path.")
            .errors(&["not_signed_in", "not_rated", "own_post", "edit_limited", "post_rate_limited"])
            .put("Replace a rating", views::change)
            .note("The field `blog` can be omitted; otherwise, it must be the id in the path.")
            .errors(&["not_signed_in", "not_rated", "own_post", "edit_limited", "post_rate_limited"]),
        Endpoint::new(urls::WITHDRAW_RATING)
            .post("Withdraw a rating", views::withdraw)
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
            .get("Preview excluding ratings", moderation::moderation_form)
            .errors(&["staff_only"])
            .query([
                QueryParameter::date("from", "First day, in UTC"),
                QueryParameter::date("to", "Last day; the same as the first without it"),
            ])
            .post("Exclude ratings", moderation::decide)
            .errors(&["staff_only"]),
        Endpoint::new(urls::RESTORE_RATINGS)
            .get("Preview restoring ratings", moderation::moderation_form)
            .errors(&["staff_only"])
            .query([
                QueryParameter::date("from", "First day, in UTC"),
                QueryParameter::date("to", "Last day; the same as the first without it"),
            ])
            .post("Restore ratings", moderation::decide)
            .errors(&["staff_only"]),
        Endpoint::new(urls::OWN_RATINGS)
            .get("List your ratings", views::list_own_ratings)
            .query([QueryParameter::cursor()]),
        Endpoint::new(urls::PAUSED_POSTS)
            .get("List posts that you cannot rate", pauses::list)
            .note("Posts whose ratings by the user are paused after thousands of failed attempts."),
        Endpoint::new(urls::UNPAUSE)
            .get("Read an unpause link", pauses::unpause_form)
            .errors(&["link_of_another"])
            .errors(LINK_ERRORS)
            .query([QueryParameter::text("token", "Token of the link in `unpause_url`").required()])
            .post("End all pauses", pauses::unpause)
            .note("Returns the number of pauses. Needs no session, because the token authorizes the request.")
            .errors(&["link_of_another"])
            .errors(LINK_ERRORS)
            .query([QueryParameter::text("token", "Token of the link in `unpause_url`").required()]),
    ]
}

//! Endpoints of reports.

use super::{appeal, list, report, show, urls};
use crate::web::routing::endpoint::Endpoint;
use crate::web::routing::operation::QueryParameter;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new(urls::REPORT_POST)
            .get("Read the report form", report::report_form)
            .form()
            .post("Report a post", report::report)
            .note("Needs no account. Returns the case, which contains all reports of the post.")
            .errors(&["already_reported", "enough_reports", "reports_limited"]),
        Endpoint::new(urls::CASE_LIST)
            .get("List your cases", list::list)
            .note("Reports that the user sent, and decisions about posts of the user.")
            .query([QueryParameter::cursor()]),
        // This endpoint must precede `/reports/{id}/`, which also matches its path.
        Endpoint::new(urls::CASE_BY_LINK)
            .get("Read a case by link", show::show_by_link)
            .errors(&["link_invalid", "not_found"])
            .query([QueryParameter::text("token", "Token of the mailed link").required()])
            .post("Appeal by link", appeal::appeal_by_link)
            .errors(&["link_invalid", "not_found", "no_appeal"])
            .query([QueryParameter::text("token", "Token of the mailed link").required()]),
        Endpoint::new(urls::CASE)
            .get("Read a case", show::show)
            .note("Visible to the reporters and, once the case is decided, to the author."),
        Endpoint::new(urls::APPEAL_CASE)
            .post("Appeal against a decision", appeal::appeal)
            .note("Within 183 days after the decision; each side, the author and the reporters, can appeal once.")
            .errors(&["no_appeal"]),
    ]
}

//! Signed links that give anonymous visitors, who have no account, access to their reports.

use super::cases::CaseId;
use super::urls;
use crate::signing::Keys;
use crate::text::encode_query_value;

const PURPOSE: &str = "report";

pub fn signed_path(keys: &Keys, case: CaseId, report: i64) -> String {
    format!("{}?token={}", urls::CASE_BY_LINK.pattern, encode_query_value(&keys.sign(PURPOSE, &claims(case, report))))
}

fn claims(CaseId(case): CaseId, report: i64) -> Vec<u8> {
    [case.to_be_bytes(), report.to_be_bytes()].concat()
}

/// Returns the ids of the case and of the report if the signature of `token` is valid.
pub fn verify_token(keys: &Keys, token: &str) -> Option<(CaseId, i64)> {
    let bytes = keys.verify(PURPOSE, token)?;
    let (case, report) = bytes.split_first_chunk::<8>()?;
    Some((CaseId(i64::from_be_bytes(*case)), i64::from_be_bytes(report.try_into().ok()?)))
}

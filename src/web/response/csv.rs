//! CSV export of lists.

use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LINK};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::Value;

use super::view::with_cache_headers;
use crate::web::error::AppError;

/// Serializes rows as CSV. The first line contains the field names of the rows, or `header` if there are no rows.
pub fn to_csv<R: Serialize>(header: &[&str], rows: impl IntoIterator<Item = R>) -> Result<String, AppError> {
    let failed = |error: csv::Error| AppError::Internal(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut is_empty = true;
    for row in rows {
        writer.serialize(row).map_err(failed)?;
        is_empty = false;
    }
    if is_empty && !header.is_empty() {
        writer.write_record(header).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| AppError::Internal(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Serializes rows as CSV with the JSON fields named in `header` as columns. Text is escaped with [`escape_formula`].
pub fn fields_to_csv<R: Serialize>(header: &[&str], rows: &[R]) -> Result<String, AppError> {
    let failed = |error: &dyn std::fmt::Display| AppError::Internal(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).map_err(|error| failed(&error))?;
    for row in rows {
        let row = serde_json::to_value(row).map_err(|error| failed(&error))?;
        writer.write_record(header.iter().map(|name| cell(&row[*name]))).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escape_formula(text),
        other => other.to_string(),
    }
}

/// Escapes user input against CSV injection, so that spreadsheets do not evaluate it as a formula.
pub fn escape_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

/// `link` is the value of the `Link` header for pagination.
pub fn csv_attachment(request: &HttpRequest, name: &str, csv: &str, link: Option<String>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"));
    response.insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")));
    if let Some(link) = link {
        response.insert_header((LINK, link));
    }
    // Spreadsheet programs recognize UTF-8 by the byte order mark.
    with_cache_headers(request, &mut response, format!("\u{feff}{csv}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: String,
        count: i64,
    }

    #[test]
    fn writes_a_header_and_escapes_formulas() {
        let row = |name: &str| Row { name: escape_formula(name), count: -1 };
        assert_eq!(to_csv(&["name"], [row("=1+1"), row("a, b")]).unwrap(), "name,count\n'=1+1,-1\n\"a, b\",-1\n");
        assert_eq!(to_csv::<Row>(&["name", "count"], []).unwrap(), "name,count\n");
    }
}

//! Rewriting of JSON schemas derived from Rust types: descriptions, choices and patterns.

use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Value, json};

/// Descriptions of fields that mean the same in every object, for fields without a description of their own.
const COMMON_FIELDS: [(&str, &str); 33] = [
    ("added_at", "Time at which it was added"),
    ("alt", "Description of the image"),
    ("average_rating", "Average of all ratings, in stars"),
    ("blog", "Id of the post"),
    ("code", "Code of the authenticator app, or a recovery code; only with two-factor authentication"),
    ("content_html", "Text in HTML"),
    ("created_at", "Time of creation"),
    ("current_password", "Password of the user"),
    ("delete_at", "Time at which the account will be deleted"),
    ("device", "Browser and operating system"),
    ("display_name", "Name that is shown in place of the username"),
    ("email", "Email address"),
    ("email_confirmed", "Whether the user has confirmed the email address"),
    ("events", "Names of the events that are sent"),
    ("id", "Identifier"),
    ("link", "URL"),
    ("name", "Name"),
    ("network", "IP address, or network of an IPv6 address"),
    ("params", "Parameters of the limiter by name"),
    ("previous", "Path of the previous page; `null` on the first page"),
    ("publish_at", "Time at which the draft will be published"),
    ("rating", "Number of stars"),
    ("rating_count", "Number of ratings"),
    ("reason", "Reason, which the people concerned can read"),
    ("results", "Items"),
    ("seen", "State that the client has read; the request is rejected with 409 if it has changed"),
    ("slug", "Part of the URL that is made from the title"),
    ("tags", "Tags"),
    ("time_zone", "Time zone in which the pages show times, such as `Europe/Berlin`"),
    ("title", "Title of the post"),
    ("total_ratings", "Number of ratings"),
    ("updated_at", "Time of the latest change"),
    ("username", "Username"),
];

pub fn describe_common_fields(schema: &mut Schema) {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    for (name, field) in fields {
        let common = COMMON_FIELDS.iter().find(|(common, _)| common == name);
        if let (Some((_, description)), Value::Object(field)) = (common, field)
            && !field.contains_key("$ref")
        {
            field.entry("description").or_insert_with(|| (*description).into());
        }
    }
}

/// Rewrites a doc comment for programs: `None` is `null` in JSON, and links to Rust items become plain names.
pub fn rewrite_description(schema: &mut Schema) {
    let Some(Value::String(description)) = schema.get_mut("description") else { return };
    let text = description.replace('\n', " ").replace("[`", "`").replace("`]", "`");
    let parts = text.split('`').enumerate().map(|(index, part)| match (index % 2, part.rsplit_once("::")) {
        (1, _) if part == "None" => "null".to_owned(),
        (1, Some((_, item))) => to_snake_case(item),
        _ => part.to_owned(),
    });
    *description = parts.collect::<Vec<_>>().join("`");
}

/// Writes the name of a Rust item as in JSON: `HeldBack` becomes `held_back`.
fn to_snake_case(name: &str) -> String {
    let letters = name.chars().enumerate().flat_map(|(index, c)| {
        let separator = (index > 0 && c.is_ascii_uppercase()).then_some('_');
        separator.into_iter().chain(c.to_lowercase())
    });
    letters.collect()
}

/// Merges a `oneOf` of constant texts into one `enum`, and their descriptions into one description.
pub fn merge_choices(schema: &mut Schema) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else { return };
    let texts = choices.iter().map(|choice| match (&choice["enum"], &choice["const"]) {
        (Value::Array(texts), _) => Some(texts.clone()),
        (_, Value::String(text)) => Some(vec![text.clone().into()]),
        _ => None,
    });
    let Some(texts) = texts.collect::<Option<Vec<_>>>() else { return };
    let remark = |choice: &Value| Some(format!("`{}`: {}", choice["const"].as_str()?, choice["description"].as_str()?));
    let remarks: Vec<String> = choices.iter().filter_map(remark).collect();
    let description = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let description: Vec<String> = description.into_iter().chain(remarks).collect();
    schema.remove("oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), texts.concat().into());
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.join(" ").into());
    }
}

/// Adds a pattern to schemas of texts that forbids null characters, which `PostgreSQL` cannot store.
pub fn forbid_null_characters(schema: &mut Schema) {
    let is_text = schema.get("type").is_some_and(|kind| *kind == "string" || *kind == json!(["string", "null"]));
    let is_free = ["anyOf", "const", "enum", "format", "pattern"].iter().all(|key| schema.get(*key).is_none())
        && schema.get("maxLength").is_none_or(|length| *length != 0);
    if is_text && is_free {
        schema.insert("pattern".to_owned(), "^[^\\x00]*$".into());
        if schema.get("examples").is_none() {
            schema.insert("examples".to_owned(), json!(["text"]));
        }
    }
    transform_subschemas(&mut forbid_null_characters, schema);
}

#[cfg(test)]
mod tests {
    use schemars::json_schema;

    use super::*;

    #[test]
    fn descriptions_name_values_as_in_json() {
        let mut schema = json_schema!({ "description": "Held back; see\n[`PeriodStatus::HeldBack`]. `None` if not." });
        rewrite_description(&mut schema);
        assert_eq!(schema.get("description"), Some(&json!("Held back; see `held_back`. `null` if not.")));
    }

    #[test]
    fn common_fields_keep_their_own_descriptions() {
        let mut schema = json_schema!({ "properties": {
            "id": { "type": "integer" }, "title": { "description": "Title of the site" }, "other": {}, "blog": { "$ref": "#/x" }
        } });
        describe_common_fields(&mut schema);
        let described = json!({
            "id": { "type": "integer", "description": "Identifier" }, "title": { "description": "Title of the site" },
            "other": {}, "blog": { "$ref": "#/x" }
        });
        assert_eq!(schema.get("properties"), Some(&described));
    }
}

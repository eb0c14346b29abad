//! Front matter of Markdown files: YAML between `---`, TOML between `+++`, or JSON.

use serde_json::{Map, Value};

pub type Fields = Map<String, Value>;

/// Splits a file into front matter and text. `None` if the file has no front matter.
pub fn split(file: &str) -> Result<Option<(Fields, &str)>, String> {
    let file = file.trim_start_matches('\u{feff}');
    let first = file.lines().next().unwrap_or_default().trim_end();
    let (value, text) = match first {
        "---" => {
            let (front, text) = split_at_delimiter(file, &["---", "..."])?;
            (yaml(front).map_err(in_front_matter)?, text)
        }
        "+++" => {
            let (front, text) = split_at_delimiter(file, &["+++"])?;
            (toml(front).map_err(in_front_matter)?, text)
        }
        _ if first.starts_with('{') => json(file).map_err(in_front_matter)?,
        _ => return Ok(None),
    };
    match value {
        Value::Object(fields) => Ok(Some((fields, text))),
        Value::Null => Ok(Some((Map::new(), text))),
        _ => Err("the front matter is not a mapping of names to values".to_owned()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn in_front_matter(problem: String) -> String {
    format!("front matter: {problem}")
}

/// Parses a configuration file in the format of its file extension.
pub fn parse(extension: &str, text: &str) -> Result<Fields, String> {
    let value = match extension {
        "toml" => toml(text)?,
        "json" => json(text)?.0,
        _ => yaml(text)?,
    };
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Fields::new()),
        _ => Err("the file is not a mapping of names to values".to_owned()),
    }
}

/// Returns the text between the first line and the closing delimiter, and the text after the delimiter.
fn split_at_delimiter<'a>(file: &'a str, ends: &[&str]) -> Result<(&'a str, &'a str), String> {
    let begin = file.find('\n').map_or(file.len(), |at| at + 1);
    let mut at = begin;
    for line in file[begin..].split_inclusive('\n') {
        if ends.contains(&line.trim_end()) {
            return Ok((&file[begin..at], &file[at + line.len()..]));
        }
        at += line.len();
    }
    Err(format!("the front matter has no closing line {}", ends[0]))
}

/// Parses YAML. Tabs at the beginning of lines are allowed, as in Hugo.
fn yaml(front: &str) -> Result<Value, String> {
    parse_yaml(front).or_else(|problem| {
        if !front.contains("\n\t") {
            return Err(problem);
        }
        let without_tabs = |line: &str| {
            let text = line.trim_start_matches('\t');
            "  ".repeat(line.len() - text.len()) + text
        };
        parse_yaml(&front.split_inclusive('\n').map(without_tabs).collect::<String>()).map_err(|_| problem)
    })
}

fn parse_yaml(front: &str) -> Result<Value, String> {
    serde_saphyr::from_str::<Option<Value>>(front).map(Option::unwrap_or_default).map_err(|error| {
        match error.without_snippet() {
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), location, .. } => {
                // Adds 1 for the line of the opening delimiter, which the YAML parser does not see.
                format!("duplicate field {key} in line {}", location.line() + 1)
            }
            error => unreadable("YAML", &error.render_with_formatter(&serde_saphyr::UserMessageFormatter)),
        }
    })
}

fn toml(front: &str) -> Result<Value, String> {
    toml::from_str::<toml::Table>(front)
        .map(|table| toml_to_json(toml::Value::Table(table)))
        .map_err(|error| unreadable("TOML", error.message()))
}

fn json(file: &str) -> Result<(Value, &str), String> {
    let mut values = serde_json::Deserializer::from_str(file).into_iter();
    let value = values.next().unwrap_or(Ok(Value::Null)).map_err(|error| unreadable("JSON", &error.to_string()))?;
    Ok((value, file.get(values.byte_offset()..).unwrap_or_default()))
}

/// Error message with the first line of a parser error, because further lines quote the file.
fn unreadable(language: &str, problem: &str) -> String {
    let problem = problem.lines().next().unwrap_or_default();
    format!("not valid {language}: {problem}")
}

/// Converts a TOML value to JSON. Dates become strings.
fn toml_to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(is) => Value::Bool(is),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(values) => values.into_iter().map(toml_to_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(name, value)| (name, toml_to_json(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn split_off(file: &str) -> (Value, &str) {
        let (fields, text) = split(file).unwrap().unwrap();
        (Value::Object(fields), text)
    }

    #[test]
    fn front_matter_is_yaml_toml_or_json() {
        let yaml = "---\ntitle: \"A: b\"\ndate: 2020-01-02 03:04:05 +0100\ntags: [a, b]\ndraft: true\n---\nText\n---\n";
        let fields = json!({ "title": "A: b", "date": "2020-01-02 03:04:05 +0100", "tags": ["a", "b"], "draft": true });
        assert_eq!(split_off(yaml), (fields, "Text\n---\n"));
        let toml = "+++\r\ntitle = \"A\"\r\ndate = 2020-01-02T03:04:05Z\r\n[cover]\r\nimage = \"a.png\"\r\n+++\r\nText";
        let fields = json!({ "title": "A", "date": "2020-01-02T03:04:05Z", "cover": { "image": "a.png" } });
        assert_eq!(split_off(toml), (fields, "Text"));
        assert_eq!(split_off("{\"title\": \"A\"}\n\nText"), (json!({ "title": "A" }), "\n\nText"));
        let tabs = "---\ncategories: [\n\t\"Go\"\n]\n---\n";
        assert_eq!(split_off(tabs), (json!({ "categories": ["Go"] }), ""));
        assert_eq!(split_off("\u{feff}---\n---\nText"), (json!({}), "Text"));
        assert!(split("Text\n---\n").unwrap().is_none() && split("").unwrap().is_none());
    }

    #[test]
    fn invalid_front_matter_is_reported() {
        for (file, expected) in [
            ("---\ntitle: a\ntitle: b\n---\n", "front matter: duplicate field title in line 3"),
            ("---\ntitle: a\n", "the front matter has no closing line ---"),
            ("---\ntitle: [a\n---\n", "front matter: not valid YAML: "),
            ("+++\ntitle = \n+++\n", "front matter: not valid TOML: "),
            ("{\"title\": \n", "front matter: not valid JSON: "),
            ("---\n- a\n---\n", "the front matter is not a mapping of names to values"),
        ] {
            let problem = split(file).unwrap_err();
            assert!(problem.starts_with(expected) && !problem.contains('\n'), "{problem}");
        }
        // YAML aliases that expand exponentially ("billion laughs") must not exhaust the memory.
        let line = |n: usize| format!("a{n}: &a{n} [{0}, {0}, {0}, {0}]\n", format_args!("*a{}", n - 1));
        let bomb = (1..30).map(line).collect::<Vec<_>>().concat();
        assert!(split(&format!("---\na0: &a0 [x, x, x, x]\n{bomb}---\n")).is_err());
    }
}

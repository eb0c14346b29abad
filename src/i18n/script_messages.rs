//! Messages for JavaScript: `scripts.ftl` converted to JSON, so that scripts need no Fluent parser.

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use serde_json::{Map, Value, json};

use super::catalogue::{FALLBACK_LANGUAGE, LocaleFiles};
use super::language::Language;
use super::pseudo_locale;

const FILE: &str = "scripts.ftl";

/// Prefix of message ids. Scripts use the ids without the prefix.
const PREFIX: &str = "script-";

/// Messages for JavaScript by id. A message is a string or a list of parts: strings, `{"value": name}`, and `{"of":
/// name, "forms": {category: message}}`, which selects by the plural category of a number.
pub fn script_messages(language: Language) -> Map<String, Value> {
    let is_pseudo = language.catalogue().is_pseudo;
    let mut words = messages(FALLBACK_LANGUAGE, is_pseudo);
    if !is_pseudo {
        words.extend(messages(language.tag(), false));
    }
    words
}

fn messages(tag: &str, is_pseudo: bool) -> Map<String, Value> {
    let Some(file) = LocaleFiles::get(&format!("{tag}/{FILE}")) else { return Map::new() };
    let text = String::from_utf8_lossy(&file.data);
    let resource = fluent_syntax::parser::parse(text.as_ref()).unwrap_or_else(|(readable, _)| readable);
    let message = |entry: &Entry<&str>| match entry {
        Entry::Message(message) => {
            Some((message.id.name.strip_prefix(PREFIX)?.to_owned(), message_json(message.value.as_ref()?, is_pseudo)))
        }
        _ => None,
    };
    resource.body.iter().filter_map(message).collect()
}

fn message_json(message: &Pattern<&str>, is_pseudo: bool) -> Value {
    match pattern(message, is_pseudo) {
        Value::Array(parts) if is_pseudo => [vec![json!("⟦")], parts, vec![json!("⟧")]].concat().into(),
        Value::String(text) if is_pseudo => pseudo_locale::add_brackets(&text).into(),
        other => other,
    }
}

fn pattern(pattern: &Pattern<&str>, is_pseudo: bool) -> Value {
    let mut parts: Vec<Value> = pattern.elements.iter().map(|element| part(element, is_pseudo)).collect();
    if parts.len() == 1 && parts[0].is_string() { parts.remove(0) } else { parts.into() }
}

fn part(element: &PatternElement<&str>, is_pseudo: bool) -> Value {
    match element {
        PatternElement::TextElement { value } if is_pseudo => pseudo_locale::pseudolocalize(value).into(),
        PatternElement::TextElement { value } => (*value).into(),
        PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
            let form = |key: &VariantKey<&str>| match key {
                VariantKey::Identifier { name } => (*name).to_owned(),
                VariantKey::NumberLiteral { value } => (*value).to_owned(),
            };
            let forms: Map<String, Value> =
                variants.iter().map(|variant| (form(&variant.key), pattern(&variant.value, is_pseudo))).collect();
            json!({ "of": variable_name(selector), "forms": forms })
        }
        PatternElement::Placeable { expression: Expression::Inline(inline) } => match inline {
            InlineExpression::StringLiteral { value } => (*value).into(),
            inline => json!({ "value": variable_name(inline) }),
        },
    }
}

/// Name of the variable. All references in messages for scripts are variables.
fn variable_name<'a>(inline: &InlineExpression<&'a str>) -> &'a str {
    if let InlineExpression::VariableReference { id } = inline { id.name } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_parts() {
        let text = "left = { $count ->\n    [one] One second\n   *[other] { $count } seconds\n } left\n";
        let resource = fluent_syntax::parser::parse(text).unwrap();
        let Entry::Message(message) = &resource.body[0] else { panic!("no message") };
        let expected = json!([{ "of": "count", "forms": { "one": "One second", "other": [{ "value": "count" }, " seconds"] } }, " left"]);
        assert_eq!(pattern(message.value.as_ref().unwrap(), false), expected);
    }
}

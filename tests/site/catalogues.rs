//! Fluent catalogues: every message in use exists in every language, and every message is in use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use evenkeel::access::Role;
use evenkeel::admin::bulk_actions::registry::ACTIONS;
use evenkeel::audit_log::AuditAction;
use evenkeel::reports::input::ReportCategory;
use evenkeel_limiters::AnyLimiter;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

/// Content of a message or of one of its attributes.
#[derive(Debug, Default, PartialEq)]
struct Content {
    /// Variables in the text. Variables that only select a variant are in `choices`.
    variables: BTreeSet<String>,
    choices: BTreeSet<String>,
    /// HTML tags that occur in any variant of the message.
    tags: BTreeSet<String>,
    has_tags: bool,
    file: String,
}

type Messages = BTreeMap<String, Content>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let all = entries.flat_map(|path| if path.is_dir() { files(&path, extension) } else { vec![path] });
    all.filter(|path| path.extension().is_some_and(|actual| actual == extension)).collect()
}

fn languages() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("locales")).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|path| path.is_dir()).map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

fn messages(language: &str) -> Messages {
    let mut all = Messages::new();
    for path in files(&root().join("locales").join(language), "ftl") {
        let text = std::fs::read_to_string(&path).unwrap();
        let resource = fluent_syntax::parser::parse(text.as_str())
            .unwrap_or_else(|(_, mistakes)| panic!("{}: {mistakes:?}", path.display()));
        let file = path.file_name().unwrap().to_str().unwrap();
        for entry in &resource.body {
            let Entry::Message(message) = entry else { continue };
            let attributes = message.attributes.iter();
            let attributes =
                attributes.map(|attribute| (format!("{}.{}", message.id.name, attribute.id.name), &attribute.value));
            let value = message.value.iter().map(|value| (message.id.name.to_owned(), value));
            for (id, pattern) in value.chain(attributes) {
                let mut content = Content { file: file.to_owned(), ..Content::default() };
                let mut text = String::new();
                read(pattern, &mut content, &mut text);
                content.tags = tags(&text);
                content.has_tags = text.contains(['<', '&']);
                assert!(all.insert(id.clone(), content).is_none(), "{language}: {id} is there twice");
            }
        }
    }
    all
}

fn read(pattern: &Pattern<&str>, content: &mut Content, text: &mut String) {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => text.push_str(value),
            PatternElement::Placeable { expression: Expression::Inline(inline) } => variable(inline, content, text),
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                let mut choice = Content::default();
                variable(selector, &mut choice, &mut String::new());
                content.choices.extend(choice.variables);
                for variant in variants {
                    read(&variant.value, content, text);
                }
            }
        }
    }
}

fn variable(inline: &InlineExpression<&str>, content: &mut Content, text: &mut String) {
    match inline {
        InlineExpression::VariableReference { id } => {
            content.variables.insert(id.name.to_owned());
            text.push('$');
            text.push_str(id.name);
        }
        InlineExpression::StringLiteral { .. } => {}
        other => panic!("scripts and tests know no such thing: {other:?}"),
    }
}

fn tags(text: &str) -> BTreeSet<String> {
    text.split('<').skip(1).filter_map(|rest| rest.split('>').next()).map(str::to_owned).collect()
}

/// Message IDs used in code, templates and scripts, and those among them that templates render as HTML.
fn used() -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut used, mut html) = (BTreeSet::new(), BTreeSet::new());
    let quoted = |text: &str, before: &str| -> Vec<String> {
        text.split(before).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    for path in files(&root().join("src"), "rs") {
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        used.extend(quoted(&text, "phrase!(\""));
        used.extend(quoted(&text, "phrase!( \""));
        used.extend(quoted(&text, "ListColumn::new(\""));
        used.extend(quoted(&text, "ListColumn::number(\""));
        used.extend(quoted(&text, "const MISSING: &'static str = \""));
        used.extend(quoted(&text, "AppError::Malformed(\""));
        used.extend(quoted(&text, "Self::Malformed(\""));
    }
    for path in files(&root().join("templates"), "html").into_iter().chain(files(&root().join("templates"), "txt")) {
        let text = std::fs::read_to_string(path).unwrap();
        for expression in text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next()) {
            // The filter `|t` translates a message. The string literal before it is the message ID.
            for before in expression.split("|t").map(str::trim_end).filter(|before| before.ends_with('"')) {
                let id = before.trim_end_matches('"').rsplit('"').next().unwrap().to_owned();
                if expression.trim_start().starts_with(&format!("\"{id}\"")) && expression.contains("|html") {
                    html.insert(id.clone());
                }
                used.insert(id);
            }
        }
        // String literals in macro calls are message IDs.
        for call in text.split("{% call ").skip(1).filter_map(|rest| rest.split("%}").next()) {
            used.extend(call.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    for path in files(&root().join("static"), "js") {
        let text = std::fs::read_to_string(path).unwrap();
        for call in text.split("say(").skip(1) {
            // A call such as `say(is ? "one" : "other", …)` uses two messages.
            let first = call.split([',', ')']).next().unwrap();
            used.extend(first.split('"').skip(1).step_by(2).map(|id| format!("script-{id}")));
        }
    }
    (used, html)
}

/// Prefixes and suffixes of message ids that are built at run time.
const PUT_TOGETHER: [(&str, &[&str]); 26] = [
    ("first-step-", &["name", "people", "post", "invite", "mail", "limiter"]),
    ("first-step-", &["name-hint", "people-hint", "post-hint", "invite-hint", "mail-hint", "limiter-hint"]),
    ("admin-group-", &["moderation", "people"]),
    ("score-", &["limited", "surge", "held-back", "excluded"]),
    ("own-rating-", &["limited", "surge", "held-back", "excluded"]),
    // Labels of fields that no template mentions, because `form::label` builds the message ID from the field name.
    ("label-", &["end-tokens", "old-password", "posts", "spot", "status", "version"]),
    // Labels of the details in audit log entries.
    ("label-", &["command", "invitation", "ratings", "score-after", "score-before", "sessions"]),
    ("label-", &["role", "until", "users", "network", "expires"]),
    ("label-", &["after", "before", "limiter", "params-after", "params-before"]),
    ("label-", &["case", "ground", "key", "mail", "tokens"]),
    ("done-limiter-", &["chosen", "chosen-post", "undone", "undone-post"]),
    ("limiter-", &["leaky-bucket", "ema", "ema-original", "rate-class", "surge", "off"]),
    ("limiter-leaky-bucket-", &["ema", "ema-original"]),
    ("choice-", &["log-interval", "interval", "wall-clock", "full", "true", "false", "none"]),
    ("unit-", &["ratings", "gaps", "share", "deviations", "times", "stars", "seconds", "milliseconds"]),
    ("period-", &["steady", "average", "blocked"]),
    ("done-", &["rated", "rating-changed", "rating-withdrawn"]),
    ("moderation-", &["exclude-day", "exclude-days", "restore-day", "restore-days"]),
    ("preview-", &["day", "days"]),
    ("webhook-event-", &["post-published", "rating-surge-began", "rating-surge-ended", "report-filed", "test"]),
    ("label-", &["event", "webhook", "enabled"]),
    ("settings-registration-", &["open", "invite", "closed"]),
    ("settings-publishing-", &["everybody", "reviewed", "approved", "staff"]),
    ("settings-score-", &["steady", "average"]),
    ("label-", &["setting"]),
    ("scope-", &["read", "rate", "write", "account", "admin"]),
];

#[test]
fn catalogues_have_the_same_messages_in_every_language() {
    let all: BTreeMap<String, Messages> = languages().into_iter().map(|tag| (tag.clone(), messages(&tag))).collect();
    let english = &all["en"];
    assert!(english.len() > 500 && all.len() >= 3, "{} {}", english.len(), all.len());
    for (tag, messages) in &all {
        // The message `language-formats` is skipped, because not every language has it.
        let ids = |messages: &Messages| -> BTreeSet<String> {
            messages.keys().filter(|id| *id != "language-formats").cloned().collect()
        };
        let (here, there) = (ids(messages), ids(english));
        assert_eq!(here.difference(&there).collect::<Vec<_>>(), [""; 0], "{tag} has more than English");
        assert_eq!(there.difference(&here).collect::<Vec<_>>(), [""; 0], "{tag} lacks");
        for (id, content) in messages.iter().filter(|(id, _)| *id != "language-formats") {
            let other = &english[id];
            // Selectors are compared separately, because a language without plural forms does not select on a number.
            assert_eq!(content.variables, other.variables, "{tag}: the variables of {id}");
            let all: BTreeSet<_> = other.variables.union(&other.choices).collect();
            assert!(content.choices.iter().all(|choice| all.contains(choice)), "{tag}: the choices of {id}");
            assert_eq!(content.file, other.file, "{tag}: the file of {id}");
            // A translation may add `dir="ltr"` to a tag.
            let plain = |tags: &BTreeSet<String>| -> BTreeSet<String> {
                tags.iter().map(|tag| tag.replace(" dir=\"ltr\"", "")).collect()
            };
            assert_eq!(plain(&content.tags), plain(&other.tags), "{tag}: the tags of {id}");
        }
    }
}

/// Lists of the admin area, from whose names message ids are built.
const LISTS: [&str; 14] = [
    "deliveries",
    "invitations",
    "cases",
    "log",
    "users",
    "posts",
    "ratings",
    "tags",
    "signed-in",
    "api-tokens",
    "pauses",
    "mails",
    "states",
    "warnings",
];

#[test]
fn catalogues_contain_exactly_the_used_messages() {
    let (mut used, html) = used();
    for (before, parts) in PUT_TOGETHER {
        used.extend(parts.iter().map(|part| format!("{before}{part}")));
    }
    for limiter in AnyLimiter::NAMES {
        let instance = AnyLimiter::by_name(limiter, serde_json::json!({})).unwrap().unwrap();
        let params = serde_json::to_value(instance.params()).unwrap();
        let names = params.as_object().unwrap().keys().filter(|name| !name.starts_with("max_backward"));
        used.extend(names.map(|name| format!("param-{limiter}-{name}").replace('_', "-")));
    }
    for list in LISTS {
        used.extend(["title", "what"].map(|part| format!("{list}-{part}")));
    }
    for action in ACTIONS {
        let name = action.name().replace('_', "-");
        used.extend(["", "-what", "-done"].map(|part| format!("action-{name}{part}")));
        used.extend(action.properties().reason_hint.map(str::to_owned));
    }
    used.extend(ReportCategory::ALL.iter().map(|category| format!("report-{}", category.name())));
    used.extend(["reader", "author"].map(|role| format!("role-{role}")));
    used.extend(Role::ALL.iter().map(|role| format!("role-{}", role.name())));
    used.extend(AuditAction::ALL.iter().map(|act| format!("act-{}", act.name().replace(['.', '_'], "-"))));
    let english = messages("en");
    let ids: BTreeSet<String> = english.keys().map(|id| id.split('.').next().unwrap().to_owned()).collect();
    let used: BTreeSet<String> = used.into_iter().filter(|id| !id.is_empty()).collect();
    let own = ["language-name", "language-formats"].map(str::to_owned).into();
    let unused: BTreeSet<_> = ids.difference(&used).cloned().collect();
    assert_eq!(unused.difference(&own).collect::<Vec<_>>(), [""; 0], "nothing says these");
    let named = used.iter().filter(|id| id.contains('-') || ids.contains(*id));
    let missing: Vec<_> = named.filter(|id| !ids.contains(*id)).collect();
    assert_eq!(missing, [""; 0], "these are in no catalogue");
    for id in html.iter().filter(|id| english.contains_key(*id)) {
        // A message without tags may be rendered as HTML if its variables contain HTML.
        let content = &english[id];
        assert!(content.has_tags || !content.variables.is_empty(), "{id} is no HTML");
    }
    for (id, content) in &english {
        assert!(
            !content.has_tags || html.contains(id) || id == "sign-in-to-rate" || id.starts_with("error-see-"),
            "{id} is shown as text, and has tags"
        );
    }
}

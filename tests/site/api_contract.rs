//! Changes of the API between versions: additions need no declaration, and changes that break programs do.

use std::collections::BTreeSet;

use evenkeel::server::declare_routes;
use serde_json::Value;

use crate::architecture::root;

/// Lines that a program can rely on: operations, their parameters, fields, statuses and errors, and the types of fields.
fn contract(document: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(method, _)| *method != "parameters") {
            let operation_name = format!("{} {path}", method.to_uppercase());
            lines.insert(format!("{operation_name}: {}", operation["operationId"].as_str().unwrap()));
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let required = if parameter["required"] == true { "required" } else { "optional" };
                let (place, name) = (parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap());
                lines.insert(format!("{operation_name} {place} {name}: {required}"));
            }
            for (media_type, body) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
                let name = body["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
                let schema = &document["components"]["schemas"][name];
                for field in schema["properties"].as_object().unwrap().keys() {
                    let is_required = schema["required"].as_array().unwrap().iter().any(|name| name == field);
                    let required = if is_required { "required" } else { "optional" };
                    lines.insert(format!("{operation_name} {media_type} {field}: {required}"));
                }
            }
            for (status, response) in operation["responses"].as_object().unwrap() {
                let codes = response["x-codes"].as_array().into_iter().flatten();
                lines.extend(codes.map(|code| format!("{operation_name} {status} {}", code.as_str().unwrap())));
                for (media_type, content) in response["content"].as_object().into_iter().flatten() {
                    let kind = kind_of(&content["schema"]);
                    lines.insert(format!("{operation_name} {status} {media_type}: {kind}"));
                }
            }
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        for (field, kind) in schema["properties"].as_object().into_iter().flatten() {
            let is_present = schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
            let presence = if is_present { "" } else { ", can be missing" };
            lines.insert(format!("{name}.{field}: {}{presence}", kind_of(kind)));
        }
    }
    lines
}

/// Type of a schema: the name of a schema, a JSON type, or a choice between types.
fn kind_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap().to_owned();
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().map(kind_of).collect::<Vec<_>>().join(" or ");
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    };
    if schema["items"].is_object() { format!("{kind} of {}", kind_of(&schema["items"])) } else { kind }
}

/// True if a program that follows the old contract can fail because of a new line: an operation that the old contract
/// has needs something more.
fn is_demand(line: &str, old: &BTreeSet<String>) -> bool {
    let Some((what, "required")) = line.rsplit_once(": ") else { return false };
    let operation = what.split(' ').take(2).collect::<Vec<_>>().join(" ");
    old.iter().any(|line| line.starts_with(&format!("{operation}: ")))
}

/// `INSTA_UPDATE=always` adds additions to the contract. Removed lines and new demands must be in the changelog first.
#[test]
fn changes_of_the_api_that_break_programs_are_declared() {
    declare_routes();
    let path = root().join("docs/reference/api-contract.txt");
    let old: BTreeSet<String> = std::fs::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
    let new = contract(&evenkeel::api::document());
    assert!(new.len() > 1_000, "{}", new.len());
    let changelog = std::fs::read_to_string(root().join("docs/reference/api-changes.md")).unwrap();
    let removed = old.difference(&new).map(|line| format!("- {line}"));
    let demanded = new.difference(&old).filter(|line| is_demand(line, &old)).map(|line| format!("+ {line}"));
    let undeclared: Vec<String> = removed.chain(demanded).filter(|line| !changelog.contains(line.as_str())).collect();
    assert!(undeclared.is_empty(), "declare in docs/reference/api-changes.md:\n{}", undeclared.join("\n"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        let lines: Vec<&str> = new.iter().map(String::as_str).collect();
        return std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    assert!(old == new, "docs/reference/api-contract.txt is out of date; set INSTA_UPDATE=always to update it");
}

#[test]
fn breaking_changes_are_found() {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<String>>();
    let old = lines(&["POST /rate/: rate_a_post", "POST /rate/ application/json blog: required"]);
    assert!(is_demand("POST /rate/ application/json reason: required", &old));
    assert!(!is_demand("POST /rate/ application/json reason: optional", &old));
    assert!(!is_demand("POST /follow/ application/json user: required", &old));
}

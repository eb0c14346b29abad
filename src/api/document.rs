//! `OpenAPI` document of the site.

use std::collections::{BTreeMap, BTreeSet};

use crate::web::middleware::idempotency;
use actix_web::http::Method;
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::{RecursiveTransform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::errors;
use crate::web::error::ProblemDetails;
use crate::web::request::query::MAX_FIELDS;
use crate::web::request::scope::ApiScope;
use crate::web::routing::operation::{HeaderParameter, Operation, QueryParameter, RequestBody, ResponseDescription};
use crate::web::routing::route::{RequestClass, Route, RouteTable};

const DESCRIPTION: &str = "Programs use the same URLs as browsers, and send the header `Accept: application/json` with \
    every request. They authenticate with an API token, which a user creates on `/users/tokens/`, and which begins with \
    `ek_`. Names of fields and codes of errors do not change; responses can get more fields, and there can be more codes. \
    Programs distinguish errors by `code`, because `title` and `detail` are texts in the language of the client. Times are in \
    RFC 3339 format and UTC. A list has the paths of the next and the previous page in `next` and `previous`; the `cursor` \
    in them is valid only for the list with the same filters. If an optional field is omitted, its value is kept; if it is \
    empty or `null`, it gets its default.";

/// Builds the document from the route table of the process.
#[must_use]
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.contract = Contract::Serialize;
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(rewrite_description)));
        settings.transforms.push(Box::new(RecursiveTransform(merge_choices)));
    });
    let mut schemas = settings.into_generator();
    let problem = schemas.subschema_for::<ProblemDetails<'static>>().into();
    let mut paths = Map::new();
    for route in RouteTable::global().iter() {
        let item = describe_route(route, &mut schemas, &problem);
        if !item.is_empty() {
            paths.insert(route.pattern.to_owned(), item.into());
        }
    }
    let tags: Vec<Value> =
        TAGS.iter().map(|(name, description)| json!({ "name": name, "description": description })).collect();
    json!({
        "openapi": "3.1.1",
        "info": { "title": "Evenkeel", "version": env!("CARGO_PKG_VERSION"), "description": DESCRIPTION },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "headers": headers(),
            "responses": { "Error": general_error(&problem) },
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "bearerFormat": "ek_…", "description": "API token, which a user creates on `/users/tokens/`" },
                "session": { "type": "apiKey", "in": "cookie", "name": "session", "description": "Session of a browser" },
            },
        },
    })
}

/// Describes the operations of a route, except those that are of use only to browsers.
fn describe_route(route: &Route, schemas: &mut SchemaGenerator, problem: &Value) -> Map<String, Value> {
    let mut item = Map::new();
    for (method, operation) in route.operations.iter().filter(|(_, operation)| !operation.responses.is_empty()) {
        let described = OperationWriter { route, method, operation }.describe(schemas, problem);
        item.insert(method.as_str().to_lowercase(), described);
    }
    let parameters = path_parameter_names(route.pattern).map(|name| path_parameter(route.pattern, name));
    let parameters: Vec<Value> = parameters.collect();
    if !item.is_empty() && !parameters.is_empty() {
        item.insert("parameters".to_owned(), parameters.into());
    }
    item
}

/// Rewrites a doc comment for programs: `None` is `null` in JSON, and links to Rust items become plain names.
fn rewrite_description(schema: &mut Schema) {
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

/// Turns a choice between fixed texts, which is described one by one, into a list of texts.
fn merge_choices(schema: &mut Schema) {
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

/// Groups of operations: name and description.
const TAGS: [(&str, &str); 9] = [
    ("Posts", "Posts and feeds"),
    ("Ratings", "Ratings and scores of posts"),
    ("Images", "Uploaded images"),
    ("Users", "Accounts, sessions and API tokens"),
    ("Reports", "Reports of posts, and decisions about them"),
    ("Rate classes", "Rate limits of requests"),
    ("Administration", "Admin area, for staff"),
    ("API", "OpenAPI document"),
    ("Forms", "Values of the forms on the pages of the site, for browsers"),
];

/// Group of the operations whose paths begin with a text. The first row that matches applies.
const TAG_BY_PATH: [(&str, &str); 12] = [
    ("/blogs/{id}/ratings/", "Ratings"),
    ("/blogs/{id}/report/", "Reports"),
    ("/rate/classes/", "Rate classes"),
    ("/rate/", "Ratings"),
    ("/unpause/", "Ratings"),
    ("/users/", "Users"),
    ("/language/", "Users"),
    ("/images/", "Images"),
    ("/reports/", "Reports"),
    ("/admin/", "Administration"),
    ("/api/", "API"),
    ("/", "Posts"),
];

/// Parameters in paths: name, description and schema.
fn path_parameter(pattern: &str, name: &str) -> Value {
    let object = match pattern {
        _ if pattern.starts_with("/blogs/") || pattern.starts_with("/rate/") => "Id of the post",
        _ if pattern.contains("/reports/") => "Id of the case",
        _ => "Id",
    };
    let (description, schema) = match name {
        "id" => (object, json!({ "type": "integer", "format": "int64", "minimum": 1 })),
        "slug" => ("Slug of the post", json!({ "type": "string" })),
        "username" => ("Username", json!({ "type": "string" })),
        "hash" => ("Hash of the URL", json!({ "type": "string" })),
        _ => ("Name of the file", json!({ "type": "string" })),
    };
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

/// Names of the parameters in a path pattern: `id` and `slug` in `/blogs/{id}/{slug}/`.
fn path_parameter_names(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

/// Response headers that several operations have.
fn headers() -> Value {
    let header = |description: &str, kind: &str| json!({ "description": description, "schema": { "type": kind } });
    json!({
        "RateLimit-Policy": header("Name of the rate class, its quota `q` and its window `w` in seconds, such as `\"browse\";q=240;w=60`", "string"),
        "RateLimit": header("Remaining requests `r` of the rate class, and the seconds `t` until more are allowed, such as `\"browse\";r=189`", "string"),
        "Retry-After": header("Seconds until the request can be sent again", "integer"),
        "Link": header("Paths of the next and the previous page (RFC 8288)", "string"),
        "Location": header("Path of the created object, or of the page that shows it", "string"),
        "WWW-Authenticate": header("Reason why the API token was rejected, and the scope that it lacks (RFC 6750)", "string"),
    })
}

const IDEMPOTENCY_KEY: HeaderParameter = HeaderParameter {
    name: "Idempotency-Key",
    description: "Random text that identifies the request, such as a UUID. If the user sends the request again with the \
        same key within 24 hours, it does not take effect again, and the first response is returned.",
};

struct OperationWriter<'a> {
    route: &'a Route,
    method: &'a Method,
    operation: &'a Operation,
}

impl OperationWriter<'_> {
    fn describe(&self, schemas: &mut SchemaGenerator, problem: &Value) -> Value {
        let mut described = json!({
            "operationId": operation_id(self.operation.summary),
            "summary": self.operation.summary,
            "description": self.description(),
            "tags": [self.tag()],
            "responses": self.responses(schemas, problem),
            "security": self.security(),
        });
        let parameters = self.operation.parameters.iter().map(query_parameter);
        let idempotency_key = self.route.accepts_idempotency_key(self.method).then_some(&IDEMPOTENCY_KEY);
        let headers = self.operation.headers.iter().chain(idempotency_key).map(header_parameter);
        let parameters: Vec<Value> = parameters.chain(headers).collect();
        if !parameters.is_empty() {
            described["parameters"] = parameters.into();
        }
        if let Some(body) = &self.operation.body {
            described["requestBody"] = request_body(body, schemas);
        }
        described
    }

    fn tag(&self) -> &'static str {
        let by_path = TAG_BY_PATH.iter().find(|(path, _)| self.route.pattern.starts_with(path));
        by_path.filter(|_| !self.operation.is_form).map_or("Forms", |(_, tag)| tag)
    }

    /// Says what the schemas do not, who can send the request, and what it counts as.
    fn description(&self) -> String {
        let note = Some(self.operation.note.to_owned()).filter(|note| !note.is_empty());
        let mut sentences: Vec<String> = note.into_iter().collect();
        if let Some(role) = self.route.role {
            sentences.push(format!("Staff with the role `{}` or a higher one.", role.name()));
        }
        if self.rejects_tokens() {
            let session = if self.needs_user() { "Needs a session. " } else { "" };
            sentences.push(format!("{session}API tokens are rejected."));
        } else if self.route.has_session {
            sentences.push(format!("API tokens need the scope `{}`.", self.route.scope_of(self.method).name()));
        }
        if self.is_counted() {
            sentences.push(format!("Rate class `{}`.", self.route.rate_class_of(self.method).name()));
        }
        sentences.join(" ")
    }

    fn needs_user(&self) -> bool {
        let Operation { needs_user, errors, .. } = self.operation;
        *needs_user || self.route.role.is_some() || errors.contains(&"not_signed_in")
    }

    fn is_unsafe(&self) -> bool {
        !self.method.is_safe()
    }

    fn is_counted(&self) -> bool {
        self.route.has_session && self.route.is_counted
    }

    fn rejects_tokens(&self) -> bool {
        self.is_unsafe() && self.route.needs_session()
    }

    fn security(&self) -> Value {
        if !self.route.has_session {
            return json!([]);
        }
        let mut ways = Vec::new();
        if !self.needs_user() {
            ways.push(json!({}));
        }
        if !self.rejects_tokens() {
            ways.push(json!({ "token": [self.route.scope_of(self.method).name()] }));
        }
        ways.push(json!({ "session": [] }));
        ways.into()
    }

    fn responses(&self, schemas: &mut SchemaGenerator, problem: &Value) -> Map<String, Value> {
        let mut responses: BTreeMap<u16, Value> = BTreeMap::new();
        for response in &self.operation.responses {
            let described = self.success(response, schemas);
            let earlier = responses.entry(response.status).or_insert_with(|| described.clone());
            if let (Some(Value::Object(earlier)), Some(Value::Object(added))) =
                (earlier.get_mut("content"), described.get("content"))
            {
                earlier.extend(added.clone());
            }
        }
        let codes = self.error_codes();
        let mut by_status: BTreeMap<u16, Vec<&errors::ErrorKind>> = BTreeMap::new();
        for error in errors::all().iter().filter(|error| codes.contains(error.code)) {
            by_status.entry(error.status).or_default().push(error);
        }
        // The response `default` does not apply to statuses that an operation lists.
        for error in errors::all().iter().filter(|error| GENERAL_ERRORS.contains(&error.code)) {
            by_status.entry(error.status).and_modify(|errors| errors.push(error));
        }
        responses
            .extend(by_status.into_iter().map(|(status, errors)| (status, self.failure(status, &errors, problem))));
        let named = responses.into_iter().map(|(status, response)| (status.to_string(), response));
        named.chain([("default".to_owned(), json!({ "$ref": "#/components/responses/Error" }))]).collect()
    }

    fn success(&self, response: &ResponseDescription, schemas: &mut SchemaGenerator) -> Value {
        let mut headers = self.rate_limit_headers();
        if response.status == 201 {
            headers.push("Location");
        }
        if response.is_list {
            headers.push("Link");
        }
        let description = match response.status {
            201 => "Created",
            202 => "Accepted",
            204 => "Done; the response is empty",
            308 => "Redirect to the canonical URL",
            _ => "Success",
        };
        let mut described = json!({ "description": description, "headers": header_references(&headers) });
        let schema = response.schema.map(|schema| Value::from(schema(schemas)));
        match (response.media_type, schema) {
            ("", _) => (),
            (media_type, Some(schema)) => described["content"] = json!({ media_type: { "schema": schema } }),
            (media_type, None) => described["content"] = json!({ media_type: {} }),
        }
        described
    }

    fn failure(&self, status: u16, errors: &[&errors::ErrorKind], problem: &Value) -> Value {
        let mut headers = if status == 503 { Vec::new() } else { self.rate_limit_headers() };
        headers.extend(match status {
            401 | 403 => Some("WWW-Authenticate"),
            429 | 503 => Some("Retry-After"),
            _ => None,
        });
        let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
        json!({
            "description": list_errors(errors),
            "headers": header_references(&headers),
            "content": { PROBLEM_JSON: { "schema": problem, "example": errors.first().map(|error| example(error)) } },
            "x-codes": codes,
        })
    }

    fn rate_limit_headers(&self) -> Vec<&'static str> {
        if self.is_counted() { vec!["RateLimit-Policy", "RateLimit"] } else { Vec::new() }
    }

    /// Codes of the errors that follow from the properties of the route and of the operation, and of the declared ones.
    fn error_codes(&self) -> BTreeSet<&'static str> {
        let Operation { parameters, body, needs_user, errors, .. } = self.operation;
        let is_upload = body.as_ref().is_some_and(|body| body.has_file);
        let class = self.route.rate_class_of(self.method);
        let fields = body.as_ref().map(|body| (body.schema)().fields).unwrap_or_default();
        let asks_password = ["current_password", "old_password"].iter().any(|name| fields.contains_key(*name));
        let rules: [(bool, &[&str]); 12] = [
            (self.route.has_session && self.route.scope_of(self.method) != ApiScope::Read, &["scope_needed"]),
            (self.is_counted(), &["class_limited"]),
            (*needs_user || is_upload, &["not_signed_in"]),
            (self.rejects_tokens() || asks_password, &["session_needed"]),
            (asks_password, &["sign_in_limited"]),
            (self.is_unsafe() || !parameters.is_empty(), &["invalid", "malformed"]),
            (is_upload, &["one_at_a_time"]),
            (self.route.accepts_idempotency_key(self.method), &idempotency::ERRORS),
            (self.route.pattern.contains('{'), &["not_found"]),
            (self.route.role.is_some(), &["not_found", "role_needed"]),
            (matches!(class, RequestClass::Write | RequestClass::Rate), &["blocked"]),
            (true, errors),
        ];
        rules.iter().filter(|(applies, _)| *applies).flat_map(|(_, codes)| codes.iter().copied()).collect()
    }
}

const PROBLEM_JSON: &str = "application/problem+json";

/// Errors that any request can get. The operations do not list them.
const GENERAL_ERRORS: [&str; 12] = [
    "bad_host",
    "two_credentials",
    "invalid_token",
    "cross_site",
    "method_not_allowed",
    "timeout",
    "too_large",
    "unsupported_type",
    "internal",
    "busy",
    "starting",
    "unavailable",
];

fn general_error(problem: &Value) -> Value {
    let errors: Vec<_> = errors::all().iter().filter(|error| GENERAL_ERRORS.contains(&error.code)).collect();
    json!({
        "description": format!("Errors that any request can get:\n\n{}", list_errors(&errors)),
        "content": { PROBLEM_JSON: { "schema": problem } },
        "x-codes": GENERAL_ERRORS,
    })
}

fn list_errors(errors: &[&errors::ErrorKind]) -> String {
    let cause =
        |error: &&errors::ErrorKind| format!("- {} `{}`: {}", error.status, error.code, without_links(error.cause));
    errors.iter().map(cause).collect::<Vec<_>>().join("\n")
}

/// Replaces Markdown links by their texts, because the targets are pages of the documentation.
fn without_links(text: &str) -> String {
    let mut parts = text.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("](").and_then(|(text, rest)| Some((text, rest.split_once(')')?.1))) {
            Some((text, rest)) => plain.extend([text, rest]),
            None => plain.extend(["[", part]),
        }
    }
    plain
}

fn example(error: &errors::ErrorKind) -> Value {
    let detail = without_links(error.cause);
    json!({ "type": "about:blank", "title": error.code, "status": error.status, "detail": detail, "code": error.code })
}

/// Id of an operation: its summary in lower case with underscores, such as `rate_a_post`.
fn operation_id(summary: &str) -> String {
    summary.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

fn header_references(names: &[&str]) -> Map<String, Value> {
    let reference = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    names.iter().map(reference).collect()
}

fn query_parameter(parameter: &QueryParameter) -> Value {
    let mut schema = parameter.schema.clone();
    forbid_null_characters(&mut schema);
    json!({
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": schema,
    })
}

fn header_parameter(header: &HeaderParameter) -> Value {
    let schema = json!({ "type": "string" });
    json!({ "name": header.name, "in": "header", "description": header.description, "schema": schema })
}

/// Body of a request: JSON, or a form with files if a field can be a file.
fn request_body(body: &RequestBody, schemas: &mut SchemaGenerator) -> Value {
    let mut fields = (body.schema)();
    fields.fields.values_mut().for_each(forbid_null_characters);
    let schema = json!({
        "type": "object",
        "properties": fields.fields,
        "required": fields.required,
        "additionalProperties": fields.ignores_others,
        "maxProperties": MAX_FIELDS,
    });
    schemas.definitions_mut().insert(body.name.to_owned(), schema);
    let schema = json!({ "$ref": format!("#/components/schemas/{}", body.name) });
    let media_type = if body.has_file { "multipart/form-data" } else { "application/json" };
    json!({ "required": !fields.required.is_empty(), "content": { media_type: { "schema": schema } } })
}

/// Adds to the schemas of texts that these contain no null characters, which `PostgreSQL` cannot store.
fn forbid_null_characters(schema: &mut Schema) {
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
    fn ids_are_words_of_the_summary() {
        assert_eq!(operation_id("Rate a post"), "rate_a_post");
        assert_eq!(operation_id("Read the sign-in form"), "read_the_sign_in_form");
    }

    #[test]
    fn descriptions_name_values_as_in_json() {
        let mut schema = json_schema!({ "description": "Held back; see\n[`PeriodStatus::HeldBack`]. `None` if not." });
        rewrite_description(&mut schema);
        assert_eq!(schema.get("description"), Some(&json!("Held back; see `held_back`. `null` if not.")));
        assert_eq!(without_links("of one [rate class](limits.md#rate) [1]"), "of one rate class [1]");
    }

    #[test]
    fn finds_the_parameters_of_a_path() {
        assert_eq!(path_parameter_names("/blogs/{id}/{slug}/").collect::<Vec<_>>(), ["id", "slug"]);
        assert_eq!(path_parameter_names("/blogs/").count(), 0);
    }
}

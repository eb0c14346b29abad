//! Operations in the `OpenAPI` document.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::Method;
use schemars::{SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::errors::{self, ErrorKind};
use super::schemas::{describe_common_fields, forbid_null_characters};
use crate::access::{ApiScope, RequestClass};
use crate::web::request::query::MAX_FIELDS;
use crate::web::routing::operation::{HeaderParameter, Operation, QueryParameter, RequestBody, ResponseDescription};
use crate::web::routing::route::Route;

/// Tags of operations by prefix of the path, of which the first matching prefix applies.
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

pub fn path_parameter(pattern: &str, name: &str) -> Value {
    let object = match pattern {
        _ if pattern.starts_with("/blogs/") || pattern.starts_with("/rate/") => "Id of the post",
        _ if pattern.contains("/reports/") => "Id of the case",
        _ => "Id",
    };
    let (description, schema) = match name {
        "id" => (object, json!({ "type": "integer", "format": "int64", "minimum": 1 })),
        "version" => ("Version of the post", json!({ "type": "integer", "format": "int32", "minimum": 1 })),
        "slug" => ("Slug of the post", json!({ "type": "string" })),
        "username" => ("Username", json!({ "type": "string" })),
        "hash" => ("Hash of the URL", json!({ "type": "string" })),
        _ => ("Name of the file", json!({ "type": "string" })),
    };
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

pub fn path_parameter_names(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

const IDEMPOTENCY_KEY: HeaderParameter = HeaderParameter {
    name: "Idempotency-Key",
    description: "Random text that identifies the request, such as a UUID. If the user sends the request again with the \
        same key within 24 hours, it does not take effect again, and the first response is returned with the header \
        `Idempotent-Replayed`.",
    pattern: "^(\"[!#-~]{1,255}\"|[!#-~]{1,255})$",
};

pub struct OperationWriter<'a> {
    pub route: &'a Route,
    pub method: &'a Method,
    pub operation: &'a Operation,
}

impl OperationWriter<'_> {
    pub fn describe(&self, schemas: &mut SchemaGenerator, problem: &Value) -> Value {
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
        let mut by_status: BTreeMap<u16, Vec<&ErrorKind>> = BTreeMap::new();
        for error in errors::all().iter().filter(|error| codes.contains(error.code)) {
            by_status.entry(error.status).or_default().push(error);
        }
        // Adds general errors to the listed statuses of an operation, to which the response `default` does not apply.
        for error in errors::all().iter().filter(|error| errors::GENERAL_ERRORS.contains(&error.code)) {
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
        if self.route.accepts_idempotency_key(self.method) {
            headers.push("Idempotent-Replayed");
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

    fn failure(&self, status: u16, errors: &[&ErrorKind], problem: &Value) -> Value {
        let mut headers = if status == 503 { Vec::new() } else { self.rate_limit_headers() };
        headers.extend(match status {
            401 | 403 => Some("WWW-Authenticate"),
            429 | 503 => Some("Retry-After"),
            _ => None,
        });
        let codes: Vec<&str> = errors.iter().map(|error| error.code).collect();
        json!({
            "description": errors::list(errors),
            "headers": header_references(&headers),
            "content": { errors::PROBLEM_JSON: { "schema": problem, "example": errors.first().map(|error| errors::example(error)) } },
            "x-codes": codes,
        })
    }

    fn rate_limit_headers(&self) -> Vec<&'static str> {
        if self.is_counted() { vec!["RateLimit-Policy", "RateLimit"] } else { Vec::new() }
    }

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
            (is_upload, &["busy"]),
            (self.route.accepts_idempotency_key(self.method), &["request_in_progress", "response_lost", "key_reused"]),
            (self.route.pattern.contains('{'), &["not_found"]),
            (self.route.role.is_some(), &["not_found", "not_signed_in", "role_needed"]),
            (matches!(class, RequestClass::Write | RequestClass::Rate), &["blocked"]),
            (true, errors),
        ];
        rules.iter().filter(|(applies, _)| *applies).flat_map(|(_, codes)| codes.iter().copied()).collect()
    }
}

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
    let schema = json!({ "type": "string", "pattern": header.pattern });
    json!({ "name": header.name, "in": "header", "description": header.description, "schema": schema })
}

fn request_body(body: &RequestBody, schemas: &mut SchemaGenerator) -> Value {
    let mut fields = (body.schema)();
    fields.fields.values_mut().for_each(forbid_null_characters);
    let mut schema = json_schema!({
        "type": "object",
        "properties": fields.fields,
        "required": fields.required,
        "additionalProperties": fields.ignores_others,
        "maxProperties": MAX_FIELDS,
    });
    describe_common_fields(&mut schema);
    schemas.definitions_mut().insert(body.name.to_owned(), schema.into());
    let schema = json!({ "$ref": format!("#/components/schemas/{}", body.name) });
    let media_type = if body.has_file { "multipart/form-data" } else { "application/json" };
    json!({ "required": !fields.required.is_empty(), "content": { media_type: { "schema": schema } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_words_of_the_summary() {
        assert_eq!(operation_id("Rate a post"), "rate_a_post");
        assert_eq!(operation_id("Read the sign-in form"), "read_the_sign_in_form");
    }

    #[test]
    fn finds_the_parameters_of_a_path() {
        assert_eq!(path_parameter_names("/blogs/{id}/{slug}/").collect::<Vec<_>>(), ["id", "slug"]);
        assert_eq!(path_parameter_names("/blogs/").count(), 0);
    }
}

//! Compares responses and accepted requests of the tests with the description of the API.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use evenkeel::server::declare_routes;
use jsonschema::Validator;
use reqwest::{Method, Request};
use serde_json::{Map, Value, json};

use super::actor::TestResponse;

/// `OpenAPI` description of the site. Undescribed properties of objects are forbidden, so that tests find them.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    declare_routes();
    let mut document = evenkeel::api::document();
    for schema in document["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema["unevaluatedProperties"] = false.into();
        }
    }
    document
});

/// Cached validators, by JSON pointer into [`DOCUMENT`].
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Parts of a sent request that the description covers.
pub struct SentRequest {
    method: Method,
    path: String,
    body: Option<Value>,
}

impl SentRequest {
    pub fn of(request: &Request) -> Self {
        let is_json = request.headers().get("content-type").is_some_and(|kind| kind == "application/json");
        let bytes = request.body().and_then(|body| body.as_bytes()).filter(|_| is_json);
        Self {
            method: request.method().clone(),
            path: request.url().path().to_owned(),
            body: bytes.and_then(|bytes| serde_json::from_slice(bytes).ok()),
        }
    }

    /// Panics if the response, or a JSON body that the site accepted, does not match the description.
    #[track_caller]
    pub fn check(&self, response: &TestResponse) {
        let content_type = response.header("content-type").split(';').next().unwrap();
        let is_problem = content_type == "application/problem+json";
        let is_json = (is_problem || content_type == "application/json") && !response.text.is_empty();
        // The description does not contain the pseudo-language `en-XA`, which exists for tests only.
        if !is_json || response.headers.contains_key("content-encoding") || response.text.contains("en-XA") {
            return;
        }
        let method = actix_web::http::Method::from_bytes(self.method.as_str().as_bytes()).unwrap();
        let Some(route) = declare_routes().iter().find(|route| matches(route.pattern, &self.path)) else { return };
        // Only browsers use an operation without described responses.
        if route.operation(&method).is_some_and(|operation| operation.responses.is_empty()) && !is_problem {
            return;
        }
        let method = self.method.as_str().to_lowercase();
        let operation = format!("/paths/{}/{method}", escape(route.pattern));
        let about = format!("{} {} → {}: {}", self.method, self.path, response.status, response.text);
        let Some(described) = DOCUMENT.pointer(&operation) else {
            assert!(is_problem, "the description lacks the operation {about}");
            return;
        };
        let status = response.status.as_u16().to_string();
        if is_problem {
            let code = response.json()["code"].clone();
            let own = described["responses"][&status]["x-codes"].as_array().cloned().unwrap_or_default();
            let general = DOCUMENT["components"]["responses"]["Error"]["x-codes"].as_array().unwrap();
            assert!(own.contains(&code) || general.contains(&code), "the description lacks {code}: {about}");
            validate("/components/schemas/Problem", &response.json(), &about);
        } else {
            assert!(described["responses"].get(&status).is_some(), "the description lacks the status of {about}");
            let schema = format!("{operation}/responses/{status}/content/{}/schema", escape(content_type));
            validate(&schema, &response.json(), &about);
        }
        let body =
            self.body.as_ref().filter(|_| response.status.is_success() && described.get("requestBody").is_some());
        if let Some(body) = body {
            let schema = format!("{operation}/requestBody/content/application~1json/schema");
            // A multipart form with a file has no JSON schema.
            if DOCUMENT.pointer(&schema).is_some() {
                validate(&schema, body, &format!("{about}\naccepted {body}"));
            }
        }
    }
}

/// Panics if the body of a webhook does not match the description.
#[track_caller]
pub fn check_event(event: &Value) {
    let name = event["type"].as_str().unwrap();
    let schema = format!("/webhooks/{name}/post/requestBody/content/application~1json/schema");
    validate(&schema, event, &format!("webhook {event}"));
}

fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Collects the schemas to which a schema refers, directly or indirectly. A validator with all schemas takes long to
/// build.
fn collect_components(schema: &Value, components: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = members.get("$ref").and_then(|path| path.as_str()?.rsplit('/').next())
                && !components.contains_key(name)
            {
                let component = &DOCUMENT["components"]["schemas"][name];
                components.insert(name.to_owned(), component.clone());
                collect_components(component, components);
            }
            members.values().for_each(|member| collect_components(member, components));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_components(item, components)),
        _ => (),
    }
}

#[track_caller]
fn validate(pointer: &str, value: &Value, about: &str) {
    let validator = VALIDATORS.lock().unwrap().get(pointer).cloned();
    let validator = validator.unwrap_or_else(|| {
        let mut schema = DOCUMENT.pointer(pointer).unwrap_or_else(|| panic!("no schema {pointer} for {about}")).clone();
        if schema == Value::Bool(true) {
            schema = json!({});
        }
        let mut components = Map::new();
        collect_components(&schema, &mut components);
        schema["components"] = json!({ "schemas": components });
        let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema);
        let validator = Arc::new(validator.unwrap_or_else(|error| panic!("{pointer}: {error}")));
        VALIDATORS.lock().unwrap().insert(pointer.to_owned(), validator.clone());
        validator
    });
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{}\n{about}", errors.join("\n"));
}

fn matches(pattern: &str, path: &str) -> bool {
    let is_equal =
        |(expected, actual): (&str, &str)| expected == actual || (expected.starts_with('{') && !actual.is_empty());
    pattern.split('/').count() == path.split('/').count() && pattern.split('/').zip(path.split('/')).all(is_equal)
}

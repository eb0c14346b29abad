//! `OpenAPI` document of the site.

use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

use super::errors;
use super::operations::{OperationWriter, path_parameter, path_parameter_names};
use super::schemas::{describe_common_fields, merge_choices, rewrite_description};
use crate::i18n::Locale;
use crate::web::error::ProblemDetails;
use crate::web::routing::route::{Route, RouteTable};
use crate::webhooks::WebhookEvent;

const DESCRIPTION: &str = "Programs use the same URLs as browsers, and send the header `Accept: application/json` with \
    every request. They authenticate with an API token, which a user creates on `/users/tokens/`, and which begins with \
    `ek_`. Names of fields and codes of errors do not change; responses can get more fields, and there can be more codes. \
    Programs distinguish errors by `code`, because `title` and `detail` are texts in the language of the client. Times are in \
    RFC 3339 format and UTC. A list has the paths of the next and the previous page in `next` and `previous`; the `cursor` \
    in them is valid only for the list with the same filters. If an optional field is omitted, its value is kept; if it is \
    empty or `null`, it gets its default.";

pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.contract = Contract::Serialize;
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(rewrite_description)));
        settings.transforms.push(Box::new(RecursiveTransform(merge_choices)));
        settings.transforms.push(Box::new(RecursiveTransform(describe_common_fields)));
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
    let webhooks = WebhookEvent::ALL.map(|event| (event.name().to_owned(), describe_event(event, &mut schemas)));
    let webhooks: Map<String, Value> = webhooks.into_iter().collect();
    let tags: Vec<Value> =
        TAGS.iter().map(|(name, description)| json!({ "name": name, "description": description })).collect();
    json!({
        "openapi": "3.1.1",
        "info": { "title": "Evenkeel", "version": env!("CARGO_PKG_VERSION"), "description": DESCRIPTION },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "schemas": describe_extension(schemas.take_definitions(true)),
            "headers": headers(),
            "responses": { "Error": errors::general_response(&problem) },
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "bearerFormat": "ek_…", "description": "API token, which a user creates on `/users/tokens/`" },
                "session": { "type": "apiKey", "in": "cookie", "name": "session", "description": "Session of a browser" },
            },
        },
    })
}

/// Describes the member `unpause_url` of problem details, which only the error `paused` has.
fn describe_extension(mut schemas: Map<String, Value>) -> Map<String, Value> {
    schemas["Problem"]["properties"]["unpause_url"] =
        json!({ "type": "string", "description": "URL at which the user can end the pause in a browser" });
    schemas
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

fn describe_event(event: WebhookEvent, schemas: &mut SchemaGenerator) -> Value {
    let header = |name: &str, description: &str| json!({ "name": name, "in": "header", "required": true, "description": description, "schema": { "type": "string" } });
    let body = json!({
        "type": "object",
        "properties": {
            "type": { "const": event.name() },
            "timestamp": { "type": "string", "format": "date-time", "description": "Time of the event" },
            "data": event.data_schema(schemas),
        },
        "required": ["type", "timestamp", "data"],
    });
    json!({ "post": {
        "operationId": format!("event_{}", event.name().replace('.', "_")),
        "summary": event.label().translate_to_text(Locale::default()),
        "tags": ["Webhooks"],
        "parameters": [
            header("webhook-id", "Identifier of the event, the same in each attempt"),
            header("webhook-timestamp", "Unix timestamp of the attempt, in seconds"),
            header("webhook-signature", "Signature of the Standard Webhooks specification"),
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
        "responses": { "2XX": { "description": "The event was received" } },
    } })
}

const TAGS: [(&str, &str); 10] = [
    ("Posts", "Posts and feeds"),
    ("Ratings", "Ratings and scores of posts"),
    ("Images", "Uploaded images"),
    ("Users", "Accounts, sessions and API tokens"),
    ("Reports", "Reports of posts, and decisions about them"),
    ("Rate classes", "Rate limits of requests"),
    ("Administration", "Admin area, for staff"),
    ("API", "OpenAPI document"),
    ("Webhooks", "Requests that the site sends to other servers"),
    ("Forms", "Values of the forms on the pages of the site, for browsers"),
];

fn headers() -> Value {
    let header = |description: &str, kind: &str| json!({ "description": description, "schema": { "type": kind } });
    json!({
        "RateLimit-Policy": header("Name of the rate class, its quota `q` and its window `w` in seconds, such as `\"browse\";q=240;w=60`", "string"),
        "RateLimit": header("Remaining requests `r` of the rate class, and the seconds `t` until more are allowed, such as `\"browse\";r=189`", "string"),
        "Retry-After": header("Seconds until the request can be sent again", "integer"),
        "Link": header("Paths of the next and the previous page (RFC 8288)", "string"),
        "Location": header("Path of the created object, or of the page that shows it", "string"),
        "Idempotent-Replayed": header("`true` if this is the stored response to an earlier request with the same `Idempotency-Key`", "string"),
        "WWW-Authenticate": header("Reason why the API token was rejected, and the scope that it lacks (RFC 6750)", "string"),
    })
}

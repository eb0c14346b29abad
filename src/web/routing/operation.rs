//! Operations of the API, derived from the types of handlers, for the `OpenAPI` document.

use std::borrow::Cow;

use actix_web::{Either, HttpRequest, HttpResponse, web};
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

pub const LINK_ERRORS: &[&str] = &["link_invalid", "link_expired", "link_used"];

pub type SchemaBuilder = fn(&mut SchemaGenerator) -> Schema;

#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// Short description of a request, such as "Rate a post", which also determines the id of the operation.
    pub summary: &'static str,
    /// Remarks that follow neither from the summary nor from the schemas, in Markdown; may be empty.
    pub note: &'static str,
    pub parameters: Vec<QueryParameter>,
    pub headers: Vec<HeaderParameter>,
    pub body: Option<RequestBody>,
    pub responses: Vec<ResponseDescription>,
    pub needs_user: bool,
    /// `true` for the form of a page, which is of little use to programs.
    pub is_form: bool,
    /// Codes of the errors that only some operations return.
    pub errors: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub struct RequestBody {
    pub name: &'static str,
    pub schema: fn() -> BodySchema,
    pub has_file: bool,
}

#[derive(Clone, Debug, Default)]
pub struct BodySchema {
    /// Schemas of the fields by name, in the order in which they are documented.
    pub fields: IndexMap<String, Schema>,
    pub required: Vec<String>,
    /// `true` if the body can contain any other fields, which are ignored.
    pub ignores_others: bool,
}

impl BodySchema {
    pub(crate) fn add(&mut self, name: &str, schema: Schema, is_required: bool) {
        self.fields.insert(name.to_owned(), schema);
        if is_required {
            self.required.push(name.to_owned());
        }
    }
}

#[derive(Clone, Debug)]
pub struct QueryParameter {
    pub name: &'static str,
    pub description: Cow<'static, str>,
    pub schema: Schema,
    pub is_required: bool,
    /// `true` if the parameter stands for any number of parameters with other names.
    pub is_open: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct HeaderParameter {
    pub name: &'static str,
    pub description: &'static str,
    pub pattern: &'static str,
}

#[derive(Clone, Debug)]
pub struct ResponseDescription {
    pub status: u16,
    pub media_type: &'static str,
    pub schema: Option<SchemaBuilder>,
    /// `true` if the body is a page of a list, with links to other pages in the header `Link`.
    pub is_list: bool,
}

impl Operation {
    pub fn for_handler<Args: Describe, Output: Describe>(summary: &'static str) -> Self {
        let mut operation = Self { summary, ..Self::default() };
        Args::describe(&mut operation);
        Output::describe(&mut operation);
        operation
    }

    pub fn accepts_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.is_open || parameter.name == name)
    }

    pub(crate) fn add_json<T: JsonSchema>(&mut self, status: u16, is_list: bool) {
        let schema: SchemaBuilder = |schemas| schemas.subschema_for::<T>();
        let media_type = "application/json";
        self.responses.push(ResponseDescription { status, media_type, schema: Some(schema), is_list });
    }

    /// Adds a response without a body (`media_type` is empty), or with a body that is not JSON.
    pub(crate) fn add_response_without_json(&mut self, status: u16, media_type: &'static str) {
        self.responses.push(ResponseDescription { status, media_type, schema: None, is_list: false });
    }
}

impl QueryParameter {
    pub fn new(name: &'static str, description: impl Into<Cow<'static, str>>, schema: Schema) -> Self {
        Self { name, description: description.into(), schema, is_required: false, is_open: false }
    }

    pub fn text(name: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, description, json_schema!({ "type": "string" }))
    }

    pub fn id(name: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::integer(name, description, 1, i64::MAX)
    }

    pub fn integer(name: &'static str, description: impl Into<Cow<'static, str>>, min: i64, max: i64) -> Self {
        Self::new(name, description, json_schema!({ "type": "integer", "minimum": min, "maximum": max }))
    }

    pub fn choice(name: &'static str, description: impl Into<Cow<'static, str>>, values: &[impl AsRef<str>]) -> Self {
        let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
        Self::new(name, description, json_schema!({ "type": "string", "enum": values }))
    }

    pub fn repeated(name: &'static str, description: impl Into<Cow<'static, str>>, values: &[impl AsRef<str>]) -> Self {
        let one = Self::choice(name, "", values).schema;
        let one = if values.is_empty() { json_schema!({ "type": "string" }) } else { one };
        Self::new(name, description, json_schema!({ "type": "array", "items": one }))
    }

    pub fn date(name: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, description, json_schema!({ "type": "string", "format": "date" }))
    }

    pub fn cursor() -> Self {
        Self::text("cursor", "Position in the list, from `next` or `previous` of another page")
    }

    pub fn free_form(name: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        let schema = json_schema!({ "type": "object", "additionalProperties": { "type": "string" } });
        Self { is_open: true, ..Self::new(name, description, schema) }
    }

    pub fn required(self) -> Self {
        Self { is_required: true, ..self }
    }
}

pub trait Describe {
    /// Adds the parameters, the body, the responses and the errors that follow from this type.
    fn describe(_operation: &mut Operation) {}
}

impl Describe for HttpRequest {}
impl Describe for HttpResponse {}
impl Describe for actix_session::Session {}
impl<T> Describe for web::Data<T> {}
impl<T> Describe for web::Path<T> {}
impl<T> Describe for Option<T> {}

impl<T: Describe, E> Describe for Result<T, E> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

impl<L: Describe, R: Describe> Describe for Either<L, R> {
    fn describe(operation: &mut Operation) {
        L::describe(operation);
        R::describe(operation);
    }
}

macro_rules! describe_arguments {
    ($($argument:ident)*) => {
        impl<$($argument: Describe),*> Describe for ($($argument,)*) {
            fn describe(_operation: &mut Operation) {
                $($argument::describe(_operation);)*
            }
        }
    };
}

describe_arguments!();
describe_arguments!(A);
describe_arguments!(A B);
describe_arguments!(A B C);
describe_arguments!(A B C D);
describe_arguments!(A B C D E);
describe_arguments!(A B C D E F);
describe_arguments!(A B C D E F G);
describe_arguments!(A B C D E F G H);
describe_arguments!(A B C D E F G H I);
describe_arguments!(A B C D E F G H I J);

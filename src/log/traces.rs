//! Traces for OpenTelemetry: each request is a span, with what is done for it.

use std::sync::OnceLock;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

/// Whether traces are sent, for the life of the process.
static SENT: OnceLock<()> = OnceLock::new();

/// Whether traces are sent. Spans then have fields that the log has no use for.
#[must_use]
pub fn is_traced() -> bool {
    SENT.get().is_some()
}

/// Sends traces, from a thread of its own, until it is dropped. What a collector does not take is dropped.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// The names of the service and of its resource can be set by `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, how
    /// many traces are sent by `OTEL_TRACES_SAMPLER`.
    pub fn new(collector: &Url) -> anyhow::Result<Self> {
        // The provider of the whole process; if somebody has set one already, it is that.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut address = collector.clone();
        address.set_path(&format!("{}/v1/traces", collector.path().trim_end_matches('/')));
        let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_endpoint(address.as_str()).build();
        let exporter = exporter.context("traces cannot be sent (OTEL_EXPORTER_OTLP_ENDPOINT)")?;
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("evenkeel");
        }
        let _ = SENT.set(());
        let provider = SdkTracerProvider::builder().with_resource(resource.build()).with_batch_exporter(exporter);
        Ok(Self(provider.build()))
    }

    pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> OpenTelemetryLayer<S, Tracer> {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer("evenkeel")).with_location(false).with_threads(false)
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Nobody is left to be told.
        let _ = self.0.shutdown();
    }
}

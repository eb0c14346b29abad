//! OpenTelemetry exporter: one trace per request.

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

static SENT: OnceLock<()> = OnceLock::new();

/// True if traces are exported. If so, spans get additional fields that appear only in traces, not in the log.
pub fn is_tracing_enabled() -> bool {
    SENT.get().is_some()
}

/// Exporter that sends traces from a separate thread. Traces that the collector does not accept are dropped.
pub struct TraceExporter(SdkTracerProvider);

impl TraceExporter {
    /// Creates an exporter. The service name comes from `OTEL_SERVICE_NAME`, resource attributes from
    /// `OTEL_RESOURCE_ATTRIBUTES`, and the sampler from `OTEL_TRACES_SAMPLER`.
    pub fn new(collector: &Url) -> anyhow::Result<Self> {
        // Sets the default TLS provider of the process. The result is ignored: an error means that the process already
        // has a provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut address = collector.clone();
        address.set_path(&format!("{}/v1/traces", collector.path().trim_end_matches('/')));
        let exporter = SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary);
        let exporter = exporter.with_endpoint(address.as_str()).build();
        let exporter = exporter.context("cannot export traces (OTEL_EXPORTER_OTLP_ENDPOINT)")?;
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

impl Drop for TraceExporter {
    fn drop(&mut self) {
        // Shutdown errors are ignored, because logging has already stopped.
        let _ = self.0.shutdown();
    }
}

//! Temporary HTTP server that reports liveness and progress while the site starts up.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::dev::ServerHandle;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpResponse, web};

use super::middleware::finalize_response::finalize_response;
use super::{endpoints, http_server};
use crate::i18n::Phrase;
use crate::phrase;
use crate::web::error::AppError;
use crate::web::settings::Settings;

#[derive(Clone, Debug, Default)]
pub struct StartupProgress(Arc<Mutex<Option<Phrase>>>);

impl StartupProgress {
    pub fn set_step(&self, step: Phrase) {
        tracing::info!(doing = %step, "site is starting");
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
    }

    fn current(&self) -> Phrase {
        let step = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        step.unwrap_or_else(|| phrase!("starting-connecting"))
    }
}

/// Other requests than `/healthz` and static files get an error, which states that the site is starting.
pub fn serve_during_startup(
    listener: TcpListener,
    settings: &Settings,
    progress: &StartupProgress,
) -> std::io::Result<ServerHandle> {
    endpoints::declare_routes();
    let (progress, shared) = (web::Data::new(progress.clone()), web::Data::new(settings.clone()));
    let app = move || {
        App::new()
            .app_data(progress.clone())
            .app_data(shared.clone())
            .wrap(from_fn(finalize_response))
            .wrap(Compress::default())
            .configure(endpoints::configure_startup_endpoints)
            .default_service(web::to(starting))
    };
    let server = http_server::serve(listener, 1, app)?;
    let handle = server.handle();
    tokio::spawn(server);
    Ok(handle)
}

async fn starting(progress: web::Data<StartupProgress>) -> Result<HttpResponse, AppError> {
    Err(AppError::Starting(progress.current()))
}

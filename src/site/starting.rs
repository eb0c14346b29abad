//! What the site answers before it can do anything else: that it lives, and what it is waiting for.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::dev::ServerHandle;
use actix_web::middleware::{Compress, from_fn};
use actix_web::{App, HttpResponse, web};

use crate::site::settings::Settings;
use crate::site::urls;
use crate::web::error::AppError;
use crate::web::{finish, server};

/// What the start is doing. Clones share it.
#[derive(Clone, Debug)]
pub struct Progress {
    doing: Arc<Mutex<String>>,
    production: bool,
}

impl Progress {
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self { doing: Arc::default(), production: settings.production }
    }

    /// Whether answers have to say that the site is https only.
    #[must_use]
    pub fn is_production(&self) -> bool {
        self.production
    }

    /// Tells the log, and whoever asks the site meanwhile.
    pub fn tell(&self, doing: &str) {
        tracing::info!(doing, "starting");
        doing.clone_into(&mut self.doing.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn doing(&self) -> String {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers on `listener` until it is stopped by its handle: `/healthz` that it lives, and everything else `starting`.
///
/// # Errors
/// When `listener` cannot be used.
pub fn answer_meanwhile(
    listener: TcpListener,
    settings: &Settings,
    progress: &Progress,
) -> std::io::Result<ServerHandle> {
    let progress = web::Data::new(progress.clone());
    let app = move || {
        App::new()
            .app_data(progress.clone())
            .wrap(from_fn(finish::finish))
            .wrap(Compress::default())
            .configure(urls::configure_while_starting)
            .default_service(web::to(starting))
    };
    let server = server::serve(listener, 1, &settings.trusted_proxies, app)?;
    let handle = server.handle();
    tokio::spawn(server);
    Ok(handle)
}

async fn starting(progress: web::Data<Progress>) -> Result<HttpResponse, AppError> {
    Err(AppError::Starting(progress.doing()))
}

//! Actix extractor of the application data that the limiter pages need.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpRequest, dev, web};

use crate::rate::{ActiveLimiterCache, Settings};
use crate::web::error::AppError;
use crate::web::routing::operation::Describe;
use crate::web::state::AppState;

pub struct LimiterContext {
    pub state: web::Data<AppState>,
    pub active_limiters: web::Data<ActiveLimiterCache>,
    pub settings: web::Data<Settings>,
}

impl Describe for LimiterContext {}

impl FromRequest for LimiterContext {
    type Error = AppError;
    type Future = Ready<Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut dev::Payload) -> Self::Future {
        let context = || {
            let (state, active_limiters, settings) = (request.app_data(), request.app_data(), request.app_data());
            let (state, active_limiters, settings) = (state.cloned()?, active_limiters.cloned()?, settings.cloned()?);
            Some(Self { state, active_limiters, settings })
        };
        ready(
            context().ok_or_else(|| AppError::Internal("application data of the limiter pages is missing".to_owned())),
        )
    }
}

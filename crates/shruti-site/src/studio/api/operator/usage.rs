//! Usage of the whole server.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use serde::Serialize;
use shruti_service::app::App;
use shruti_service::http::errors::store_error;
use shruti_service::metering::requested_days;
use shruti_store::{Day, UsageOf};

use super::super::Answer;
use super::super::usage::DayEntry;
use super::Operator;

#[derive(Serialize)]
pub(super) struct ServerUsage {
    /// Usage by day, voice, language and API, over all keys.
    days: Vec<DayEntry>,
}

pub(super) async fn usage(State(app): State<Arc<App>>, _: Operator, uri: Uri) -> Answer<Json<ServerUsage>> {
    let (first, last) = requested_days(uri.query().unwrap_or_default(), Day::of(app.clock.now().wall_ms))?;
    let by_day = app.metering.usage(UsageOf::All, first, last).await.map_err(|error| store_error(&error))?;
    Ok(Json(ServerUsage { days: by_day.into_iter().map(Into::into).collect() }))
}

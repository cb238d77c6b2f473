//! Acceptance, admission and service of client connections.

use std::sync::Arc;
use std::time::Duration;

use shruti_http::{RequestId, accept, tune};
use shruti_protocol::ApiError;
use shruti_service::WyomingConfig;
use shruti_service::app::App;
use shruti_service::auth::Caller;
use shruti_service::http::errors::draining;
use shruti_service::limits::StreamPermit;
use shruti_service::synthesis::conversation::Pump;
use shruti_store::{KeyPrefix, Scope};
use shruti_text::Lexicon;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::connection::Connection;
use crate::dialect::WyomingDialect;

/// Maximum number of concurrent connections; a further connection is closed.
const MAX_CONNECTIONS: usize = 64;
/// Maximum time from the first to the last byte of an event.
const EVENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Accepts connections until the future is dropped. `connections` tracks the tasks of the open connections.
pub async fn serve(app: Arc<App>, config: WyomingConfig, connections: TaskTracker) {
    let WyomingConfig { listener, key } = config;
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let (stream, peer) = accept(&listener).await;
        let client =
            Some(peer.ip().to_canonical()).filter(|&address| app.config.limits_connections_of(address));
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            tracing::debug!("a Wyoming connection was refused because too many are open");
            continue;
        };
        let Ok(slot) = app.connections.open(client) else { continue };
        let (app, key) = (Arc::clone(&app), key.clone());
        connections.spawn(async move {
            if let Ok(stream) = tune(stream) {
                converse(app, stream, &key).await;
            }
            drop((permit, slot));
        });
    }
}

async fn converse(app: Arc<App>, stream: TcpStream, key: &KeyPrefix) {
    let connection = Connection::new(stream, Arc::clone(&app.clock), EVENT_TIMEOUT);
    match admit(&app, key).await {
        Ok((caller, permit, lexicon)) => {
            let dialect = WyomingDialect::new(Arc::clone(&app.engine), lexicon);
            Pump::new(app, RequestId::new(), caller, permit, dialect).run(connection).await;
        }
        Err(error) => {
            app.metrics.failed(error.code);
            connection.refuse(&error).await;
        }
    }
}

/// Authenticates the key and applies its limits, as for a WebSocket. Returns the caller, a permit for the stream and
/// the key's lexicon.
async fn admit(app: &Arc<App>, key: &KeyPrefix) -> Result<(Caller, StreamPermit, Arc<Lexicon>), ApiError> {
    if app.is_draining() {
        return Err(draining());
    }
    let caller = app.auth.trusted(key, Scope::Tts).await?;
    app.rates.take(&caller.key, app.clock.now().monotonic).1?;
    let lexicon = app.lexicon_of_key(&caller.key).await?;
    let permit = app.streams.admit(&caller.key)?;
    app.metering.admit(&caller.key).await?;
    Ok((caller, permit, lexicon))
}

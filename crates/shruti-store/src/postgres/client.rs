//! A connection and a transaction, as the statements of [`rows`](super::rows) use them.

use deadpool_postgres::GenericClient;

pub(super) use super::tx::PostgresTx as Connection;

/// What statements run on.
pub(super) trait Client: Sync {
    /// The client with its cache of prepared statements.
    type Cached: GenericClient;

    /// Returns how statements run.
    fn statements(&self) -> Statements<'_, Self::Cached>;
}

/// How statements run.
pub(super) enum Statements<'a, C> {
    /// Prepared once on a connection, by a name.
    Prepared(&'a C),
    /// Sent whole each time, without a name: behind a pooler that shares connections by transaction, a name may be on
    /// another connection, or be that of another client.
    Unnamed(&'a tokio_postgres::Client),
}

impl Connection {
    /// Begins a transaction.
    pub(super) async fn transaction(&mut self) -> Result<Transaction<'_>, tokio_postgres::Error> {
        let transaction = self.object.transaction().await?;
        Ok(Transaction { transaction, is_pooled: self.is_pooled })
    }
}

/// A transaction, which is rolled back where it is dropped.
pub(super) struct Transaction<'a> {
    transaction: deadpool_postgres::Transaction<'a>,
    is_pooled: bool,
}

impl Transaction<'_> {
    pub(super) async fn batch_execute(&self, statements: &str) -> Result<(), tokio_postgres::Error> {
        self.transaction.batch_execute(statements).await
    }

    pub(super) async fn commit(self) -> Result<(), tokio_postgres::Error> {
        self.transaction.commit().await
    }

    /// Runs statements that are not prepared.
    pub(super) fn client(&self) -> &tokio_postgres::Client {
        self.transaction.client()
    }
}

impl Client for Connection {
    type Cached = deadpool_postgres::Client;

    fn statements(&self) -> Statements<'_, Self::Cached> {
        if self.is_pooled { Statements::Unnamed(self.client()) } else { Statements::Prepared(&self.object) }
    }
}

impl<'a> Client for Transaction<'a> {
    type Cached = deadpool_postgres::Transaction<'a>;

    fn statements(&self) -> Statements<'_, Self::Cached> {
        if self.is_pooled {
            Statements::Unnamed(self.client())
        } else {
            Statements::Prepared(&self.transaction)
        }
    }
}

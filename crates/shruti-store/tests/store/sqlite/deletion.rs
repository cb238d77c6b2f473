//! Content of the files after the deletion of an account.

use shruti_store::{AccountDeletion, Actor, KeySpec};

use super::SqliteDatabase;
use crate::suite::{NOON, email, key_of, sign_up};

#[tokio::test]
async fn deleted_data_is_overwritten() {
    const ADDRESS: &str = "asha@example.org";
    let database = SqliteDatabase::new();
    let store = database.open();
    let account = sign_up(&*store, ADDRESS, NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("the shop's own"), NOON).await.record.prefix;
    let others = [ADDRESS, "the shop's own", key.as_str()];
    assert!(others.iter().all(|trace| database.holds(trace)), "the search finds stored data");
    let deleted = store.delete_account(Actor::Operator, email(ADDRESS), NOON).await.unwrap();
    assert!(matches!(deleted, AccountDeletion::Deleted(_)));
    for trace in others {
        assert!(!database.holds(trace), "{trace}");
    }
    assert!(database.holds(account.id.as_str()), "in the log");
}

//! The `shruti audit` command, which prints the audit log, even while the server is running.

use std::collections::HashMap;
use std::io::{Write, stdout};

use anyhow::bail;
use serde::Serialize;
use shruti_store::{AccountId, AuditEntry, Day, EmailAddress, Store};

use crate::accounts::address;
use crate::calendar;
use crate::data_dir::{Data, block_on};
use crate::printable::{printable, printable_json};

/// Maximum number of entries or accounts read per query.
const PART: u32 = 200;
/// Number of entries shown without `--since`.
const NEWEST: usize = 100;

/// Show the audit log, newest entry last: sign-ins, keys, promo codes, passwords, locks
///
/// The log contains no passwords, only the prefixes of keys and only parts of promo codes. Failures of one kind on one
/// day share one line, with the time of the first failure and the number of failures.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Start: a date (2026-11-20, UTC), or a number of days (7d) or hours (12h) ago [default: the newest 100 entries]
    #[arg(long, value_name = "DATE|DAYS|HOURS", value_parser = since)]
    since: Option<i64>,

    /// Show only entries that concern this account
    #[arg(long, value_name = "EMAIL", value_parser = address)]
    account: Option<EmailAddress>,

    /// Write JSON, one object per line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    data: Data,
}

fn since(text: &str) -> Result<i64, String> {
    let start = calendar::start_of(text, calendar::now_ms());
    start.ok_or_else(|| "must be a date such as 2026-11-20, days such as 7d or hours such as 12h".to_owned())
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    block_on(async {
        let store = args.data.existing().await?;
        let store = &*store;
        let account = match &args.account {
            None => None,
            Some(email) => match store.find_account(email.clone()).await? {
                Some(account) => Some(account.id),
                None => bail!("there is no account {email}; `shruti accounts list` shows all accounts"),
            },
        };
        let entries = entries(store, account, args.since).await?;
        let names = names(store).await?;
        if args.json { write_json(&entries, &names) } else { write_lines(&entries, &names) }
    })
}

/// Returns the entries since `since`, or the newest [`NEWEST`] entries if `since` is `None`, oldest first.
async fn entries(
    store: &dyn Store,
    account: Option<AccountId>,
    since: Option<i64>,
) -> anyhow::Result<Vec<AuditEntry>> {
    let mut entries = Vec::new();
    let mut before = None;
    loop {
        let part = store.audit_log(account.clone(), before, PART).await?;
        let Some(oldest) = part.last() else { break };
        before = Some(oldest.id);
        let is_enough = match since {
            // the entries are not in chronological order if the clock was set back, so one more day is read and every
            // entry is checked
            Some(since) => oldest.at_ms < Day::of(since).plus(-1).start_ms(),
            None => entries.len() + part.len() >= NEWEST,
        };
        entries.extend(part.into_iter().filter(|entry| since.is_none_or(|since| is_since(entry, since))));
        if is_enough {
            break;
        }
    }
    if since.is_none() {
        entries.truncate(NEWEST);
    }
    entries.reverse();
    Ok(entries)
}

/// Returns whether an entry may contain an event at or after `since`. A combined entry has the time of its first event
/// and may contain later events of the same day.
fn is_since(entry: &AuditEntry, since: i64) -> bool {
    entry.at_ms >= since || (entry.times > 1 && Day::of(entry.at_ms) == Day::of(since))
}

/// Returns the email addresses of all accounts, keyed by account ID.
async fn names(store: &dyn Store) -> anyhow::Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    let mut after = None;
    loop {
        let part = store.list_accounts(after, PART).await?;
        let Some(last) = part.last() else { return Ok(names) };
        after = Some(last.email.clone());
        names.extend(part.into_iter().map(|account| (account.id.to_string(), account.email.to_string())));
    }
}

fn write_lines(entries: &[AuditEntry], names: &HashMap<String, String>) -> anyhow::Result<()> {
    let name = |id: &str| names.get(id).map_or_else(|| id.to_owned(), Clone::clone);
    let rows = entries.iter().map(|entry| {
        let account = entry.account.as_ref().map(AccountId::as_str).filter(|account| *account != entry.actor);
        let times = if entry.times > 1 { format!(" ×{}", entry.times) } else { String::new() };
        [
            calendar::show_to_the_second(entry.at_ms),
            name(&entry.actor),
            entry.event.clone(),
            account.map_or_else(|| "-".to_owned(), name),
            entry.subject.clone().unwrap_or_else(|| "-".to_owned()),
            format!("{}{times}", entry.outcome),
        ]
        .map(|cell| printable(&cell))
    });
    let titles = ["time (UTC)", "actor", "event", "account", "subject", "outcome"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(titles).chain(rows).collect();
    let widths: [usize; 6] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut out = stdout().lock();
    for row in &rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// Audit entry as JSON: the fields of the entry, and the email address of the account.
#[derive(Serialize)]
struct Line<'a> {
    id: i64,
    at_ms: i64,
    actor: &'a str,
    event: &'a str,
    account: Option<&'a str>,
    email: Option<&'a str>,
    subject: Option<&'a str>,
    outcome: &'a str,
    times: u64,
}

fn write_json(entries: &[AuditEntry], names: &HashMap<String, String>) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for entry in entries {
        let account = entry.account.as_ref().map(AccountId::as_str);
        let line = Line {
            id: entry.id,
            at_ms: entry.at_ms,
            actor: &entry.actor,
            event: &entry.event,
            account,
            email: account.and_then(|account| names.get(account)).map(String::as_str),
            subject: entry.subject.as_deref(),
            outcome: &entry.outcome,
            times: entry.times,
        };
        writeln!(out, "{}", printable_json(&serde_json::to_string(&line)?))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_entries_cover_their_whole_day() {
        const HOUR: i64 = 3_600_000;
        let entry = |at_ms, times| AuditEntry {
            id: 1,
            at_ms,
            actor: "visitor".to_owned(),
            event: "sign_in".to_owned(),
            account: None,
            subject: None,
            outcome: "wrong_password".to_owned(),
            times,
        };
        for (at_ms, times, since, expected) in [
            (5 * HOUR, 1, 5 * HOUR, true),
            (5 * HOUR, 1, 6 * HOUR, false),
            (5 * HOUR, 2, 6 * HOUR, true),
            (5 * HOUR, 2, 24 * HOUR, false),
        ] {
            assert_eq!(is_since(&entry(at_ms, times), since), expected, "{at_ms} {times} {since}");
        }
    }
}

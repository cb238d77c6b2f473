//! The `shruti usage` command, which prints the usage of a key.

use std::io::{Write, stdout};

use anyhow::Context;
use shruti_protocol::UsageAnswer;
use shruti_store::Day;

use crate::printable::printable_lines;
use crate::remote::{Remote, advise};
use crate::runtime::block_on;

/// Show the usage of a key by day, voice, language and API
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First day, UTC [default: the first of the month]
    #[arg(long, value_name = "DATE")]
    from: Option<Day>,

    /// Last day, UTC [default: today]
    #[arg(long, value_name = "DATE")]
    to: Option<Day>,

    /// Write CSV, one line per row, without the total
    #[arg(long)]
    csv: bool,

    #[command(flatten)]
    remote: Remote,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let client = args.remote.client()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let [from, to] = [args.from, args.to].map(|day| day.map(|day| day.to_string()));
    let usage = block_on(&runtime, client.usage(from.as_deref(), to.as_deref())).map_err(advise)?;
    let mut out = stdout().lock();
    let mut text = Vec::new();
    let printed = if args.csv { print_csv(&mut text, &usage) } else { print(&mut text, &usage) };
    let printed = printed.and_then(|()| write!(out, "{}", printable_lines(&String::from_utf8_lossy(&text))));
    printed.context("the table could not be printed")
}

fn print_csv(out: &mut impl Write, usage: &UsageAnswer) -> std::io::Result<()> {
    let mut lines = csv::Writer::from_writer(out);
    lines.write_record(["day", "voice", "language", "api", "characters", "requests", "audio_ms"])?;
    for row in &usage.days {
        let [day, voice, language, api] =
            [row.day.as_str(), row.voice.as_str(), row.language.code(), row.api.as_str()];
        let counts = [row.amount.chars, row.amount.requests, row.amount.audio_ms];
        let [chars, requests, audio_ms] = counts.map(|count| count.to_string());
        lines.write_record([day, voice, language, api, &chars, &requests, &audio_ms])?;
    }
    lines.flush()
}

fn print(out: &mut impl Write, usage: &UsageAnswer) -> std::io::Result<()> {
    writeln!(
        out,
        "{:10}  {:7}  {:8}  {:10}  {:>12}  {:>8}  {:>12}",
        "day (UTC)", "voice", "language", "api", "characters", "requests", "audio (s)"
    )?;
    let total = ["total", "", "", ""];
    let days = usage.days.iter().map(|row| {
        ([row.day.as_str(), row.voice.as_str(), row.language.code(), row.api.as_str()], row.amount)
    });
    for ([day, voice, language, api], amount) in days.chain([(total, usage.total)]) {
        let seconds = amount.audio_ms as f64 / 1_000.0;
        writeln!(
            out,
            "{day:10}  {voice:7}  {language:8}  {api:10}  {:>12}  {:>8}  {seconds:>12.1}",
            amount.chars, amount.requests
        )?;
    }
    if let Some(allowance) = &usage.allowance {
        let left = allowance.chars.saturating_sub(allowance.used);
        let renews = Day::of(allowance.renews_ms);
        writeln!(
            out,
            "\n{}: {} of {} characters used by the account, {left} left; renewed on {renews} (UTC)",
            allowance.month, allowance.used, allowance.chars
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> UsageAnswer {
        serde_json::from_str(
            r#"{"from":"2026-11-01","to":"2026-11-21",
                "days":[
                    {"day":"2026-11-20","voice":"Ananya","language":"hi","api":"clip","chars":1200,"requests":3,
                        "audio_ms":99940},
                    {"day":"2026-11-21","voice":"Arjun","language":"ta","chars":34,"requests":1,"audio_ms":2500}],
                "total":{"chars":1234,"requests":4,"audio_ms":102440},
                "allowance":{"month":"2026-11","chars":100000,"used":2000,"renews_ms":1796083200000}}"#,
        )
        .unwrap()
    }

    #[test]
    fn usage_is_written_as_csv() {
        let mut written = Vec::new();
        print_csv(&mut written, &told()).unwrap();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            "day,voice,language,api,characters,requests,audio_ms\n2026-11-20,Ananya,hi,clip,1200,3,99940\n\
             2026-11-21,Arjun,ta,unknown,34,1,2500\n"
        );
    }

    #[test]
    fn usage_is_shown_as_a_table_with_its_total() {
        let mut shown = Vec::new();
        print(&mut shown, &told()).unwrap();
        assert_eq!(
            String::from_utf8(shown).unwrap(),
            "day (UTC)   voice    language  api           characters  requests     audio (s)\n\
             2026-11-20  Ananya   hi        clip                1200         3          99.9\n\
             2026-11-21  Arjun    ta        unknown               34         1           2.5\n\
             total                                              1234         4         102.4\n\n\
             2026-11: 2000 of 100000 characters used by the account, 98000 left; renewed on 2026-12-01 (UTC)\n"
        );
    }
}

//! Trace configuration from the settings and the environment.

use std::str::FromStr;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use shruti_service::TracesConfig;
use shruti_traces::{CollectorUrl, Exporter, InvalidCollectorUrl};

use crate::settings::Settings;

/// Default fraction of requests and turns that are traced.
const SAMPLE: Sample = Sample(0.01);
/// Default service name in traces.
const SERVICE: &str = "shruti";

/// Collector URL in the settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Collector(CollectorUrl);

impl FromStr for Collector {
    type Err = InvalidCollectorUrl;

    fn from_str(text: &str) -> Result<Self, InvalidCollectorUrl> {
        CollectorUrl::of_base(text).map(Self)
    }
}

impl TryFrom<String> for Collector {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error| format!("traces-endpoint {error}"))
    }
}

/// Fraction of requests and turns that are traced, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Sample(f64);

impl TryFrom<f64> for Sample {
    type Error = &'static str;

    fn try_from(share: f64) -> Result<Self, Self::Error> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err("traces-sample must be a number from 0 to 1")
        }
    }
}

impl FromStr for Sample {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<f64>()
            .ok()
            .and_then(|share| Self::try_from(share).ok())
            .ok_or("must be a number from 0 to 1")
    }
}

/// Requested configuration: the collector, the fraction of requests and turns to trace, and the service name.
#[derive(Debug, PartialEq)]
struct Asked {
    collector: CollectorUrl,
    sample: Sample,
    service: String,
}

/// Starts the exporter of traces on the current runtime. Returns `None` if tracing is disabled.
pub(crate) fn set_up(settings: &Settings) -> anyhow::Result<Option<TracesConfig>> {
    let Some(Asked { collector, sample, service }) = asked(settings, environment)? else {
        return Ok(None);
    };
    let tls = shruti_client::machine_trust()?;
    let exporter = Exporter::start(&collector, tls, service, env!("CARGO_PKG_VERSION"));
    let exporter = exporter.map_err(|error| anyhow!("traces: {error}"))?;
    tracing::info!(%collector, sample = sample.0, "tracing is enabled");
    Ok(Some(TracesConfig { exporter, sample: sample.0 }))
}

/// Returns the collector from the settings and the environment, or `None` if tracing is disabled.
pub(crate) fn collector(settings: &Settings) -> anyhow::Result<Option<CollectorUrl>> {
    Ok(asked(settings, environment)?.map(|requested| requested.collector))
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns the configuration from the settings, completed from the standard OpenTelemetry environment variables.
fn asked(settings: &Settings, variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Option<Asked>> {
    // an empty variable counts as absent
    let variable = |name| variable(name).filter(|value| !value.trim().is_empty());
    let of_variable = |name, read: fn(&str) -> Result<CollectorUrl, InvalidCollectorUrl>| {
        variable(name).map(|url| read(&url).map_err(|error| anyhow!("{name} {error}"))).transpose()
    };
    let collector = match &settings.traces_endpoint {
        Some(Collector(collector)) => Some(collector.clone()),
        None if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) => {
            return Ok(None);
        }
        None => match of_variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", CollectorUrl::exact)? {
            Some(collector) => Some(collector),
            None => of_variable("OTEL_EXPORTER_OTLP_ENDPOINT", CollectorUrl::of_base)?,
        },
    };
    let Some(collector) = collector else {
        if settings.traces_sample.is_some() {
            bail!("traces-sample needs traces-endpoint, the destination of the traces");
        }
        return Ok(None);
    };
    let sample = match (settings.traces_sample, variable("OTEL_TRACES_SAMPLER_ARG")) {
        (Some(sample), _) => sample,
        (None, Some(share)) => {
            share.parse().map_err(anyhow::Error::msg).context("OTEL_TRACES_SAMPLER_ARG")?
        }
        (None, None) => SAMPLE,
    };
    let service = variable("OTEL_SERVICE_NAME").unwrap_or_else(|| SERVICE.to_owned());
    Ok(Some(Asked { collector, sample, service }))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Variables<'a> = &'a [(&'a str, &'a str)];

    fn ask(file: &str, variables: Variables<'_>) -> anyhow::Result<Option<Asked>> {
        let settings = toml::from_str(file)?;
        let value = |name: &str| Some(variables.iter().find(|(known, _)| *known == name)?.1.to_owned());
        asked(&settings, value)
    }

    #[test]
    fn settings_override_opentelemetry_variables_and_tracing_needs_either() {
        const BASE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://base:4318");
        const EXACT: (&str, &str) = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://exact:4318/spans");
        const SHARE: (&str, &str) = ("OTEL_TRACES_SAMPLER_ARG", "0.5");
        const OWN: &str = "traces-endpoint = 'http://own:4318'\ntraces-sample = 0.25";
        type Case<'a> = (&'a str, Variables<'a>, Option<(&'a str, f64, &'a str)>);
        let cases: [Case<'_>; 8] = [
            ("", &[SHARE, ("OTEL_SERVICE_NAME", "speech")], None),
            ("", &[(BASE.0, " ")], None),
            ("", &[BASE], Some(("http://base:4318/v1/traces", 0.01, "shruti"))),
            ("", &[BASE, EXACT, SHARE], Some(("http://exact:4318/spans", 0.5, "shruti"))),
            ("", &[BASE, ("OTEL_SDK_DISABLED", "true")], None),
            ("traces-sample = 0.5", &[BASE, ("OTEL_SDK_DISABLED", "true")], None),
            (OWN, &[BASE, EXACT, SHARE], Some(("http://own:4318/v1/traces", 0.25, "shruti"))),
            (OWN, &[("OTEL_SERVICE_NAME", "speech")], Some(("http://own:4318/v1/traces", 0.25, "speech"))),
        ];
        for (file, variables, expected) in cases {
            let requested = ask(file, variables).unwrap();
            let requested = requested
                .as_ref()
                .map(|requested| (requested.collector.as_str(), requested.sample.0, &*requested.service));
            assert_eq!(requested, expected, "{file} {variables:?}");
        }
    }

    #[test]
    fn errors_name_the_fault() {
        let cases: [(&str, Variables<'_>, &str); 6] = [
            ("traces-sample = 0.5", &[], "needs traces-endpoint"),
            ("traces-endpoint = 'collector:4318'", &[], "traces-endpoint must be a URL"),
            ("traces-endpoint = 'http://a:b@c'", &[], "a user or a password"),
            (
                "traces-endpoint = 'http://c'\ntraces-sample = 1.5",
                &[],
                "traces-sample must be a number from 0 to 1",
            ),
            (
                "",
                &[("OTEL_EXPORTER_OTLP_ENDPOINT", "grpc://c:4317")],
                "OTEL_EXPORTER_OTLP_ENDPOINT must begin",
            ),
            (
                "traces-endpoint = 'http://c'",
                &[("OTEL_TRACES_SAMPLER_ARG", "all")],
                "OTEL_TRACES_SAMPLER_ARG",
            ),
        ];
        for (file, variables, named) in cases {
            let error = format!("{:#}", ask(file, variables).unwrap_err());
            assert!(error.contains(named), "{file} {variables:?}: {error}");
        }
    }
}

//! Chart of a run or a search.

use std::path::Path;

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::report::Report;
use crate::times::Percentiles;

const SIZE: (u32, u32) = (900, 720);
const P50: RGBColor = RGBColor(0x2a, 0x6f, 0xb0);
const P99: RGBColor = RGBColor(0xc0, 0x50, 0x2a);
const UNDERRUNS: RGBColor = RGBColor(0x8a, 0x1c, 0x1c);

/// Position on the horizontal axis, with the values measured there.
struct Point {
    x: f64,
    first_audio: Percentiles,
    cancel: Percentiles,
    underruns: u64,
}

/// Draws a run over time.
pub(super) fn draw_run(path: &Path, report: &Report) -> anyhow::Result<()> {
    let points = report.slices.iter().map(|slice| Point {
        x: slice.at_s,
        first_audio: slice.first_audio,
        cancel: slice.cancel,
        underruns: slice.underruns,
    });
    let title = format!("{} conversations", report.conversations);
    draw(path, &title, "seconds", &points.collect::<Vec<_>>())
}

/// Draws the results of several runs against their numbers of conversations.
pub(super) fn draw_runs(path: &Path, reports: &[Report]) -> anyhow::Result<()> {
    let points = reports.iter().map(|report| Point {
        x: report.conversations as f64,
        first_audio: report.first_audio,
        cancel: report.cancel,
        underruns: report.counts.underruns,
    });
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    draw(path, "search for the largest number of conversations", "conversations", &points)
}

/// Line of a panel: its name, its colour, and the function that returns its value at a point, if any.
type Line = (&'static str, RGBColor, fn(&Point) -> Option<f64>);

fn draw(path: &Path, title: &str, x_name: &str, points: &[Point]) -> anyhow::Result<()> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    let drawn = (|| {
        area.fill(&WHITE)?;
        let area = area.titled(title, ("sans-serif", 20))?;
        let panels = area.split_evenly((3, 1));
        let first_audio: [Line; 2] = [
            ("p99", P99, |point| measured(point.first_audio).map(|times| times.p99_ms)),
            ("p50", P50, |point| measured(point.first_audio).map(|times| times.p50_ms)),
        ];
        let cancel: [Line; 2] = [
            ("p99", P99, |point| measured(point.cancel).map(|times| times.p99_ms)),
            ("p50", P50, |point| measured(point.cancel).map(|times| times.p50_ms)),
        ];
        let underruns: [Line; 1] = [("underruns", UNDERRUNS, |point| Some(point.underruns as f64))];
        panel(&panels[0], ("first audio, ms", x_name), points, &first_audio)?;
        panel(&panels[1], ("answer to a cancel, ms", x_name), points, &cancel)?;
        panel(&panels[2], ("underruns", x_name), points, &underruns)?;
        area.present()
    })();
    drawn.map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))
}

fn measured(times: Percentiles) -> Option<Percentiles> {
    (times.count > 0).then_some(times)
}

fn panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (name, x_name): (&str, &str),
    points: &[Point],
    lines: &[Line],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let (left, right) = (points.first().map_or(0.0, |p| p.x), points.last().map_or(1.0, |p| p.x));
    let values = lines.iter().flat_map(|(_, _, value)| points.iter().filter_map(value));
    let highest = values.fold(1.0_f64, f64::max) * 1.1;
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .caption(name, ("sans-serif", 15))
        .x_label_area_size(32)
        .y_label_area_size(48)
        .build_cartesian_2d(left..right.max(left + 1.0), 0.0..highest)?;
    chart.configure_mesh().light_line_style(WHITE).x_desc(x_name).x_labels(12).y_labels(6).draw()?;
    for &(name, colour, value) in lines {
        let line = points.iter().filter_map(|point| Some((point.x, value(point)?)));
        chart
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
    }
    if lines.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .border_style(BLACK)
            .draw()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_three_panels_and_an_axis() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.svg");
        let run = Report::of_test(10, false);
        draw_run(&path, &run).unwrap();
        let chart = std::fs::read_to_string(&path).unwrap();
        for text in
            ["10 conversations", "first audio, ms", "answer to a cancel, ms", "underruns", "seconds", "p99"]
        {
            assert!(chart.contains(text), "{text}");
        }
        draw_runs(&path, &[Report::of_test(100, false), run]).unwrap();
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .contains("search for the largest number of conversations")
        );
        assert!(draw_runs(Path::new("/nowhere/run.svg"), &[]).is_err());
    }
}

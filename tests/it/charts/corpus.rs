//! A corpus of hard tables, and a comparison of each picture with the records it was drawn from.

mod checks;
mod tables;

use chartroom_charts::Kind;
use serde_json::Value;

use checks::Fault;
use tables::Difficulty;

use super::ChartCase;
use super::text_layout::find_text_problems;

/// Canvas sizes in points: a document, a post and a screen.
const SIZES: [(f64, f64); 3] = [(720.0, 405.0), (1080.0, 1080.0), (1280.0, 720.0)];

/// Returns a document with only a title and a table, as a stranger's first one.
fn case(kind: &'static Kind, records: Vec<Value>) -> ChartCase {
    ChartCase {
        title: "Figures of the year".to_owned(),
        settings: Value::Null,
        style: Value::Null,
        data: records,
        interactive: true,
        ..ChartCase::sample(kind)
    }
}

#[test]
fn pictures_of_hard_tables_show_or_count_every_record_name_and_number() {
    let (mut count, mut failures) = (0, Vec::new());
    for kind in chartroom_charts::kinds() {
        for difficulty in Difficulty::ALL {
            let Some(records) = tables::records(kind.slug, difficulty) else { continue };
            count += 1;
            for (width, height) in SIZES {
                for theme in ["light", "dark"] {
                    let case =
                        case(kind, records.clone()).with_size(width, height).with_theme(theme);
                    let scene = case.render();
                    let mut faults = checks::find_faults(kind.slug, &case.data, &scene);
                    let problems = find_text_problems(&scene).into_iter();
                    faults.extend(problems.map(|problem| (Fault::BadText, problem)));
                    let name = format!("{} {difficulty:?} {width}x{height} {theme}", kind.slug);
                    failures.extend(
                        faults.into_iter().map(|(fault, text)| format!("{name} {fault:?}: {text}")),
                    );
                }
            }
        }
    }
    assert!(count >= 400, "the corpus has only {count} documents");
    assert!(failures.is_empty(), "{} faults:\n{}", failures.len(), failures.join("\n"));
}

/// Kinds with columns, bars, dials or slices, which state in small pictures what these leave out.
const SMALL_KINDS: [&str; 22] = [
    "bar",
    "grouped-column",
    "stacked-column",
    "percent-column",
    "pie",
    "donut",
    "half-donut",
    "waterfall",
    "butterfly",
    "tornado",
    "population-pyramid",
    "bullet",
    "marimekko",
    "bar-mekko",
    "scorecard",
    "gauge",
    "likert",
    "pictogram",
    "combo",
    "histogram",
    "lollipop",
    "pareto",
];

#[test]
fn small_pictures_of_amounts_show_or_count_every_record_name_and_number() {
    let mut failures = Vec::new();
    for slug in SMALL_KINDS {
        let kind = chartroom_charts::find_kind(slug).unwrap();
        for difficulty in Difficulty::ALL {
            let Some(records) = tables::records(slug, difficulty) else { continue };
            let case = case(kind, records).with_size(320.0, 180.0);
            let scene = case.render();
            let mut faults = checks::find_faults(slug, &case.data, &scene);
            let problems = find_text_problems(&scene).into_iter();
            faults.extend(problems.map(|problem| (Fault::BadText, problem)));
            failures.extend(
                faults
                    .into_iter()
                    .map(|(fault, text)| format!("{slug} {difficulty:?} {fault:?}: {text}")),
            );
        }
    }
    assert!(failures.is_empty(), "{} faults:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn numbers_are_right_in_languages_with_other_digits_and_units() {
    let (mut count, mut failures) = (0, Vec::new());
    for kind in chartroom_charts::kinds() {
        for difficulty in Difficulty::ALL {
            let Some(records) = tables::records(kind.slug, difficulty) else { continue };
            for locale in ["ja", "zh", "ko", "he", "ar", "en-IN"] {
                count += 1;
                let settings = serde_json::json!({"locale": locale});
                let case = ChartCase { settings, ..case(kind, records.clone()) };
                let faults =
                    checks::find_number_faults(kind.slug, &case.data, &case.render()).into_iter();
                failures.extend(faults.map(|(fault, text)| {
                    format!("{} {difficulty:?} {locale} {fault:?}: {text}", kind.slug)
                }));
            }
        }
    }
    assert!(count >= 2400, "the corpus has only {count} documents");
    assert!(failures.is_empty(), "{} faults:\n{}", failures.len(), failures.join("\n"));
}

/// The checks report faults: each kind of change of a correct picture is found.
#[test]
fn checks_find_changed_pictures() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let records = tables::records("bar", Difficulty::Decimals).unwrap();
    let faults_after = |change: &dyn Fn(&mut chartroom_charts::Scene)| -> Vec<Fault> {
        let mut scene = case(kind, records.clone()).render();
        change(&mut scene);
        checks::find_faults("bar", &records, &scene).into_iter().map(|(fault, _)| fault).collect()
    };
    let replace_text = |scene: &mut chartroom_charts::Scene, from: &str, to: &str| {
        for shape in &mut scene.shapes {
            if let chartroom_charts::scene::Primitive::Text(text) = &mut shape.primitive
                && text.text == from
            {
                text.text = to.to_owned();
            }
        }
    };
    assert_eq!(faults_after(&|_| ()), []);
    assert_eq!(
        faults_after(&|scene| replace_text(scene, "Pasing", "Pas…")),
        [],
        "the table has no such name"
    );
    assert_eq!(faults_after(&|scene| replace_text(scene, "Laim", "La…")), [Fault::LostName]);
    let label = records[2]["value"].as_f64().map(|value| format!("{value:.1}")).unwrap();
    assert_eq!(faults_after(&|scene| replace_text(scene, &label, "44.0")), [Fault::WrongNumber]);
    assert_eq!(faults_after(&|scene| replace_text(scene, &label, "0")), [Fault::PrintedAsZero]);
    let remove_mark = |scene: &mut chartroom_charts::Scene| {
        scene.marks.iter_mut().filter(|mark| mark.row == Some(2)).for_each(|mark| mark.row = None);
        replace_text(scene, "Laim", "");
    };
    assert_eq!(faults_after(&remove_mark), [Fault::LostRecord, Fault::LostName]);
}

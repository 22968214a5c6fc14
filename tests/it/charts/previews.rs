//! Tests of names and notes on small canvases, such as thumbnails.

use serde_json::{Value, json};

use chartroom_charts::{Omission, Scene};

use super::ChartCase;

/// Size of a thumbnail in points.
const PREVIEW: (f64, f64) = (320.0, 180.0);

/// Authorities with names of 35 to 60 letters.
const AUTHORITIES: [&str; 11] = [
    "Bundesamt für Migration und Flüchtlinge, Außenstelle Bremen",
    "Landesbetrieb für Küstenschutz und Wasserwirtschaft",
    "Zweckverband Abfallwirtschaft der Kreise am Niederrhein",
    "Struktur- und Genehmigungsdirektion der Pfalz",
    "Institute for Applied Research on Coastal Ecosystems",
    "Kommunaler Schadenausgleich der Städte und Gemeinden",
    "Gesellschaft für Wohnungsbau und Stadtentwicklung mbH",
    "National Museum of Transport and Communications",
    "Versorgungsanstalt der Beamten in Forst und Jagd",
    "Staatliche Gewerbeaufsicht, Abteilung Arbeitsschutz",
    "Oberste Baubehörde im Ministerium des Innern",
];

/// Draws records with the default settings, without subtitle and source.
fn render(slug: &str, data: &[Value], (width, height): (f64, f64)) -> Scene {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    let case = ChartCase {
        data: data.to_vec(),
        title: "Authorities".to_owned(),
        settings: json!({}),
        style: json!({}),
        ..ChartCase::sample(kind)
    };
    case.with_size(width, height).render()
}

/// Returns the texts of a scene.
fn texts(scene: &Scene) -> Vec<&str> {
    scene.text_boxes().map(|(text, _)| text).collect()
}

/// Returns the number of omissions of a kind.
fn count(scene: &Scene, omission: Omission) -> usize {
    scene.omissions.iter().filter(|(reason, _)| *reason == omission).map(|(_, count)| count).sum()
}

/// Returns the authorities as parts of four groups.
fn list_parts() -> Vec<Value> {
    let part = |(index, name): (usize, &&str)| {
        let group = format!("Ressort {}", index % 4);
        json!({"label": name, "parent": group, "value": 940 - index * 61})
    };
    AUTHORITIES.iter().enumerate().map(part).collect()
}

#[test]
fn sunburst_names_its_parts_as_far_as_there_is_space() {
    let scene = render("sunburst", &list_parts(), (720.0, 405.0));
    assert_eq!(count(&scene, Omission::Name), 0, "{:?}", texts(&scene));
    let districts = ["Altona", "Eimsbüttel", "Bergedorf", "Harburg", "Wandsbek", "Mitte", "Nord"];
    let part = |(index, name): (usize, &&str)| {
        let parent = ["West", "Ost"][index % 2];
        json!({"label": name, "parent": parent, "value": 90 - index * 7})
    };
    let parts: Vec<Value> = districts.iter().enumerate().map(part).collect();
    let scene = render("sunburst", &parts, PREVIEW);
    assert!(districts.iter().all(|name| texts(&scene).contains(name)), "{:?}", texts(&scene));
}

#[test]
fn lists_beside_circles_shorten_names_later_than_labels() {
    for slug in ["parliament", "pie"] {
        let scene = render(slug, &list_parts(), PREVIEW);
        let texts = texts(&scene);
        let cut: Vec<&&str> = texts.iter().filter(|text| text.ends_with('…')).collect();
        assert!(cut.iter().all(|text| text.chars().count() >= 15), "{slug}: {cut:?}");
        assert_eq!(cut.len(), 11, "{slug}: {texts:?}");
        let is_noted = texts.iter().any(|text| text.contains("Names shortened or left out: 11"));
        assert!(is_noted, "{slug}: {texts:?}");
    }
}

#[test]
fn a_dot_of_a_parliament_stands_for_a_whole_number() {
    let seats = [("Nord", 120_400.5), ("Süd", 98_200.25)];
    let data: Vec<Value> =
        seats.iter().map(|(label, seats)| json!({"label": label, "seats": seats})).collect();
    let scene = render("parliament", &data, (720.0, 405.0));
    assert!(texts(&scene).contains(&"1 dot is 500"), "{:?}", texts(&scene));
}

#[test]
fn labels_of_a_slope_chart_are_near_the_ends_of_their_lines() {
    let record = |index: usize| {
        let (before, after) = match index % 4 {
            0 => (900 + index * 3, 100 + index),
            _ => (100 + index * 17, 220 + index * 19),
        };
        json!({"label": format!("Gemeinde {index}"), "before": before, "after": after})
    };
    let data: Vec<Value> = (0..40).map(record).collect();
    let scene = render("slope", &data, PREVIEW);
    // A label at the same height as its value: the largest ones are above the smallest ones.
    let middle_of = |number: std::ops::Range<f64>| -> Vec<f64> {
        let values = scene.text_boxes().filter(|(_, bounds)| bounds.x0 > 140.0);
        let values = values
            .filter_map(|(text, bounds)| Some((text.parse::<f64>().ok()?, bounds.center().y)));
        values.filter(|(value, _)| number.contains(value)).map(|(_, y)| y).collect()
    };
    let (high, low) = (middle_of(850.0..1000.0), middle_of(0.0..150.0));
    assert!(!high.is_empty() && high.iter().all(|y| *y < 100.0), "{high:?} {:?}", texts(&scene));
    assert!(!low.is_empty() && low.iter().all(|y| *y > 110.0), "{low:?}");
}

#[test]
fn harvey_balls_give_long_names_the_space_beside_the_circles() {
    let option = |(index, name): (usize, &&str)| json!({"option": name, "Preis": index % 5, "Lage": (index + 2) % 5});
    let data: Vec<Value> = AUTHORITIES.iter().enumerate().map(option).collect();
    let scene = render("harvey-balls", &data, PREVIEW);
    let texts = texts(&scene);
    let cut: Vec<&&str> = texts.iter().filter(|text| text.ends_with('…')).collect();
    assert!(cut.iter().all(|text| text.chars().count() >= 35), "{cut:?}");
    // In text of the usual size on a larger canvas.
    let scene = render("harvey-balls", &data, (720.0, 405.0));
    assert_eq!(count(&scene, Omission::Name), 0);
    let name = scene.text_boxes().find(|(text, _)| *text == AUTHORITIES[1]).unwrap();
    assert!(name.1.height() > 11.0, "{name:?}");
}

#[test]
fn harvey_balls_of_different_scores_differ() {
    let data = json!([{"option": "Altona", "Lage": 4}, {"option": "Harburg", "Lage": 5}]);
    let scene = render("harvey-balls", data.as_array().unwrap(), (720.0, 405.0));
    let warning = "Scores are above 4, so that a full circle is 5.";
    assert!(scene.warnings.iter().any(|text| text == warning), "{:?}", scene.warnings);
}

#[test]
fn gantt_lists_names_left_of_the_bars_before_it_cuts_them() {
    let task = |(index, name): (usize, &&str)| {
        let start = format!("2026-{:02}-04", index + 1);
        let end = format!("2026-{:02}-20", (index + 2).min(12));
        let group = ["A", "B"][index / 6];
        json!({"label": name, "group": group, "start": start, "end": end})
    };
    let data: Vec<Value> = AUTHORITIES.iter().enumerate().map(task).collect();
    let scene = render("gantt", &data, (720.0, 405.0));
    assert_eq!(count(&scene, Omission::Name), 0, "{:?}", texts(&scene));
    let scene = render("gantt", &data, PREVIEW);
    let texts = texts(&scene);
    let cut: Vec<&&str> = texts.iter().filter(|text| text.ends_with('…')).collect();
    assert!(!cut.is_empty() && cut.iter().all(|text| text.chars().count() >= 25), "{texts:?}");
}

#[test]
fn swot_fields_have_columns_before_they_leave_out_texts() {
    let fields = ["strengths", "weaknesses", "opportunities", "threats"];
    let text = |index: usize| {
        let field = fields[index % 4];
        json!({"field": field, "text": format!("Projekt {index}")})
    };
    let data: Vec<Value> = (0..48).map(text).collect();
    let scene = render("swot", &data, (720.0, 405.0));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    assert_eq!(texts(&scene).iter().filter(|text| text.starts_with("Projekt")).count(), 48);
}

#[test]
fn tables_continue_beside_the_first_rows() {
    let row = |index: usize| json!({"Gemeinde": format!("Ort {index}"), "Einwohner": 900 + index});
    let data: Vec<Value> = (0..40).map(row).collect();
    let scene = render("table", &data, (720.0, 405.0));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let names = texts(&scene).iter().filter(|text| text.starts_with("Ort ")).count();
    let titles = texts(&scene).iter().filter(|text| **text == "Gemeinde").count();
    assert!(names == 40 && titles > 1, "{names} {titles}");
}

#[test]
fn treemap_lists_the_largest_tiles_without_space_for_their_names() {
    let part = |index: usize| {
        let group = format!("Ressort {}", index % 4);
        json!({"label": format!("Maßnahme {index}"), "parent": group, "value": 900 - index * 13})
    };
    let data: Vec<Value> = (0..40).map(part).collect();
    let scene = render("treemap", &data, PREVIEW);
    let named = texts(&scene).iter().filter(|text| text.starts_with("Maßnahme")).count();
    assert!(named >= 9, "{:?}", texts(&scene));
    assert_eq!(count(&scene, Omission::Name), 40 - named, "{:?}", texts(&scene));
}

#[test]
fn heat_map_gives_long_names_the_space_of_wide_cells() {
    let cell = |index: usize| {
        let column = ["2024", "2025"][index % 2];
        json!({"row": AUTHORITIES[index / 2], "column": column, "value": 10 + index})
    };
    let data: Vec<Value> = (0..8).map(cell).collect();
    let scene = render("heat-map", &data, PREVIEW);
    assert_eq!(count(&scene, Omission::Name), 0, "{:?}", texts(&scene));
}

#[test]
fn timeline_lists_shortened_names_before_it_leaves_most_of_them_out() {
    let event = |(index, name): (usize, &&str)| json!({"label": name, "date": format!("2026-{:02}-04", index + 1)});
    let data: Vec<Value> = AUTHORITIES.iter().enumerate().map(event).collect();
    let scene = render("timeline", &data, PREVIEW);
    let texts = texts(&scene);
    let starts = |name: &&str| name.chars().take(10).collect::<String>();
    let is_named = |name: &&str| texts.iter().any(|text| text.starts_with(&starts(name)));
    assert!(AUTHORITIES.iter().all(is_named), "{texts:?}");
}

#[test]
fn radial_bars_move_aside_for_long_names() {
    let bar =
        |(index, name): (usize, &&str)| json!({"label": name, "value": 2_000_400 + index * 311});
    let data: Vec<Value> = AUTHORITIES.iter().take(5).enumerate().map(bar).collect();
    let scene = render("radial-bar", &data, PREVIEW);
    let texts = texts(&scene);
    let cut: Vec<&&str> = texts.iter().filter(|text| text.ends_with('…')).collect();
    assert!(cut.iter().all(|text| text.chars().count() >= 30), "{cut:?}");
}

#[test]
fn bump_charts_of_previews_show_eleven_ranks() {
    let record = |(index, name): (usize, &&str)| {
        let (before, after) = (90 - index * 3, 60 + index * 7 % 11);
        json!({"label": name, "2024": before, "2025": after})
    };
    let data: Vec<Value> = AUTHORITIES.iter().enumerate().map(record).collect();
    let scene = render("bump", &data, PREVIEW);
    assert_eq!(count(&scene, Omission::NoSpace), 0, "{:?}", texts(&scene));
}

#[test]
fn a_burndown_names_its_last_value_at_the_axis_and_draws_a_single_plan() {
    let data = json!([
        {"date": "2026-01-05", "planned": 900, "actual": 900},
        {"date": "2026-01-12", "planned": 450, "actual": 420},
        {"date": "2026-01-19", "planned": 0, "actual": 2}
    ]);
    let scene = render("burndown", data.as_array().unwrap(), (720.0, 405.0));
    assert!(texts(&scene).contains(&"2"), "{:?}", texts(&scene));
    let circles = |planned: Value| {
        let data = [json!({"date": "2026-01-05", "planned": planned, "actual": 900})];
        let scene = render("burndown", &data, (720.0, 405.0));
        let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
        svg.matches("<circle").count()
    };
    assert_eq!(circles(json!(700)), circles(json!(null)) + 1);
}

#[test]
fn roadmap_shortens_names_before_it_leaves_them_out() {
    let item = |(index, name): (usize, &&str)| {
        let lane = ["Nord", "Süd"][index % 2];
        let start = format!("2026-{:02}-04", index + 1);
        let end = format!("2026-{:02}-20", (index + 3).min(12));
        json!({"label": name, "lane": lane, "start": start, "end": end})
    };
    let data: Vec<Value> = AUTHORITIES.iter().take(6).enumerate().map(item).collect();
    let scene = render("roadmap", &data, PREVIEW);
    let texts = texts(&scene);
    let starts = |name: &&str| name.chars().take(6).collect::<String>();
    let is_named = |name: &&&str| texts.iter().any(|text| text.starts_with(&starts(name)));
    assert!(AUTHORITIES.iter().take(6).filter(is_named).count() > 3, "{texts:?}");
}

#[test]
fn waffle_wraps_names_before_it_cuts_them() {
    let names = ["Kindertagesbetreuung und Schulen", "Straßen und Wege", "Abwasserbeseitigung"];
    let part = |(index, name): (usize, &&str)| json!({"label": name, "value": 90 - index * 20});
    let data: Vec<Value> = names.iter().enumerate().map(part).collect();
    let scene = render("waffle", &data, PREVIEW);
    assert_eq!(count(&scene, Omission::Name), 0, "{:?}", texts(&scene));
}

#[test]
fn a_legend_of_a_venn_diagram_has_the_totals() {
    let data = json!([
        {"sets": ["Bus"], "value": 240},
        {"sets": ["Bahn"], "value": 1300},
        {"sets": ["Rad"], "value": 120},
        {"sets": ["Bus", "Bahn"], "value": 239},
        {"sets": ["Rad", "Bahn"], "value": 119},
        {"sets": ["Bus", "Rad"], "value": 118},
        {"sets": ["Bus", "Bahn", "Rad"], "value": 118}
    ]);
    let scene = render("venn", data.as_array().unwrap(), PREVIEW);
    let has = |start: &str| texts(&scene).iter().any(|text| text.contains(start));
    assert!(has("240") && has("1,300") && has("120"), "{:?}", texts(&scene));
}

#[test]
fn risk_matrix_lists_eight_names_beside_the_matrix() {
    let risk = |index: usize| {
        let (probability, impact) = (index * 3 % 5 + 1, index * 2 % 5 + 1);
        json!({"label": format!("Risiko im Vorhaben {index}"), "probability": probability,
               "impact": impact})
    };
    let data: Vec<Value> = (0..8).map(risk).collect();
    let scene = render("risk-matrix", &data, PREVIEW);
    let named = texts(&scene).iter().filter(|text| text.starts_with("Risiko im Vor")).count();
    assert_eq!(named, 8, "{:?}", texts(&scene));
}

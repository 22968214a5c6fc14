//! Tests that names are whole where the canvas has free space for them.

use serde_json::{Value, json};

use chartroom_charts::{Omission, Scene};

use super::ChartCase;

/// Draws records with the default settings, without subtitle and source.
fn render(slug: &str, data: &[Value], (width, height): (f64, f64)) -> Scene {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    let case = ChartCase {
        data: data.to_vec(),
        settings: json!({}),
        style: json!({}),
        ..ChartCase::sample(kind)
    };
    case.with_size(width, height).render()
}

/// Checks the number of names that are shortened or left out, and of records that are left out.
fn check_lost_names(slug: &str, data: &[Value], size: (f64, f64), max_count: usize) {
    let scene = render(slug, data, size);
    let is_lost =
        |(omission, _): &&(Omission, usize)| matches!(omission, Omission::Name | Omission::NoSpace);
    let count: usize = scene.omissions.iter().filter(is_lost).map(|(_, count)| count).sum();
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    assert!(count <= max_count, "{slug}: {count} lost, {:?}, {texts:?}", scene.warnings);
    // Names that the chart shortens are counted.
    let shortened = texts.iter().filter(|text| text.ends_with('…')).count();
    assert!(shortened == 0 || count > 0, "{slug}: {texts:?}");
}

/// Budget of a town: 9 sources, 7 cost types and 11 purposes.
const TOWN_BUDGET: [&[&str]; 3] = [
    &[
        "Bundeszuschuss",
        "Kommunale Umlage",
        "Teilnehmerbeiträge",
        "Europäischer Sozialfonds",
        "Spenden und Stiftungen",
        "Landesmittel Baden-Württemberg",
        "Rücklagen aus Vorjahren",
        "Vermietung von Räumen",
        "Sponsoring",
    ],
    &[
        "Personalkosten",
        "Sachmittel und Verbrauchsmaterial",
        "Gebäudebewirtschaftung",
        "Digitalisierung",
        "Verwaltung",
        "Öffentlichkeitsarbeit",
        "Investitionen",
    ],
    &[
        "Kindertagesstätten",
        "Jugendzentren",
        "Schulsozialarbeit",
        "Volkshochschule",
        "Musikschule",
        "Stadtbibliothek",
        "Seniorenbegegnung",
        "Sprachkurse",
        "Integrationsprojekte",
        "Ferienprogramm",
        "Familienberatungsstellen",
    ],
];

#[test]
fn sankey_with_27_nodes_shows_all_names_whole() {
    let mut data = Vec::new();
    for (layer, targets) in TOWN_BUDGET.iter().zip(&TOWN_BUDGET[1..]) {
        for (index, source) in layer.iter().enumerate() {
            for step in 0..3 {
                let target = targets[(index * 2 + step) % targets.len()];
                let value = 40 + (index * 31 + step * 47) % 90;
                data.push(json!({"source": source, "target": target, "value": value}));
            }
        }
    }
    check_lost_names("sankey", &data, (720.0, 405.0), 0);
}

/// Tasks of an administration, of which the longest has 34 characters.
const TASKS: [&str; 9] = [
    "Neue Preisliste",
    "Einführung des Kundenportals",
    "Schulung der Außendienstmitarbeiter",
    "Ablösung der Altsysteme",
    "Zertifizierung ISO 27001",
    "Umzug Rechenzentrum",
    "Datenschutz-Folgenabschätzung",
    "Messeauftritt Hannover",
    "Relaunch Webseite",
];

const LONG_TASK: &str = "Ausschreibung und Vergabe der Planungsleistungen für das Rat";

/// Returns projects of a few days to a quarter in three lanes.
fn list_projects(count: usize, label: impl Fn(usize) -> String) -> Vec<Value> {
    let project = |index: usize| {
        let (month, days) = (index * 5 % 12 + 1, [3, 12, 27][index % 3]);
        let lane = ["Vertrieb", "Personal", "Recht"][index % 3];
        json!({"label": label(index), "lane": lane,
               "start": format!("2026-{month:02}-01"), "end": format!("2026-{month:02}-{days}")})
    };
    (0..count).map(project).collect()
}

#[test]
fn roadmap_labels_use_the_space_beside_the_bars() {
    let projects = list_projects(27, |index| format!("{} {index}", TASKS[index % 9]));
    check_lost_names("roadmap", &projects, (720.0, 405.0), 0);
    let long = list_projects(9, |index| format!("{LONG_TASK}{index}"));
    check_lost_names("roadmap", &long, (720.0, 405.0), 0);
}

#[test]
fn roadmap_counts_labels_without_space() {
    let projects = list_projects(36, |index| format!("{LONG_TASK}{index}"));
    let scene = render("roadmap", &projects, (320.0, 180.0));
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    let whole = texts.iter().filter(|text| text.starts_with("Ausschr") && !text.ends_with('…'));
    assert!(scene.omissions.contains(&(Omission::Name, 36 - whole.count())), "{texts:?}");
}

#[test]
fn timeline_lists_events_that_have_no_space_beside_the_band() {
    let event = |index: usize| {
        let date = format!("{}-{:02}-03", 1990 + index, index * 5 % 12 + 1);
        json!({"label": format!("{} {index}", TASKS[index % 9]), "date": date})
    };
    let events: Vec<Value> = (0..35).map(event).collect();
    check_lost_names("timeline", &events, (720.0, 405.0), 0);
    let scene = render("timeline", &events, (720.0, 405.0));
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    assert!(texts.contains(&"1") && texts.contains(&"3 Jan 1990"), "{texts:?}");
    let few: Vec<Value> = (0..12).map(event).collect();
    check_lost_names("timeline", &few, (720.0, 405.0), 0);
}

#[test]
fn long_flow_charts_continue_in_further_columns() {
    let step = |index: usize| {
        let next = if index < 39 { vec![(index + 1).to_string()] } else { Vec::new() };
        json!({"id": index, "label": format!("{} {index}", TASKS[index % 9]), "next": next})
    };
    let steps: Vec<Value> = (0..40).map(step).collect();
    check_lost_names("flow-chart", &steps, (720.0, 405.0), 0);
    let scene = render("flow-chart", &steps, (720.0, 405.0));
    let columns: std::collections::BTreeSet<i64> =
        scene.text_boxes().map(|(_, bounds)| (bounds.center().x / 40.0) as i64).collect();
    assert!(columns.len() >= 3 && scene.warnings.is_empty(), "{:?}", scene.warnings);
}

#[test]
fn mind_maps_wrap_names_into_the_free_height() {
    let topic = json!({"id": "r", "label": "Digitalstrategie der Stadtverwaltung"});
    let branch =
        |index: usize| json!({"id": format!("b{index}"), "parent": "r", "label": TASKS[index]});
    let leaf = |index: usize| {
        let label = format!("{} bis Ende {}", TASKS[index % 9], 2026 + index);
        json!({"id": index, "parent": format!("b{}", index % 5), "label": label})
    };
    let nodes: Vec<Value> =
        std::iter::once(topic).chain((0..5).map(branch)).chain((0..21).map(leaf)).collect();
    check_lost_names("mind-map", &nodes, (720.0, 405.0), 0);
}

/// Returns records with distinct values, the largest first.
fn list_parts(count: usize, label: impl Fn(usize) -> String) -> Vec<Value> {
    let part = |index: usize| {
        let value = 60 + (count - index) * 7;
        json!({"label": label(index), "value": value, "seats": value / 6})
    };
    (0..count).map(part).collect()
}

#[test]
fn slices_without_space_for_labels_are_listed_beside_the_circle() {
    let parts = list_parts(27, |index| format!("{} {index}", TASKS[index % 9]));
    for slug in ["pie", "donut", "half-donut", "parliament"] {
        check_lost_names(slug, &parts, (720.0, 405.0), 0);
    }
    let parties = list_parts(40, |index| format!("Wählergruppe {index}"));
    check_lost_names("parliament", &parties, (720.0, 405.0), 0);
    let scene = render("parliament", &parties, (720.0, 405.0));
    let numbers = scene.text_boxes().filter(|(text, _)| *text == "1").count();
    assert_eq!(numbers, 2, "the list and the seats have a number");
}

#[test]
fn seats_with_decimals_are_printed_exactly_with_a_note() {
    let seats = [("A", 12.5), ("B", 12.5), ("C", 7.0)];
    let data: Vec<Value> =
        seats.iter().map(|(label, seats)| json!({"label": label, "seats": seats})).collect();
    let scene = render("parliament", &data, (720.0, 405.0));
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    assert_eq!(texts.iter().filter(|text| **text == "12.5").count(), 2, "{texts:?}");
    assert!(scene.omissions.contains(&(Omission::WholeDots, 1)), "{:?}", scene.omissions);
    assert!(texts.iter().any(|text| text.contains("rounded to whole numbers")), "{texts:?}");
}

#[test]
fn marimekko_lists_the_names_of_narrow_columns() {
    let column = |index: usize| json!({"label": format!("Landkreis {index}"), "a": 40 + index * 3, "b": 90 - index});
    let columns: Vec<Value> = (0..40).map(column).collect();
    check_lost_names("marimekko", &columns, (720.0, 405.0), 0);
    let long: Vec<Value> = (0..6)
        .map(|index| json!({"label": format!("{LONG_TASK}{index}"), "a": 40, "b": 90}))
        .collect();
    check_lost_names("marimekko", &long, (720.0, 405.0), 0);
}

#[test]
fn the_share_axis_of_a_marimekko_chart_follows_the_language() {
    let kind = chartroom_charts::find_kind("marimekko").unwrap();
    let settings = json!({"locale": "de", "showGrid": true});
    let scene = ChartCase { settings, ..ChartCase::sample(kind) }.render();
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    assert!(texts.contains(&"100\u{a0}%") && !texts.contains(&"100%"), "{texts:?}");
}

#[test]
fn sunburst_moves_names_to_a_legend_and_a_list() {
    let part = |index: usize| {
        let group = ["Personalaufwand", "Regionalvertrieb", "Abschreibungen", "Regulierung"];
        json!({"label": format!("{} {index}", TASKS[index % 9]), "parent": group[index % 4],
               "value": 400 - index * 14})
    };
    let parts: Vec<Value> = (0..27).map(part).collect();
    check_lost_names("sunburst", &parts, (720.0, 405.0), 0);
}

#[test]
fn risk_matrix_lists_all_names_whole() {
    let risk = |index: usize| {
        let label = format!("{} {index}", TASKS[index % 9]);
        json!({"label": label, "probability": index * 3 % 5 + 1, "impact": index * 2 % 5 + 1})
    };
    let risks: Vec<Value> = (0..27).map(risk).collect();
    check_lost_names("risk-matrix", &risks, (720.0, 405.0), 0);
    let scene = render("risk-matrix", &risks, (720.0, 405.0));
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
}

#[test]
fn treemap_lists_the_names_of_small_tiles() {
    let parts = list_parts(27, |index| format!("{} {index}", TASKS[index % 9]));
    check_lost_names("treemap", &parts, (720.0, 405.0), 0);
}

#[test]
fn pies_keep_values_beside_percentages() {
    let amounts = [
        ("Personalaufwendungen", 412.6),
        ("Transferaufwendungen", 388.1),
        ("Sach- und Dienstleistungen", 231.9),
        ("Abschreibungen", 118.4),
        ("Zinsen und ähnliche Aufwendungen", 44.7),
        ("Versorgungsaufwendungen", 39.2),
        ("Mieten und Pachten", 28.8),
        ("Sonstige Aufwendungen", 58.4),
    ];
    let data: Vec<Value> =
        amounts.iter().map(|(label, value)| json!({"label": label, "value": value})).collect();
    for size in [(720.0, 405.0), (1080.0, 1080.0)] {
        let scene = render("pie", &data, size);
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for (_, value) in amounts {
            let start = format!("{value} · ");
            assert!(texts.iter().any(|text| text.starts_with(&start)), "{value}: {texts:?}");
        }
    }
}

//! Tests of the units that charts get from their tables.

use super::mapping_view::MappingView;
use super::table_profiles;
use super::table_tests::convert;
use super::table_tests::ranking;
use super::table_tests::read;
use super::table_tests::records;
use super::table_tests::settings;
use crate::features::portfolio;
use crate::features::tables;

#[test]
fn a_table_shows_the_unit_of_each_column() {
    let found = settings("table", "Ware;Preis;Marge;Lager\nA;1,50 €;12 %;3\nB;2 €;;4\n");
    for wanted in ["\"Preis\":{\"suffix\":\"\u{a0}€\"}", r#""Marge":{"displayAsPercentage":true}"#]
    {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    assert!(!found.contains(r#""Lager":{"#), "{found}");
}

#[test]
fn a_table_has_the_numbers_that_the_whole_table_tells() {
    let text = "Nr;Bestand;Preis\n004711;12.400;0,04 €\n004712;310;2,10 €\n";
    let found = records("table", text);
    for wanted in [r#""Nr":"004711""#, r#""Bestand":12400,"#, r#""Preis":0.04"#] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}

#[test]
fn a_table_keeps_texts_that_no_number_can_replace() {
    let text = "Order;Paid\n12345678901234567890;5 €\n12345678901234567891;$7\n";
    let found = records("table", text);
    for wanted in [r#""Order":"12345678901234567891""#, r#""Paid":"5 €""#, r#""Paid":"$7""#] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}

#[test]
fn changes_of_figures_keep_their_units() {
    let text = "KPI,Value,Change\nChurn,2.4,+0.3 pp\nSales,12,+3.5%\nNPS,41,-3\n";
    let found = records("scorecard", text);
    for wanted in [r#""change":"+0.3 pp""#, r#""change":"+3.5%""#, r#""change":-3"#] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
}

#[test]
fn a_column_with_the_same_unit_in_each_row_is_the_unit_of_the_amounts() {
    let fruit = "Produkt;Menge;Einheit\nÄpfel;120;kg\nBirnen;80;kg\nKirschen;60;kg\n";
    for (unit, suffix) in [("kg", "kg"), ("Mt CO2", "Mt CO2"), ("Personen", "Personen")] {
        let found = settings("bar", &fruit.replace("kg", unit));
        let wanted = format!("\"value\":{{\"suffix\":\"\u{a0}{suffix}\"}}");
        assert!(found.contains(&wanted), "{wanted}: {found}");
    }
    let found = settings("bar", &fruit.replace("kg", "Prozent"));
    assert!(found.contains(r#""value":{"displayAsPercentage":true}"#), "{found}");
    let years = "Unit,Country,2022,2023,2024\nTWh,France,1,2,3\nTWh,Spain,4,5,6\n";
    for kind in ["grouped-column", "heat-map"] {
        let found = settings(kind, years);
        assert!(found.contains("\"suffix\":\"\u{a0}TWh\""), "{kind}: {found}");
    }
    for other in [
        // Several units, no unit, a unit with digits, and several measures.
        fruit.replacen("kg", "t", 1),
        fruit.replace("kg", "Anzahl"),
        fruit.replace("kg", "1000 t"),
        fruit.replace(";Einheit", ";Preis;Einheit").replace(";kg", ";3;kg"),
        fruit.replace("Menge", "Menge (t)"),
    ] {
        let found = settings("grouped-column", &other);
        assert!(!found.contains("suffix"), "{other}: {found}");
    }
    for kind in ["table", "scorecard"] {
        let found = settings(kind, fruit);
        assert!(!found.contains("suffix"), "{kind}: {found}");
    }
}

/// Returns the columns of a table that the kind leaves over, each with its reason or an empty text.
fn left_over(kind: &str, text: &str) -> Vec<(String, &'static str)> {
    let profiles = table_profiles::profile_columns(&read(text)).unwrap();
    let view = MappingView::new(&tables::map_table(&profiles, portfolio::find_kind(kind).unwrap()));
    let reason = |heading: &String| {
        let mut reasons = view.left_over_reasons.iter();
        reasons.find(|reason| reason.column == *heading).map_or("", |reason| reason.message)
    };
    view.left_over.iter().map(|heading| (heading.clone(), reason(heading))).collect()
}

#[test]
fn the_mapping_tells_that_a_column_is_the_unit_of_the_numbers() {
    let fruit = "Produkt;Menge;Einheit\nÄpfel;120;kg\nBirnen;80;kg\nKirschen;60;kg\n";
    let years = "Unit,Country,2022,2023,2024\nTWh,France,1,2,3\nTWh,Spain,4,5,6\n";
    for (kind, table, heading) in
        [("bar", fruit, "Einheit"), ("line", fruit, "Einheit"), ("heat-map", years, "Unit")]
    {
        let wanted = [(heading.to_owned(), "is the unit of the numbers")];
        assert_eq!(left_over(kind, table), wanted, "{kind}");
    }
    // The unit is also the code of a country.
    let kinds = ranking(fruit);
    assert!(kinds[..3].iter().all(|(kind, _)| kind != "point-map"), "{:?}", &kinds[..3]);
    // No numbers in the chart, and no unit.
    for (kind, table) in [("process", fruit), ("bar", &fruit.replace("kg", "Vertrieb"))] {
        let found = left_over(kind, table);
        assert!(found.contains(&("Einheit".to_owned(), "")), "{kind}: {found:?}");
    }
}

#[test]
fn names_of_organizational_units_are_no_units() {
    let costs = "Kostenart;Betrag;Einheit\nMiete;120;kg\nStrom;80;kg\nIT;60;kg\n";
    for unit in ["EMEA", "Controlling", "Vertrieb", "Team Nord"] {
        let found = settings("bar", &costs.replace("kg", unit));
        assert!(!found.contains("suffix"), "{unit}: {found}");
    }
}

#[test]
fn units_are_no_groups_of_a_chart_of_parts() {
    let mixed = "Artikel;Menge;Unit\nMehl;120;kg\nZucker;80;kg\nEier;300;Stück\nMilch;40;l\nMiete;900;EUR\nStrom;80;EUR\n";
    for kind in ["treemap", "sunburst"] {
        assert_eq!(left_over(kind, mixed), [("Unit".to_owned(), "")], "{kind}");
    }
    for mixed in [mixed.to_owned(), mixed.replace("Unit", "Währung")] {
        for (kind, score) in ranking(&mixed) {
            let adds = ["pie", "donut", "half-donut", "waffle", "treemap", "sunburst", "pareto"];
            assert!(!adds.contains(&kind.as_str()) || score < 0.35, "{kind}: {score}");
        }
    }
}

#[test]
fn short_names_win_over_long_remarks_before_them() {
    let long =
        |index: usize| format!("Dieser Posten wurde im Rahmen der Prüfung {index} neu bewertet");
    let table = |first: &str, second: &str, names: [&str; 3]| {
        let rows = names.into_iter().enumerate();
        let rows = rows.map(|(index, name)| format!("{};{name};{}\n", long(index), 10 + index));
        format!("{first};{second};Betrag\n{}", rows.collect::<String>())
    };
    let label = |kind: &str, text: &str| records(kind, text).contains(r#""label":"Ost""#);
    let names = ["Ost", "West", "Süd"];
    for kind in ["bar", "pie", "line", "treemap", "grouped-column"] {
        assert!(label(kind, &table("Sachverhalt", "Werk", names)), "{kind}");
        assert!(label(kind, &table("Bemerkung", "Code", names)), "{kind}");
        // A code is no name beside measures, and repeated texts name no records.
        assert!(!label(kind, &table("Maßnahme", "Code", names)), "{kind}");
        assert!(!label(kind, &table("Sachverhalt", "Werk", ["Ost", "Ost", "Süd"])), "{kind}");
    }
}

#[test]
fn the_unit_of_most_columns_decides_which_are_shown() {
    let answers = "Team;n;Gut;Mittel;Schlecht\nA;212;23%;41%;36%\nB;88;45%;38%;17%\n";
    assert_eq!(convert("percent-column", answers).1, ["Gut", "Mittel", "Schlecht"]);
    // Two columns do not outvote the first one.
    let sales = "Team;Umsatz;Marge;Quote\nA;212;23%;41%\nB;88;45%;38%\n";
    assert_eq!(convert("line", sales).1, ["Umsatz"]);
}

#[test]
fn figures_with_different_signs_keep_them() {
    let text = "Kennzahl;Ist;Soll\nUmsatz;12,4 Mio. €;13 Mio. €\nMarge;8,1 %;9 %\nStellen;212;220\nFluktuation;11,5 %;8 %\n";
    let found = records("scorecard", text);
    for wanted in ["\"value\":\"12,4 Mio. €\"", "\"value\":\"8,1 %\"", r#""value":212"#] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    assert!(!settings("scorecard", text).contains("displayAsPercentage"));
}

#[test]
fn the_line_of_a_combo_chart_with_its_own_axis_has_its_unit() {
    let text = "Quarter,Sales ($m),Profit ($m),Margin\nQ1,410,22,38.4%\nQ2,433,-15,36%\n";
    let table = settings("combo", text);
    assert!(table.contains(r#""rulesets":{"Margin":{"displayAsPercentage":true}}"#), "{table}");
}

#[test]
fn the_heading_of_amounts_is_the_unit_of_icons() {
    let found = settings("pictogram", "Stadt;Wohnungen 2024\nA;15\nB;9\n");
    assert!(found.contains(r#""unitTitle":"Wohnungen 2024""#), "{found}");
}

#[test]
fn values_of_a_bullet_chart_keep_their_units() {
    let text = "KPI,Actual,Target,Unit\nRevenue,\"1,240,500\",\"1,500,000\",$\nMargin,41.3%,45%,\nCustomers,87,120,\n";
    let bullets = records("bullet", text);
    assert!(bullets.contains(r#""label":"Margin","value":"41.3%","target":"45%""#), "{bullets}");
}

#[test]
fn probabilities_of_risks_keep_their_percent_sign_beside_impacts_without_one() {
    let found = settings("risk-matrix", "Risk,Probability,Impact\nFire,2%,5\nStrike,8%,2\n");
    assert!(found.contains(r#""probability":{"displayAsPercentage":true}"#), "{found}");
    assert!(!found.contains(r#""impact":{"#), "{found}");
}

#[test]
fn steps_without_dates_are_the_days_of_a_burndown_chart() {
    for steps in [["1", "2", "3"], ["Tag 1", "Tag 2", "Tag 3"], ["Mon", "Tue", "Wed"]] {
        let [first, second, third] = steps;
        let text = format!("Day;Remaining\n{first};9\n{second};5\n{third};2\n");
        let found = records("burndown", &text);
        let wanted = format!(r#"{{"date":"{first}","actual":9}}"#);
        assert!(found.starts_with(&wanted), "{wanted}: {found}");
    }
    let found = records("burndown", "Product;Remaining\nA;9\nB;5\nC;2\n");
    assert!(!found.contains("date"), "{found}");
}

#[test]
fn the_heading_of_classes_is_the_title_of_their_axis() {
    let found = settings("histogram", "Age;People\n0–10;12\n10–20;30\n20+;9\n");
    for wanted in [r#""xTitle":"Age""#, r#""axis":{"title":"People"}"#] {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    let found = settings("histogram", "von;bis;Personen\n0;10;12\n10;20;30\n20;30;9\n");
    assert!(!found.contains("xTitle"), "{found}");
}

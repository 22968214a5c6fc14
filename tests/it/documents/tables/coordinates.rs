//! Tests of columns that look like amounts, but are none for some kinds: coordinates and plans.

use crate::documents::DocumentFixture;

#[test]
fn coordinates_and_plans_are_not_taken_for_other_columns() {
    let fixture = DocumentFixture::new();
    let places = "Ort,Breitengrad,Längengrad,Filialen\nBerlin,52.52,13.405,12\nHamburg,53.55,9.993,7\n\
                  München,48.137,11.575,9\n";
    let analysis = fixture.analyze(places);
    assert_eq!(analysis["kinds"][0]["slug"], "point-map");
    let keys: Vec<&str> = analysis["kinds"][0]["mapping"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["label", "latitude", "longitude", "value"]);
    let plan = "Kostenstelle;Ist 2024;Plan 2024\nPersonal;1.284.350 €;1.250.000 €\nMiete;95.500 €;95.500 €\n\
                Reisen;12.300 €;10.000 €\n";
    fixture.assert_suits("variance", plan);
    let analysis = fixture.analyze(plan);
    let sankey = analysis["kinds"].as_array().unwrap().iter().find(|kind| kind["slug"] == "sankey");
    assert!(sankey.unwrap()["score"].as_f64().unwrap() < 0.5);
}

#[test]
fn maps_suit_tables_of_places_only() {
    let fixture = DocumentFixture::new();
    let best = |table: &str| fixture.analyze(table)["kinds"][0]["slug"].clone();
    assert_eq!(best("Land;Wert\nDeutschland;83\nFrankreich;68\nÖsterreich;9\n"), "choropleth");
    assert_eq!(best("Region,Value\nBavaria,13\nHesse,6\nSaxony,4\n"), "choropleth");
    assert_eq!(best("Region,Value\nNorth,13\nSouth,6\nWest,4\n"), "bar");
}

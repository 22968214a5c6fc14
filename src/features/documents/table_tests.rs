//! Tests of whole tables: the kinds that suit them, and their records.

use crate::features::documents::mapped_settings::MappedSettings;
use crate::features::documents::records::RecordLimits;
use crate::features::documents::table_profiles;
use crate::features::documents::table_records;
use crate::features::portfolio;
use crate::features::table_reader;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::Table;
use crate::features::tables;

pub(super) fn read(text: &str) -> Table<'_> {
    let limits = Limits { max_rows: 1000, max_text_bytes: 1 << 20, deadline: None };
    let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
    table_reader::read(text.as_bytes(), &options, limits).unwrap()
}

/// Returns all kinds with their scores, the one that suits a table best first.
pub(super) fn ranking(text: &str) -> Vec<(String, f64)> {
    let profiles = table_profiles::profile_columns(&read(text)).unwrap();
    let fits = tables::rank_kinds(&profiles);
    fits.iter().map(|fit| (fit.kind.slug.clone(), fit.score)).collect()
}

/// Returns the three kinds that suit a table best.
pub(super) fn best(text: &str) -> Vec<String> {
    ranking(text).into_iter().take(3).map(|(slug, _)| slug).collect()
}

/// Returns the records of a table, and the keys of its series.
pub(super) fn convert(kind: &str, text: &str) -> (String, Vec<String>) {
    let limits = RecordLimits { max_records: 100, max_bytes: 1 << 20 };
    let table = read(text);
    let profiles = table_profiles::profile_columns(&table).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind(kind).unwrap());
    let mapped = table_records::convert_table(&table, &profiles, &mapping, limits).unwrap();
    let bodies = mapped.records.chunks.iter().map(|chunk| chunk.body.as_str()).collect();
    (bodies, mapped.repeated.into_iter().map(|(key, _)| key).collect())
}

pub(super) fn records(kind: &str, text: &str) -> String {
    convert(kind, text).0
}

/// Returns the settings of a kind after a table.
pub(super) fn settings(kind: &str, text: &str) -> String {
    let kind = portfolio::find_kind(kind).unwrap();
    let profiles = table_profiles::profile_columns(&read(text)).unwrap();
    let mapping = tables::map_table(&profiles, kind);
    MappedSettings::from_mapping(kind, &mapping, &profiles, Vec::new())
        .add_to_settings("{}")
        .unwrap()
}

#[test]
fn falling_times_are_put_in_rising_order() {
    let years = "Position;2024;2023;2022\nUmsatz;480;410;390\nEBIT;52;61;40\n";
    assert_eq!(
        records("line", years),
        r#"{"label":"2022","Umsatz":390,"EBIT":40},{"label":"2023","Umsatz":410,"EBIT":61},{"label":"2024","Umsatz":480,"EBIT":52}"#
    );
    let clubs = "Verein;2023;2022;2021\nBayern;1;1;1\nBVB;2;3;2\nRB;3;2;4\n";
    assert_eq!(convert("bump", clubs).1, ["2021", "2022", "2023"]);
    assert!(
        records("heat-map", clubs).starts_with(r#"{"row":"Bayern","column":"2021","value":1}"#)
    );
    assert_eq!(
        records("line", "Monat;Kurs\nMär;12\nFeb;11\nJan;10\n"),
        r#"{"label":"Jan","Kurs":10},{"label":"Feb","Kurs":11},{"label":"Mär","Kurs":12}"#
    );
    for kind in ["slope", "dumbbell"] {
        assert_eq!(
            records(kind, "Land;2023;2019\nA;5;3\nB;7;9\n"),
            r#"{"label":"A","after":5,"before":3},{"label":"B","after":7,"before":9}"#,
            "{kind}"
        );
    }
    // A chart without a time axis keeps the order of the rows.
    assert!(records("bar", "Monat;Kurs\nMär;12\nFeb;11\nJan;10\n").contains(r#"{"label":"Mär""#));
    assert!(
        records("line", "Monat;Kurs\nDez;12\nJan;11\nFeb;10\n").starts_with(r#"{"label":"Dez""#)
    );
}

#[test]
fn totals_are_no_parts_in_any_row() {
    let first = "Verkehrsmittel;Wege in Mio.\nInsgesamt;257\nAuto;140\nzu Fuß;57\nFahrrad;28\nÖPNV;26\nSonstige;6\n";
    let costs = "Bereich;Kosten\nPersonal Nord;120\nPersonal Süd;80\nZwischensumme Personal;200\nMiete;45\nStrom;15\nZwischensumme Sachkosten;60\nGesamtsumme;260\n";
    for kind in ["pie", "donut", "treemap", "waffle", "bar"] {
        assert!(!records(kind, first).contains("Insgesamt"), "{kind}");
        let parts = records(kind, costs);
        assert_eq!(parts.matches("value").count(), 4, "{kind}: {parts}");
        assert!(!parts.contains("summe"), "{kind}: {parts}");
    }
    assert!(records("table", costs).contains("Zwischensumme Personal"));
    let profiles = table_profiles::profile_columns(&read(costs)).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind("pie").unwrap());
    let left_out: Vec<(usize, &str)> =
        mapping.left_out.iter().map(|note| (note.record, note.text.as_str())).collect();
    assert_eq!(
        left_out,
        [(3, "Zwischensumme Personal"), (6, "Zwischensumme Sachkosten"), (7, "Gesamtsumme")]
    );
    // Problems have the numbers of their rows.
    let problem = costs.replace("Strom;15", "Strom;15\nWasser;k");
    let profiles = table_profiles::profile_columns(&read(&problem)).unwrap();
    assert_eq!(profiles[1].problems[0].record, 6);
}

#[test]
fn named_totals_of_a_waterfall_are_totals() {
    assert_eq!(
        records("waterfall", "Region;Wert\nNord;10\nSüd;8\nSumme;18\n"),
        r#"{"label":"Nord","value":10},{"label":"Süd","value":8},{"label":"Summe","value":18,"isTotal":true}"#
    );
    let total = |text: &str| records("waterfall", text).matches("isTotal").count();
    assert_eq!(total("Region;Wert\nNord;10\nSüd;10\nWest;20\nSumme;40\n"), 1);
    assert_eq!(total("Posten;Wert\nUmsatz;100\nKosten;-60\nJahresergebnis;40\n"), 1);
    assert_eq!(
        total("Posten;Wert\nA;120\nB;80\nZwischensumme;200\nC;45\nD;15\nGesamtsumme;260\n"),
        2
    );
    assert_eq!(total("Posten;Wert\nUmsatz;100\nKosten;-60\nErgebnis;41\n"), 0);
    assert_eq!(total("Posten;Wert\nErgebnis;100\nKosten;-60\nSteuern;-10\n"), 0);
}

#[test]
fn ids_and_years_are_no_amounts() {
    let customers =
        "Kundennummer,Kunde,Bestellungen\n100234,Meyer,12\n100871,Schulz,9\n101002,Özil,15\n";
    assert!(records("bar", customers).contains(r#""label":"Meyer","value":12"#));
    let index = ",city,pop\n0,Ulm,126329\n1,Aalen,68361\n2,Biberach,33200\n";
    assert!(records("bar", index).contains(r#""label":"Ulm","value":126329"#));
    let places = "Ort;Lat;Lng\nBerlin;52.52;13.40\nRom;41.9;12.5\nParis;48.86;2.35\n";
    assert_eq!(best(places)[0], "point-map");
    let staff = "Personalnr.;Vorname;Nachname;Funktion;Vorgesetzter\n100;Ina;Berg;Vorstand;\n101;Olaf;Kern;Leiter Vertrieb;100\n102;Mia;Lang;Leiterin Technik;100\n103;Jan;Voss;Entwickler;102\n104;Eva;Roth;Entwicklerin;102\n105;Kai;Blum;Verkäufer;101\n";
    let kinds = best(staff);
    assert_eq!(kinds[0], "org-chart", "{kinds:?}");
    let years = "Abteilung;Jahr;Kosten\nIT;2022;120\n;2023;140\nHR;2022;60\n;2023;75\nBau;2022;210\n;2023;190\n";
    let kinds = best(years);
    assert!(!kinds.contains(&"slope".to_owned()), "{kinds:?}");
    let old = "Jahr;Bevölkerung\n1800;22000\n1850;35500\n1900;170700\n1950;249000\n2000;198900\n";
    assert!(records("line", old).starts_with(r#"{"label":"1800","Bevölkerung":22000}"#));
}

#[test]
fn codes_and_sizes_are_no_places() {
    for table in [
        "Player,Height,Weight\nSmith,6'2\",210 lbs\nJones,5'11\",185 lbs\nBrown,6'7\",245 lbs\n",
        "Schraube,Bestand\n6-2,120\n7-5,85\n8-8,40\n",
        "Version;Downloads\n2.5.0;1200\n3.2.0;3400\n4.2.0;8100\n",
    ] {
        let kinds = best(table);
        assert!(
            !kinds.iter().any(|kind| kind.ends_with("map") || kind == "choropleth"),
            "{kinds:?}"
        );
    }
}

#[test]
fn headings_do_not_take_the_place_of_names_and_values() {
    let quarters =
        "Region;Q1;Q2;Q3;Q4;Jahr\nNord;10;12;11;14;47\nSüd;8;9;9;10;36\nWest;7;8;8;9;32\n";
    let (stacked, series) = convert("stacked-column", quarters);
    assert!(stacked.starts_with(r#"{"label":"Nord","Q1":10"#), "{stacked}");
    assert_eq!(series, ["Q1", "Q2", "Q3", "Q4"]);
    let work = "Datum;Rest geplant;Rest tatsächlich\n01.03.2024;40;40\n02.03.2024;35;38\n04.03.2024;25;29\n";
    let want = r#"{"date":"2024-03-01","planned":40,"actual":40},{"date":"2024-03-02","planned":35,"actual":38}"#;
    assert!(records("burndown", work).starts_with(want));
    assert_eq!(
        records("histogram", "Von;Bis;Anzahl\n0;10;5\n10;20;12\n20;50;9\n"),
        r#"{"from":0,"to":10,"count":5},{"from":10,"to":20,"count":12},{"from":20,"to":50,"count":9}"#
    );
    for (heading, year) in [("Jahr", 2020), ("Spieltag", 0)] {
        let rows = ["1;2;4", "1;3;2", "1;2;3"];
        let rows = rows.iter().zip(year + 1..).map(|(ranks, year)| format!("{year};{ranks}\n"));
        let clubs = format!("{heading};Bayern;BVB;RB\n{}", rows.collect::<String>());
        let found = records("bump", &clubs);
        assert!(found.contains(r#""label":"BVB","value":3}"#), "{found}");
        assert_eq!(found.matches("period").count(), 9);
    }
    let cities = "Einwohner;Stadt;Mietpreis;Region\n3677472;Berlin;18,29;Ost\n1512491;München;23,19;Süd\n1073096;Köln;15,50;West\n556707;Dresden;9,98;Ost\n";
    assert!(
        records("scatter", cities).contains(r#""label":"Dresden","y":9.98,"group":"Ost""#),
        "{}",
        records("scatter", cities)
    );
}

#[test]
fn different_units_do_not_share_an_axis() {
    let weather = "Monat;Temperatur °C;Niederschlag mm\nJan;1,2;55\nFeb;2,1;41\nMrz;5,9;48\n";
    let profiles = table_profiles::profile_columns(&read(weather)).unwrap();
    assert!(!profiles[1].may_share_unit(&profiles[2]));
    assert_eq!(convert("line", weather).1, ["Temperatur °C"]);
    let figures =
        "Kennzahl;Jan;Feb;Mrz;Apr\nUmsatz (T€);120;130;125;140\nMarge (%);12,5;11,9;12,1;13\n";
    assert!(!["line", "area"].contains(&&*best(figures)[0]), "{:?}", best(figures));
    let listed = "Kennzahl;Einheit;2021;2022;2023\nUmsatz;Mio. €;12,4;13,1;13,9\nMarge;%;31;29;33\nMitarbeiter;Anzahl;54;58;61\n";
    assert_ne!(best(listed)[0], "bump");
}

#[test]
fn percentages_that_are_no_parts_get_no_donut() {
    for table in [
        "Bank,Rate\nAlpha,3.25%\nBeta,2.9%\nGamma,3.1%\nDelta,1.05%\n",
        "Bereich;Anteil\nA;45%\nB;35%\nC;30%\n",
        "Partei;2021;2025;Differenz\nSPD;25,7 %;16,4 %;-9,3\nUnion;24,1 %;28,5 %;+4,4\nGrüne;14,7 %;11,6 %;-3,1\n",
    ] {
        let kinds = best(table);
        assert!(!["donut", "pie", "half-donut"].contains(&&*kinds[0]), "{kinds:?} for {table}");
    }
    assert!(best("Partei;Anteil\nA;45%\nB;35%\nC;20%\n").contains(&"donut".to_owned()));
}

#[test]
fn sizes_are_no_coordinates_and_units_in_headings_stay() {
    let sizes = "Produkt;Breite;Höhe;Preis\nRegal;80;202;59\nTisch;120;74;149\nBett;140;95;299\n";
    assert!(convert("grouped-column", sizes).1.contains(&"Breite".to_owned()));
    let lengths = "Produkt;Breite;Länge\nRegal;80;120\nTisch;90;160\nBett;88;170\n";
    assert_ne!(best(lengths)[0], "point-map");
    let places = "Ort;Breite;Länge\nBerlin;52,52;13,40\nRom;41,9;12,5\nParis;48,86;2,35\n";
    assert_eq!(best(places)[0], "point-map");
    let scaled = settings("bar", "Label;Value (in T€)\nAlpha;1250\nBeta;725\n");
    assert!(scaled.contains("Value (in T€)"), "{scaled}");
}

#[test]
fn a_kind_that_cannot_read_its_columns_is_not_first() {
    let degrees = "City,Latitude,Longitude,Pop\nRome,41°53'N,12°30'E,2800\nSydney,33°52'S,151°12'E,5300\nQuito,0.1807° S,78.4678° W,2000\n";
    assert_ne!(best(degrees)[0], "point-map");
    let mixed = "City,High,Low\nPhoenix,106°F,77°F\nOslo,19°C,11°C\nDelhi,41°C,29°C\n";
    assert_ne!(best(mixed)[0], "tornado");
}

#[test]
fn maps_show_and_name_the_latest_of_several_years() {
    let years = "Country;Code;2021;2022;2023\nGermany;DE;1;2;3\nFrance;FR;4;5;6\nItaly;IT;7;8;9\n";
    for kind in ["choropleth", "world-map", "point-map"] {
        assert!(records(kind, years).contains(r#""value":3"#), "{kind}: {}", records(kind, years));
        assert!(settings(kind, years).contains(r#""valueTitle":"2023""#), "{kind}");
    }
    let falling = "Land;2023;2022\nDeutschland;3;2\nFrankreich;6;5\n";
    assert!(records("choropleth", falling).contains(r#""value":3"#));
    // A year with few values is still incomplete.
    let incomplete = "Country;2022;2023\nGermany;2;\nFrance;5;\nItaly;8;9\nSpain;7;\n";
    assert!(records("choropleth", incomplete).contains(r#""value":2"#));
    // The first of other measures counts.
    let measures = "Country;Area;2022;2023\nGermany;1;2;3\nFrance;4;5;6\n";
    assert!(records("choropleth", measures).contains(r#""value":1"#));
}

#[test]
fn the_heading_of_places_is_a_setting_of_maps() {
    let states = "State;Rate\nCA;5\nDE;4\nAL;3\nIN;6\n";
    assert_eq!(
        settings("choropleth", states),
        r#"{"regionTitle":"State","valueTitle":"Rate","fromTable":{"regionTitle":"State","valueTitle":"Rate"}}"#
    );
}

#[test]
fn a_currency_column_is_the_unit_of_the_amounts() {
    let euros = "Kunde;Menge;Betrag;Währung\nA;3;1,50;EUR\nB;4;20;EUR\n";
    assert_eq!(
        records("bar", euros),
        r#"{"label":"A","Menge":3,"value":1.50,"Währung":"EUR"},{"label":"B","Menge":4,"value":20,"Währung":"EUR"}"#
    );
    assert!(settings("bar", euros).contains("\u{a0}EUR"), "{}", settings("bar", euros));
    // Stripe writes codes in lower case. Other currencies than the most frequent one are no values.
    let mixed = "Customer,Amount,Currency\nA,100,usd\nB,200,eur\nC,90,eur\n";
    assert_eq!(
        records("bar", mixed),
        r#"{"label":"A","value":null,"Currency":"usd"},{"label":"B","value":200,"Currency":"eur"},{"label":"C","value":90,"Currency":"eur"}"#
    );
}

#[test]
fn amounts_in_unknown_currencies_are_not_those_of_the_others() {
    let text = "Item,Amount,Currency\nA,100,USD\nB,50,USD\nC,80,USD\nD,5000,HKD\n";
    let found = records("bar", text);
    assert!(found.ends_with(r#"{"label":"D","value":"5000 HKD","Currency":"HKD"}"#), "{found}");
    // Populations and exchange rates are no amounts.
    let countries = "Country,Currency,Population\nUSA,USD,331\nUK,GBP,67\nJapan,JPY,125\n";
    assert!(records("bar", countries).contains(r#""value":331"#), "{}", records("bar", countries));
}

#[test]
fn a_total_without_a_group_is_no_member_of_the_last_one() {
    let text = "Region,City,Sales\nNorth,Kiel,1\n,Hamburg,2\nSouth,Ulm,3\n,Augsburg,4\n,Total,10\n";
    let found = records("treemap", text);
    assert!(found.contains(r#""parent":"South","label":"Augsburg""#), "{found}");
    assert!(!found.contains(r#""parent":"South","label":"Total""#), "{found}");
}

#[test]
fn groups_named_in_their_first_rows_name_all_rows() {
    let text = "Region,City,Sales\nNorth,Hamburg,10\n,Kiel,7\n\nSouth,Ulm,20\n,Augsburg,8\n";
    assert_eq!(
        records("treemap", text),
        r#"{"parent":"North","label":"Hamburg","value":10},{"parent":"North","label":"Kiel","value":7},{"parent":"South","label":"Ulm","value":20},{"parent":"South","label":"Augsburg","value":8}"#
    );
    let problems = &read(text).report.problems;
    assert!(format!("{problems:?}").contains("2 empty cells are read as the cell above"));
}

#[test]
fn a_time_series_takes_times_of_day_and_periods_without_a_year() {
    let times = "Uhrzeit;Besucher\n08:30;12\n09:00;20\n10:30;44\n";
    assert!(records("time-series", times).starts_with(r#"{"date":"08:30","Besucher":12}"#));
    let weeks = "KW;Umsatz\nKW 14;10\nKW 15;12\nKW 18;18\n";
    assert!(records("time-series", weeks).starts_with(r#"{"date":"KW 14","Umsatz":10}"#));
    let years = "Period,Value\n1850,2\n1851,3\n1852,5\n";
    assert!(records("time-series", years).starts_with(r#"{"date":"1850","Value":2}"#));
}

#[test]
fn a_column_for_each_field_of_a_swot_analysis_gives_a_record_for_each_text() {
    let text = "Stärken;Schwächen;Chancen;Risiken\nTeam;Kapital;Markt;Zinsen\n;IT;;\n";
    assert_eq!(
        records("swot", text),
        r#"{"field":"Stärken","text":"Team"},{"field":"Schwächen","text":"Kapital"},{"field":"Chancen","text":"Markt"},{"field":"Risiken","text":"Zinsen"},{"field":"Schwächen","text":"IT"}"#
    );
}

#[test]
fn figures_of_a_scorecard_keep_their_units() {
    let text = "KPI,Value\nAvailability,99.97 %\nResponse,340 ms\nCost,450 €\nTickets,17\n";
    assert_eq!(
        records("scorecard", text),
        r#"{"label":"Availability","value":"99.97 %"},{"label":"Response","value":"340 ms"},{"label":"Cost","value":"450 €"},{"label":"Tickets","value":17}"#
    );
}

#[test]
fn postings_with_dates_are_no_comparison_of_two_periods() {
    let stripe = "id,Created (UTC),Amount,Amount Refunded,Currency,Customer Email\nch_1,2024-03-01 10:12:33,49.00,0.00,eur,a@x.de\nch_2,2024-03-01 11:45:01,49.00,49.00,eur,b@x.de\nch_3,2024-03-02 09:01:59,199.00,0.00,eur,c@x.de\nch_4,2024-03-03 18:30:12,49.00,0.00,eur,d@x.de\n";
    let sap = "Buchungskreis;Belegnummer;Buchungsdatum;Betrag in Belegwährung;Belegwährung;Text\n1000;1900000001;02.01.2024;1.190,00;EUR;Miete\n1000;1900000002;15.01.2024;500,00-;EUR;Gutschrift\n1000;1900000003;01.02.2024;2.380,00;EUR;Beratung\n1000;1900000004;20.02.2024;99,90;EUR;Porto\n";
    for text in [stripe, sap] {
        let best = best(text);
        assert!(!["slope", "dumbbell", "scatter"].contains(&best[0].as_str()), "{best:?}");
    }
}

#[test]
fn weeks_with_and_without_a_year_are_times() {
    let weeks = "Kalenderwoche;Umsatz\n14;10\n15;12\n18;18\n";
    assert!(records("time-series", weeks).starts_with(r#"{"date":"KW 14","Umsatz":10}"#));
    // Not October and November.
    let years = "KW;Umsatz\n10/2024;10\n11/2024;12\n14/2024;18\n";
    assert!(records("time-series", years).starts_with(r#"{"date":"2024-03-04","Umsatz":10}"#));
}

#[test]
fn columns_are_named_by_texts_that_differ_and_not_by_their_groups() {
    let text =
        "Kategorie;Projekt;Budget;Ist\nIT;ERP;100;90\n;CRM;50;60\nBau;Halle;200;220\n;Dach;80;70\n";
    assert!(records("grouped-column", text).contains(r#""label":"ERP","Budget":100"#));
}

#[test]
fn a_column_of_source_years_is_no_part() {
    for heading in ["Source year", "Berichtsjahr", "Gründungsjahr"] {
        let text = format!("Land;A;B;{heading}\nX;5;6;2023\nY;7;8;2021\n");
        assert_eq!(convert("stacked-column", &text).1, ["A", "B"], "{heading}");
    }
    let text = "Land;A;Vorjahr\nX;5;2023\nY;7;2021\n";
    assert_eq!(convert("stacked-column", text).1, ["A", "Vorjahr"]);
}

#[test]
fn irregular_years_are_dates_of_events() {
    let events = r#"{"date":"1898","label":"Gründung"},{"date":"1945","label":"Brand"},{"date":"1951","label":"Neubau"}"#;
    for heading in ["Datum", "Wann"] {
        let text = format!("{heading};Ereignis\n1898;Gründung\n1945;Brand\n1951;Neubau\n");
        assert_eq!(records("timeline", &text), events, "{heading}");
    }
}

#[test]
fn names_are_better_labels_than_a_numbering() {
    let levels = "Level,Need,Example\n1,Esteem,x\n2,Safety,y\n3,Food,x\n";
    assert!(records("pyramid", levels).contains(r#""label":"Esteem""#));
    assert!(records("pyramid", "Level,Example\n1,x\n2,x\n").contains(r#""label":"1""#));
    assert!(records("pyramid", "Level,Note\nTop,x\nBase,y\n").contains(r#""label":"Top""#));
}

#[test]
fn variants_of_a_projection_are_its_band() {
    let text = "Jahr;Ist;Prognose;Untere Variante (Mio.);Obere Variante (Mio.)\n2022;18,7;;;\n2025;;19,6;19,4;19,9\n2030;;21,6;21,1;22,3\n2035;;23;22;24\n";
    let found = records("projection", text);
    assert!(found.contains(r#""low":19.4,"high":19.9"#), "{found}");
    let flagged = records("projection", "Date,Revenue,Forecast\n2023-01,5,no\n2024-01,6,yes\n");
    assert!(flagged.contains(r#""isForecast":true"#), "{flagged}");
}

#[test]
fn the_year_of_the_foundation_is_no_measure() {
    let text = "Firma,Founded,Employees,Revenue\nA,1889,120,14.5\nB,2015,9,0.4\nC,1971,70,8\n";
    assert!(records("scatter", text).contains(r#""x":120,"y":14.5"#));
}

#[test]
fn the_base_of_a_sensitivity_analysis_is_read() {
    let text = "Assumption,Low,Base,High\nPrice,4.1,5.0,6.2\nVolume,4.4,5.0,5.5\n";
    assert!(records("tornado", text).contains(r#""low":4.1,"base":5.0,"high":6.2"#));
}

#[test]
fn regions_place_the_points_of_a_map_without_coordinates() {
    let parks = "Name,Region,Capacity\nHornsea,United Kingdom,1386\nKriegers Flak,Denmark,605\nHorns Rev,Denmark,407\n";
    assert!(records("point-map", parks).contains(r#""region":"United Kingdom""#));
    let placed = "Name,Region,Latitude,Longitude\nHornsea,United Kingdom,53.9,1.7\nKriegers Flak,Denmark,55,13\nHorns Rev,Denmark,55.5,7.5\n";
    assert!(records("point-map", placed).contains(r#""group":"United Kingdom""#));
}

#[test]
fn measures_of_groups_have_axes_of_their_own() {
    let has_own = |kind: &str, text: &str| {
        let repeated = convert(kind, text).1.into_iter().map(|key| (key.clone(), key)).collect();
        let kind = portfolio::find_kind(kind).unwrap();
        let profiles = table_profiles::profile_columns(&read(text)).unwrap();
        let mapping = tables::map_table(&profiles, kind);
        let settings = MappedSettings::from_mapping(kind, &mapping, &profiles, repeated)
            .add_to_settings("{}")
            .unwrap();
        settings.contains(r#""sharedAxis":false"#) || settings.contains(r#""secondAxis":true"#)
    };
    let two = "Tag,Filiale,Umsatz,Kunden\n1.3.2025,A,12450,310\n2.3.2025,A,13100,300\n1.3.2025,B,8120,201\n2.3.2025,B,9870,244\n";
    assert!(has_own("small-multiples", two) && !has_own("combo", two));
    let one = "Tag,Filiale,Umsatz\n1.3.2025,A,5\n2.3.2025,A,6\n1.3.2025,B,700\n2.3.2025,B,8\n";
    assert!(!has_own("small-multiples", one));
}

#[test]
fn links_to_several_records_are_no_decimal_numbers() {
    let steps = "ID;Schritt;Nachfolger\n1;Antrag;2\n2;Prüfung;3,4\n3;Zusage;4\n4;Ende;\n";
    assert!(records("flow-chart", steps).contains(r#""label":"Prüfung","next":"3,4""#));
    let tasks = "Nr;Aufgabe;Beginn;Ende;Vorgänger\n1;Plan;01.03.2024;05.03.2024;\n2;Bau;06.03.2024;20.03.2024;1\n3;Möbel;06.03.2024;12.03.2024;1\n4;Einzug;21.03.2024;25.03.2024;2,3\n";
    assert!(records("gantt", tasks).contains(r#""dependsOn":"2,3""#));
}
#[test]
fn a_name_beside_a_repeated_team_is_the_label() {
    let shifts = "Shift,From,To,Team\nNight,2024-05-01 22:00,2024-05-02 06:00,Online\nEarly,2024-05-02 05:30,2024-05-02 13:30,Online\nPhoto,2024-05-02 09:00,2024-05-02 18:00,Photo\n";
    let gantt = records("gantt", shifts);
    assert!(
        gantt.contains(r#""label":"Early""#) && gantt.contains(r#""group":"Photo""#),
        "{gantt}"
    );
    let teams = "Team,From,To\nOnline,2024-05-01,2024-05-02\nPhoto,2024-05-02,2024-05-03\n";
    assert!(records("gantt", teams).contains(r#""label":"Photo""#));
}
#[test]
fn a_participle_names_the_superior() {
    let staff = "Name;Funktion;Vorgesetzt\nIna Berg;Vorstand;\nOlaf Kern;Vertrieb;Ina Berg\n";
    assert!(records("org-chart", staff).contains(r#""parent":"Ina Berg""#));
}

#[test]
fn headings_with_more_words_name_the_ends_of_classes() {
    let incomes = "Einkommen von (€);Einkommen bis (€);Haushalte\n0;500;123\n500;1.000;1482\n1.000;2.000;8124\n";
    assert!(records("histogram", incomes).starts_with(r#"{"from":0,"to":500,"count":123}"#));
    assert!(records("histogram", "From,To,Shops\n0,10,4\n10,20,7\n").contains(r#""count":7"#));
    // Without a single column for the counts, they are values.
    let ages = "Age from,Age to,Men,Women\n0,10,4,5\n10,20,7,6\n";
    assert!(!records("histogram", ages).contains("count"));
}
#[test]
fn texts_with_both_ends_are_classes_of_a_histogram() {
    let ages = "Age,People\n0–17,1200\n18–64,900\n65+,1300\n";
    let classes = records("histogram", ages);
    assert!(classes.contains(r#"{"from":"65+","count":1300}"#), "{classes}");
    let sizes = "Employees,Count\n1 to 9,82\n10 to 49,31\n50 and more,4\n";
    assert!(records("histogram", sizes).contains(r#"{"from":"50 and more","count":4}"#));
    let names = "Team,People\nA,12\nB,9\n";
    assert!(records("histogram", names).contains(r#""value":12"#));
}
#[test]
fn finish_times_are_the_values_of_a_beeswarm() {
    let race =
        "Rank,Runner,Country,Time\n1,Ann,KEN,2:06:39\n2,Bea,ETH,2:07:01\n3,Cai,GER,2:10:12\n";
    let dots = records("beeswarm", race);
    assert!(dots.contains(r#""value":"2:06:39""#) && dots.contains(r#""label":"Ann""#), "{dots}");
    let ages = "Runner,Age,Start\nAnn,31,9:00\nBea,28,9:10\n";
    assert!(records("beeswarm", ages).contains(r#""value":31"#));
}
#[test]
fn heights_and_widths_of_mekko_charts_are_named_by_one_word() {
    let segments =
        "Segment,Operating margin,Revenue (EUR m)\nCloud,31.4%,1204.2\nConsulting,-6.2%,388.9\n";
    assert!(records("bar-mekko", segments).contains(r#""value":-6.2,"width":388.9"#));
    let shares = "Segment,Size,Brand A,Brand B\nRetail,400,40%,60%\nPublic,120,70%,30%\n";
    assert!(records("marimekko", shares).contains(r#""width":400"#));
}

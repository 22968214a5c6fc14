//! Tests of the kinds that suit realistic tables best.

use crate::features::portfolio;

use super::table_tests::best;
use super::table_tests::convert;
use super::table_tests::records;

#[test]
fn answers_in_percent_are_no_shares_of_each_other() {
    let answers = "Question,Strongly disagree,Disagree,Neutral,Agree,Strongly agree,n\n\
        My manager supports me,3%,7%,15%,45%,30%,214\nI have the tools I need,8%,21%,18%,38%,15%,212\n\
        I would recommend us,5%,9%,22%,41%,23%,209\n";
    assert_eq!(best(answers)[0], "likert");
}

#[test]
fn periods_and_their_changes_are_paired() {
    let text = "Item,FY23,FY24,Change\nRevenue,450,980,12.3%\nCosts,120,10,12.5%\nRent,80,90,5%\n";
    for text in
        [text.to_owned(), text.replace("FY", "20"), text.replace("FY23,FY24", "H2 2023,H1 2024")]
    {
        let found = records("scorecard", &text);
        assert!(found.contains(r#""value":980"#), "{found}");
        // Changes in percent do not add up.
        for kind in ["waterfall", "pie"] {
            let found = records(kind, &text);
            assert!(found.contains(r#""value":450"#), "{kind}: {found}");
        }
    }
}

#[test]
fn a_change_belongs_to_the_latest_value() {
    let months = "Monat;Umsatz 2024;Umsatz 2025;Veränderung\nJanuar;45.200 €;48.100 €;6,4 %\n\
        Februar;41.900 €;43.750 €;4,4 %\nMärz;52.300 €;49.800 €;-4,8 %\nApril;48.700 €;53.200 €;9,2 %\n";
    let figures = records("scorecard", months);
    assert!(figures.contains(r#""value":48100,"change":6.4"#), "{figures}");
}

#[test]
fn two_measures_of_things_are_no_slope() {
    let cities = "City,Low (°F),High (°F)\nMiami,68,84\nChicago,29,45\nDenver,24,52\n";
    assert_eq!(best(cities)[0], "dumbbell");
    let stock = "Product,Stock,Reorder point\nBolt,2300,5000\nBracket,410,200\nNut,3500,4000\n";
    assert!(!best(stock).contains(&"slope".to_owned()));
    let years = "City,2015,2025\nBath,812,904\nLeeds,745,690\nYork,611,640\n";
    assert!(best(years).contains(&"slope".to_owned()), "{:?}", best(years));
}

#[test]
fn cells_with_different_units_do_not_share_an_axis() {
    let plans = "Feature,Plan A,Plan B\nUsers,5,25\nStorage,10 GB,100 GB\nPrice,€9,€29\n";
    assert_eq!(best(plans)[0], "table");
    let shown = records("table", plans);
    for text in [r#""Plan A":"5""#, r#""Plan A":"10 GB""#, r#""Plan B":"€29""#] {
        assert!(shown.contains(text), "{text} in {shown}");
    }
    let sizes = "File,Size\nA,10 GB\nB,12 GB\nC,7 GB\n";
    assert_eq!(best(sizes)[0], "bar");
}

#[test]
fn steps_of_a_scale_name_the_amounts_beside_them() {
    let answers =
        "Score,Responses\n0,4\n1,2\n2,3\n3,5\n4,6\n5,14\n6,18\n7,41\n8,77\n9,96\n10,120\n";
    assert!(records("bar", answers).contains(r#"{"label":"7","value":41}"#));
    assert_eq!(best(answers)[0], "bar");
}

#[test]
fn weekdays_that_repeat_name_no_points() {
    let visits = "Tag,Stunde,Besucher\nMo,9,12\nMo,12,34\nMo,15,28\nDi,9,15\nDi,12,40\nDi,15,22\n\
        Mi,9,9\nMi,12,37\nMi,15,31\n";
    assert_eq!(best(visits)[0], "heat-map");
}

#[test]
fn a_short_list_of_measurements_is_a_histogram() {
    let salaries = "Salary\n42000\n45500\n39000\n61000\n58000\n47000\n52000\n44000\n75000\n\
        49500\n51000\n88000\n";
    assert_eq!(best(salaries)[0], "histogram");
}

#[test]
fn days_of_the_week_and_chemical_elements_are_no_countries() {
    let days = "Tag,Umsatz\nMo,120\nDi,130\nMi,110\nDo,140\nFr,190\nSa,250\nSo,80\n";
    assert_eq!(best(days)[0], "bar");
    let elements = "Element,Anteil\nHe,24\nBe,3\nNe,5\nAl,12\nAr,4\n";
    assert_eq!(best(elements)[0], "bar");
    let countries = "Land,Umsatz\nDE,120\nFR,80\nIT,60\nES,50\n";
    assert_eq!(best(countries)[0], "choropleth");
}

#[test]
fn durations_are_values_and_times_of_day_are_not() {
    let nights = "Tag,Schlaf\nMo,7:45\nDi,6:30\nMi,8:10\nDo,7:05\n";
    assert_eq!(best(nights)[0], "bar");
    assert!(records("bar", nights).contains(r#"{"label":"Mo","value":"7:45"}"#));
    let trips = "Etappe,Fahrzeit\nBerlin–Köln,4 h 20 min\nKöln–Bonn,25 min\nBonn–Trier,2 h\n";
    assert_eq!(best(trips)[0], "bar");
    let sessions = "Session,Time\nWelcome,09:00\nKeynote,09:30\nCoffee,10:45\nLunch,12:30\n";
    assert!(!best(sessions).contains(&"bar".to_owned()), "{:?}", best(sessions));
    let stops = "Time,Passengers\n06:00,12\n07:00,45\n08:00,80\n09:00,51\n";
    assert!(records("line", stops).contains(r#""Passengers":45"#), "{}", records("line", stops));
}

#[test]
fn the_words_that_differ_between_two_headings_tell_plan_and_result() {
    for (headings, first, second) in [
        ("Plankosten,Istkosten", "plan", "actual"),
        ("Actual hours,Planned hours", "actual", "plan"),
        ("Hours (plan),Hours (actual)", "plan", "actual"),
        ("Zielumsatz,Umsatz", "plan", "actual"),
    ] {
        let table = format!("Team,{headings}\nA,10,12\nB,8,7\n");
        let expected = format!(r#"{{"label":"A","{first}":10,"{second}":12}}"#);
        let shown = records("variance", &table);
        assert!(shown.contains(&expected), "{headings}: {shown}");
    }
    let rents = "Stadt,Neue Miete,Alte Miete\nBonn,12,10\nKiel,9,8\n";
    assert!(records("dumbbell", rents).contains(r#""after":12,"before":10"#));
    let forecast = "Jahr,Prognose,Obergrenze,Untergrenze\n2024,10,12,8\n2025,8,9,7\n";
    let shown = records("projection", forecast);
    assert!(shown.contains(r#""projected":10,"high":12,"low":8"#), "{shown}");
}

#[test]
fn years_are_no_measure_and_numbered_periods_are_times() {
    let inequality = "country,iso3,gini,year\nSouth Africa,ZAF,63.0,2014\nBrazil,BRA,52.9,2021\n\
        United States,USA,39.7,2020\nGermany,DEU,31.7,2019\nSlovakia,SVK,24.1,2020\n";
    assert_eq!(best(inequality)[0], "choropleth");
    let loan = "Month,Payment,Principal,Interest\n1,1432.25,390.58,1041.67\n2,1432.25,392.21,1040.04\n\
        3,1432.25,393.84,1038.41\n4,1432.25,395.48,1036.76\n";
    assert_eq!(best(loan)[0], "line");
    let cohorts = "Cohort,Size,Month 0,Month 1,Month 2\n2025-01,120,100%,62%,48%\n\
        2025-02,140,100%,58%,45%\n2025-03,155,100%,66%,\n";
    let cells = records("heat-map", cohorts);
    assert!(cells.contains(r#""column":"Month 0","value":100}"#), "{cells}");
}

#[test]
fn amounts_with_another_unit_and_sides_of_accounts_are_no_targets() {
    let projects = "Projekt;Fortschritt;Budget\nAlpha;80 %;12.000 €\nBeta;45 %;30.500 €\n";
    assert!(!records("bullet", projects).contains("target"), "{}", records("bullet", projects));
    let account = "Konto;Soll;Haben\nMiete;1.200,00;\nUmsatz;;8.400,00\n";
    assert!(!records("bullet", account).contains("target"));
    let plans = "Projekt;Umsatz;Budget\nAlpha;80 €;120 €\nBeta;45 €;35 €\n";
    assert!(records("bullet", plans).contains(r#""target":120"#));
}

#[test]
fn places_of_several_years_are_a_ranking() {
    let places = "Universität;2020;2021;2022;2023\nLMU;1;1;2;2\nTUM;2;2;1;1\nHeidelberg;3;3;3;4\n\
        Berlin;4;5;4;3\n";
    assert_eq!(best(places)[0], "bump");
    let amounts = "Stadt;2020;2021;2022\nBonn;12;15;11\nKiel;8;9;14\nUlm;7;7;6\n";
    assert_ne!(best(amounts)[0], "bump");
}

#[test]
fn a_table_of_arrows_has_steps_and_conditions() {
    let arrows = "From,To,Label\nOrder,Check,\nCheck,Ship,ok\nCheck,Reject,not ok\n";
    let expected = r#"{"label":"Check","next":"Reject","condition":"not ok"}"#;
    let shown = records("flow-chart", arrows);
    assert!(shown.contains(expected), "{shown}");
    let steps = "Schritt;Nächster\nStart;Prüfen\nPrüfen;Ende\n";
    assert!(records("flow-chart", steps).contains(r#""label":"Prüfen","next":"Ende""#));
}

#[test]
fn a_league_table_is_a_table() {
    let league = "Platz;Verein;Sp.;S;U;N;Tore;Pkt.\n1;Leverkusen;34;28;6;0;89:24;90\n\
        2;Stuttgart;34;23;4;7;78:39;73\n3;München;34;23;3;8;94:45;72\n";
    assert_eq!(best(league)[0], "table");
}

#[test]
fn records_with_names_are_shown_by_name_and_not_by_time_or_place() {
    let staff = "name,department,salary,start_date\nAnn,IT,82000,2019-04-01\nBob,IT,76000,2021-09-15\n\
        Cem,Sales,64000,2018-01-10\nDora,HR,58000,2022-06-01\nEve,Sales,71000,2020-11-23\n";
    assert_eq!(best(staff)[0], "bar");
    let race = "Rank,Name,Nation,Half,Finish\n1,A. Kiplimo,UGA,1:01:33,2:03:37\n\
        2,J. Wanders,SUI,1:02:20,2:05:01\n3,S. Kifle,ERI,1:02:01,2:05:44\n";
    assert_ne!(best(race)[0], "choropleth");
    let costs = "Abteilung;Posten;Betrag\nIT;Server;10\nIT;Lizenzen;5\nHR;Gehalt;20\n";
    assert!(records("bar", costs).contains(r#""label":"Lizenzen""#));
    let bookings = "Buchungstag;Zweck;Betrag;Saldo\n03.03.2025;Einkauf;-54,32;1.245,68\n\
        04.03.2025;Gehalt;2.850,00;4.095,68\n05.03.2025;Miete;-980,00;3.115,68\n";
    assert_eq!(best(bookings)[0], "line");
    let shares = "Wertpapier;Stück;Kaufkurs;Kurs;Gewinn\nSAP;10;118,40;246,15;1.277,50\n\
        Siemens;5;142,10;221,30;396,00\nBayer;20;48,90;22,14;-535,20\n";
    assert_ne!(best(shares)[0], "dumbbell");
}

#[test]
fn figures_with_and_without_percent_signs_do_not_share_an_axis() {
    let figures = "Metric,2023,2024\nRevenue,12.4,14.1\nEmployees,140,155\nOrders,1200,1420\nChurn,4.1%,3.6%\n";
    assert_eq!(best(figures)[0], "table");
    let estimates = "Treatment,Estimate,Lower 95% CI,Upper 95% CI\nPlacebo,0.02,-0.10,0.14\n\
        Low dose,0.21,0.08,0.34\nHigh dose,0.45,0.31,0.59\n";
    assert!(records("grouped-column", estimates).contains(r#""Upper 95% CI":0.34"#));
    let hours = "Employee,Mon,Tue,Total\nAnn,8:00,7:30,15:30\nBob,7:45,8:00,15:45\n";
    assert!(records("grouped-column", hours).contains(r#""Mon":"8:00","Tue":"7:30""#));
}

#[test]
fn all_kinds_with_a_column_for_each_series_read_durations() {
    let table = "Datum;Tag;Schlaf;Wache\n01.03.2025;A;7:45;0:35\n02.03.2025;B;6:30;0:50\n03.03.2025;C;8:10;0:20\n";
    let has_series = |kind: &&portfolio::KindInfo| {
        let is_series = |column: &portfolio::Column| {
            column.repeats && column.column_type == portfolio::ColumnType::Number
        };
        kind.columns.iter().any(is_series)
    };
    let kinds: Vec<_> = portfolio::kinds().iter().filter(has_series).collect();
    assert!(kinds.len() > 10, "{}", kinds.len());
    for kind in kinds {
        let data: Vec<serde_json::Value> =
            serde_json::from_str(&format!("[{}]", records(&kind.slug, table))).unwrap();
        let chart_kind = chartroom_charts::find_kind(&kind.slug).unwrap();
        let scene = chartroom_charts::draw(&chartroom_charts::Chart::new(chart_kind, &data));
        let is_empty = scene.warnings.iter().any(|warning| warning.starts_with("No record holds"));
        assert!(!is_empty, "{}: {:?}", kind.slug, scene.warnings);
    }
}

#[test]
fn remarks_neither_name_the_records_nor_hide_a_long_table() {
    let hives = "Hive,Date,Weight (kg),Notes\nA,2024-04-01,32.1,\nA,2024-05-01,38.4,super added\n\
        A,2024-06-01,51.0,\nB,2024-04-01,29.9,\nB,2024-05-01,n/a,scale broken\nB,2024-06-01,45.2,\n";
    let lines = records("time-series", hives);
    let first = r#"{"date":"2024-04-01","A":32.1,"B":29.9}"#;
    assert!(lines.starts_with(first), "{lines}");
    let tiles = records("treemap", hives);
    assert!(!tiles.contains(r#""label":"super added""#), "{tiles}");
}

#[test]
fn the_first_column_of_different_texts_names_the_parts_even_if_they_are_long() {
    let measures = "Maßnahme;Kosten;Nutzen\n\
        Energetische Sanierung der Turnhalle Nordschule mit Fenstern;1250;hoch\nLED;85,5;mittel\n\
        Photovoltaik Rathaus;210;hoch\nRadweg;0,4;mittel\n";
    let tiles = records("treemap", measures);
    assert!(tiles.contains(r#"{"label":"LED","value":85.5,"parent":"mittel"}"#), "{tiles}");
    let comments = "Region;Umsatz;Text\nNord;1;Der Umsatz ist wegen der neuen Filiale gestiegen\n\
        Nord;2;Der Umsatz ist wegen der Baustelle stark gefallen\n";
    assert!(records("treemap", comments).contains(r#""label":"Nord""#));
}

#[test]
fn the_names_of_a_long_table_are_series_even_if_they_share_no_times() {
    let own_years = "Shop;Year;Sales\nB;2018;1\nB;2019;2\nH;2020;3\nH;2021;4\n";
    let mixed = "Shop;Year;Sales\nB;2018;1\nH;2019;2\nB;2020;3\nH;2021;4\n";
    let years_first = "Year;Shop;Sales\n2018;B;1\n2019;B;2\n2020;H;3\n2021;H;4\n";
    let few_shared = "Shop;Year;Sales\nA;2001;1\nA;2002;2\nB;2004;3\nB;2005;4\nC;2005;5\nC;2008;6\n\
        D;2010;7\nD;2011;8\n";
    for kind in ["line", "area", "time-series", "grouped-column"] {
        assert_eq!(convert(kind, own_years).1, ["B", "H"], "{kind}");
        assert_eq!(convert(kind, mixed).1, ["B", "H"], "{kind}");
        assert_eq!(convert(kind, years_first).1, ["B", "H"], "{kind}");
        assert_eq!(convert(kind, few_shared).1, ["A", "B", "C", "D"], "{kind}");
    }
    // The weather describes the day.
    let weather = "Day;Weather;Visitors\n2024-05-01;sun;1\n2024-05-02;rain;2\n2024-05-03;sun;3\n\
        2024-05-04;rain;4\n";
    assert_eq!(convert("line", weather).1, ["Visitors"]);
    // Each name has one value.
    let names = "City;Founded;People\nA;1200;1\nB;1300;2\nC;1250;3\n";
    assert_eq!(convert("line", names).1, ["People"]);
}

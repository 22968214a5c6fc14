//! Tests of tables as programs and statistical offices export them.

use serde_json::Value;
use serde_json::json;

use super::list_mapping;
use crate::documents::DocumentFixture;

const PRICES: &str = "Date,Open,High,Low,Close,Adj Close,Volume\n\
    2026-03-02,172.30,174.10,170.95,173.57,173.02,48123400\n\
    2026-03-03,173.80,176.55,173.40,176.08,175.52,51234100\n\
    2026-03-04,176.00,176.20,171.00,171.37,170.83,70123900\n\
    2026-03-05,171.10,173.90,170.60,173.12,172.57,45100200\n\
    2026-03-06,null,null,null,null,null,null\n\
    2026-03-09,174.00,175.00,172.20,172.45,171.90,39887600\n";
const COUNTRIES: &str = "Rank,Country or territory,Population (1 July 2024),% of world,Source\n\
    1,India[a],\"1,450,935,791\",17.8%,UN\n2,China[b],\"1,419,321,278\",17.4%,UN\n\
    3,United States[c],\"345,426,571\",4.2%,UN\n4,Côte d'Ivoire,\"31,934,230\",0.4%,UN\n\
    5,Czech Republic,\"10,735,859\",0.1%,UN\nWorld total,,\"8,161,972,572\",100%,UN\n";
const INDICATORS: &str = "\"Data Source\",\"World Development Indicators\",\n\n\
    \"Last Updated Date\",\"2025-07-01\",\n\n\
    \"Country Name\",\"Country Code\",\"Indicator Name\",\"2018\",\"2019\",\"2020\",\"2021\",\"2022\",\n\
    \"Germany\",\"DEU\",\"Inflation (annual %)\",\"1.73\",\"1.44\",\"0.14\",\"3.06\",\"6.87\",\n\
    \"France\",\"FRA\",\"Inflation (annual %)\",\"1.85\",\"1.10\",\"0.47\",\"1.64\",\"5.22\",\n\
    \"Argentina\",\"ARG\",\"Inflation (annual %)\",\"\",\"\",\"42.01\",\"48.40\",\"72.43\",\n";
const MEASUREMENTS: &str = "Date,Weight,Body fat,Steps\n\
    Mon 02 Mar 2026,82.4 kg,21.3 %,\"8,412\"\nTue 03 Mar 2026,82.1 kg,21.2 %,\"10,230\"\n\
    Wed 04 Mar 2026,--,,-\nThu 05 Mar 2026,81.9 kg,21.0 %,\"6,002\"\n\
    Sat 07 Mar 2026,81.5 kg,20.8 %,\"12,954\"\n";
const FIGURES: &str = "Kennzahl;Ziel;Ist;Vorjahr;Einheit\nUmsatz;12,5;13,1;11,9;Mio. €\n\
    Marge;32;29,4;31,0;%\nNPS;45;51;44;Punkte\nFluktuation;8;9,6;7,8;%\n";
const PLAN: &str = "ID;Aufgabe;Verantwortlich;Beginn;Dauer (Tage);Fertig;Vorgänger\n\
    1;Konzept;Eva;02.03.26;10;100%;\n2;Entwurf;Tom;16.03.26;15;60%;1\n4;Abnahme;Eva;18.05.26;0;0%;2\n";
const ANSWERS: &str = "Question,Strongly disagree,Disagree,Neutral,Agree,Strongly agree,No answer,n\n\
    Salary,12%,23%,30%,25%,8%,2%,412\nManager,4%,9%,18%,41%,27%,1%,410\n";

const BUILDINGS: &str = "Rank,Name,City,Height (m),Floors,Year\n1,Burj Khalifa,Dubai,828,163,2010\n\
    2,Merdeka 118,Kuala Lumpur,678.9,118,2023\n3,Shanghai Tower,Shanghai,632,128,2015\n\
    4,Makkah Royal Clock Tower,Mecca,601,120,2012\n";
const BUDGET: &str = "Department;Item;Billion €\nSocial affairs;Pensions;121\nSocial affairs;Unemployment;45\n\
    Social affairs;Families;28\nDefence;Personnel;21\nDefence;Procurement;19\nTransport;Roads;14\n\
    Transport;Railways;16\nTransport;Waterways;2,4\n";
const PROFIT: &str = "Position;Betrag (T€)\nUmsatzerlöse;4820\nMaterialaufwand;-1940\nRohertrag;2880\n\
    Personalaufwand;-1385\nAbschreibungen;-210\nFinanzergebnis;35\nJahresüberschuss;1320\n";
const FUNNEL: &str =
    "Stage,Visitors\nLanding page,48210\nProduct page,21544\nCart,6120\nCheckout,2890\n";
const LIFE: &str = "Country,GDP per capita (1000 $),Life expectancy (years),Population (millions),Continent\n\
    Norway,82,83.2,5.5,Europe\nGermany,52,81,84,Europe\nJapan,34,84.5,124,Asia\nIndia,2.5,70.8,1428,Asia\n\
    Nigeria,1.6,53.9,224,Africa\nKenya,2.1,63.7,55,Africa\nBrazil,10.3,75.6,216,Americas\n";
const SALARIES: &str = "Name,Start Date,Salary,Bonus %\n\"O'Brien, Pat\",03/15/2019,\"£42,500.00\",5%\n\
    \"Müller, Jörg\",11/01/2021,\"£38,000.00\",2.5%\n\"Zhang, Wei\",07/22/2023,\"£51,250.50\",0%\n";

#[test]
fn dates_of_records_are_no_axis_of_time() {
    let fixture = DocumentFixture::new();
    for table in [BUILDINGS, SALARIES] {
        let analysis = fixture.analyze(table);
        let first = analysis["kinds"][0]["slug"].as_str().unwrap();
        assert!(
            !["line", "area", "time-series", "gantt", "roadmap"].contains(&first),
            "{first}: {table}"
        );
    }
}

#[test]
fn exported_tables_get_the_expected_kind_first() {
    let fixture = DocumentFixture::new();
    for (wanted, table) in [
        ("candlestick", PRICES),
        ("choropleth", COUNTRIES),
        ("time-series", INDICATORS),
        ("small-multiples", MEASUREMENTS),
        ("bullet", FIGURES),
        ("gantt", PLAN),
        ("likert", ANSWERS),
        ("treemap", BUDGET),
        ("waterfall", PROFIT),
        ("funnel", FUNNEL),
        ("scatter", LIFE),
        ("small-multiples", "Monat;Temperatur;Regen\n;°C;mm\nJan;1,2;55\nFeb;2,1;41\nMär;5,9;48\n"),
    ] {
        let analysis = fixture.analyze(table);
        assert_eq!(analysis["kinds"][0]["slug"], wanted, "{table}");
    }
}

#[test]
fn subtotals_and_the_result_of_a_waterfall_start_at_zero() {
    let fixture = DocumentFixture::new();
    let (_, document) = fixture.create_from_table("waterfall", PROFIT);
    let url = document["urls"]["endpoint"].as_str().unwrap();
    let path = &url[url.find("/api").unwrap()..];
    let image = fixture.send_as_ann("GET", &format!("{path}.svg"), "").text;
    // Totals have no sign.
    for text in ["+35", "−210", ">2,880<", ">1,320<", ">+4,820<"] {
        assert!(image.contains(text), "{text}: {image}");
    }
}

#[test]
fn amounts_are_no_names_of_rows() {
    let fixture = DocumentFixture::new();
    let analysis = fixture.analyze(
        "Month,Precipitation (mm),Temperature (°C)\nJan,48,-0.4\nFeb,36,0.8\nMar,44,4.9\nApr,42,9.6\n",
    );
    let score = |slug: &str| {
        let kinds = analysis["kinds"].as_array().unwrap();
        let kind = kinds.iter().find(|kind| kind["slug"] == slug);
        kind.unwrap()["score"].as_f64().unwrap()
    };
    assert!(score("heat-map") < score("combo"));
    assert!(score("combo") > score("bar"));
}

#[test]
fn the_order_of_day_and_month_follows_from_other_columns_and_the_form() {
    let fixture = DocumentFixture::new();
    let starts = |table: &str| -> String {
        let (_, document) = fixture.create_from_table("gantt", table);
        document["data"][0]["start"].as_str().unwrap().to_owned()
    };
    let padded = "Task,Start,End\nA,03/04/2026,03/15/2026\nB,05/04/2026,05/06/2026\n";
    assert_eq!(starts(padded), "2026-03-04");
    let padded = "Task,Start,End\nA,03/04/2026,15/04/2026\nB,05/04/2026,05/06/2026\n";
    assert_eq!(starts(padded), "2026-04-03");
    assert_eq!(starts("Task,Start\nA,3/4/26\nB,5/4/26\n"), "2026-03-04");
    assert_eq!(starts("Aufgabe;Start;Kosten\nA;3/4/26;1,5\nB;5/4/26;2,5\n"), "2026-04-03");
}

#[test]
fn headings_with_the_month_first_are_dates() {
    let fixture = DocumentFixture::new();
    for (headings, second) in [
        ("1/1/26,2/1/26,3/1/26", "2026-02-01"),
        ("01/15/2026,01/31/2026,02/15/2026", "2026-01-31"),
        ("01/01/2026,01/02/2026,01/03/2026", "2026-02-01"),
    ] {
        let table = format!("Region,{headings}\nNorth,1,2,3\nSouth,4,5,6\n");
        let (_, document) = fixture.create_from_table("time-series", &table);
        assert_eq!(document["data"][1]["date"], second, "{headings}");
    }
}

#[test]
fn a_number_out_of_range_stays_a_text_and_the_image_is_drawn() {
    let fixture = DocumentFixture::new();
    for number in ["1e999 km", "1e999", "(9e400)"] {
        let table = format!("Name,Value\nA,{number}\nB,2 km\nC,3 km\nD,4 km\n");
        let (_, document) = fixture.create_from_table("bar", &table);
        assert_eq!(document["data"][0]["value"], number);
        let url = document["urls"]["endpoint"].as_str().unwrap();
        let path = &url[url.find("/api").unwrap()..];
        let image = fixture.send_as_ann("GET", &format!("{path}.svg"), "");
        assert_eq!(image.status, 200, "{number}: {}", image.text);
    }
}

#[test]
fn a_row_of_units_below_the_headings_is_no_record() {
    let fixture = DocumentFixture::new();
    let table = "Monat;Temperatur;Regen\n;°C;mm\nJan;1,2;55\nFeb;2,1;41\n";
    let (response, document) = fixture.create_from_table("line", table);
    assert_eq!(response["table"]["header_row"], 2);
    let want = json!([{"label": "Jan", "Temperatur (°C)": 1.2, "Regen (mm)": 55},
                      {"label": "Feb", "Temperatur (°C)": 2.1, "Regen (mm)": 41}]);
    assert_eq!(document["data"], want);
}

#[test]
fn constant_columns_and_codes_of_a_wide_table_are_left_over() {
    let fixture = DocumentFixture::new();
    let (response, document) = fixture.create_from_table("line", INDICATORS);
    assert_eq!(response["records_from"], "headings");
    assert_eq!(response["left_over"], json!(["Country Code", "Indicator Name", ""]));
    assert_eq!(list_mapping(&response)[0], "Country Name series type");
    assert_eq!(
        document["data"][2],
        json!({"label": "2020", "Germany": 0.14, "France": 0.47, "Argentina": 42.01})
    );
    // A total is not the name of a row.
    let table = "Ort;2021;2022;2023;Summe\nNord;1;2;3;6\nSüd;4;5;6;15\n";
    let (response, document) = fixture.create_from_table("line", table);
    assert_eq!(response["left_over"], json!(["Summe"]));
    assert_eq!(document["data"][0], json!({"label": "2021", "Nord": 1, "Süd": 4}));
}

#[test]
fn a_total_in_the_column_of_ranks_is_left_out() {
    let fixture = DocumentFixture::new();
    let (response, document) = fixture.create_from_table("choropleth", COUNTRIES);
    assert_eq!(response["left_out_rows"][0]["text"], "World total");
    assert_eq!(document["data"].as_array().unwrap().len(), 5);
    assert_eq!(document["data"][0]["region"], "India[a]");
    assert_eq!(document["data"][0]["value"], 1_450_935_791_u64);
}

#[test]
fn the_duration_of_a_task_gives_its_end() {
    let fixture = DocumentFixture::new();
    let durations = |table: &str| -> Vec<Value> {
        let (_, document) = fixture.create_from_table("gantt", table);
        let records = document["data"].as_array().unwrap().iter();
        records.map(|record| record["duration"].clone()).collect()
    };
    assert_eq!(durations(PLAN), [json!(10.0), json!(15.0), json!(0.0)]);
    let table = "Task,Start,Duration\nA,2026-03-02,2 weeks\nB,2026-03-16,3 weeks\n";
    assert_eq!(durations(table), [json!("2 weeks"), json!("3 weeks")]);
    let table = "Task,Start,Duration\nA,2026-03-02,2 weeks\nB,2026-03-16,3 days\n";
    assert_eq!(durations(table), [json!("2 weeks"), json!("3 days")]);
    let table = "Aufgabe;Beginn;Dauer (Wochen)\nA;02.03.2026;1,5\nB;16.03.2026;2\n";
    assert_eq!(durations(table), [json!("1.5 weeks"), json!("2 weeks")]);
}

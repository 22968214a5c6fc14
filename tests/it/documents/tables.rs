//! Tests of tables: their mapping to the kind of a document, and the kinds that suit them.

mod coordinates;
mod exports;
mod preview;
mod stored_settings;

use serde_json::Value;
use serde_json::json;

use super::DocumentFixture;
use crate::test_server::Response;

impl DocumentFixture {
    /// Sends a CSV table as Ann.
    pub(super) fn send_table(&self, method: &str, path: &str, table: &str) -> Response {
        let headers = [("authorization", self.ann_auth.as_str()), ("content-type", "text/csv")];
        self.server.send(method, path, &headers, table)
    }

    /// Creates a document of a kind, sets its data, and returns the response and the document.
    fn create_from_table(&self, kind: &str, table: &str) -> (Value, Value) {
        let path = self.create_document(&json!({ "widget": kind }));
        let put = self.send_table("PUT", &format!("{path}/data"), table);
        assert_eq!(put.status, 200, "{kind}: {}", put.text);
        (put.json(), self.get_json(&path))
    }

    /// Analyses a table and returns the response.
    fn analyze(&self, table: &str) -> Value {
        let response = self.send_table("POST", "/api/v1/tables", table);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    }

    /// Analyses a table, and panics unless `wanted` is among the first three kinds.
    fn assert_suits(&self, wanted: &str, table: &str) {
        let analysis = self.analyze(table);
        let kinds = analysis["kinds"].as_array().unwrap().iter().take(3);
        let first: Vec<&str> = kinds.map(|kind| kind["slug"].as_str().unwrap()).collect();
        assert!(first.contains(&wanted), "{wanted} is not among {first:?} for\n{table}");
    }
}

/// Returns the mapping in a response, as lines of heading, key and reason.
fn list_mapping(response: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let to_line =
        |entry: &Value| [&entry["column"], &entry["key"], &entry["by"]].map(text).join(" ");
    response["mapping"].as_array().unwrap().iter().map(to_line).collect()
}

#[test]
fn the_headings_of_a_task_list_are_mapped_by_synonyms() {
    let fixture = DocumentFixture::new();
    let table = "Task name,Start date,Ende,% complete,Depends on,Costs\n\
                 Design,3/1/2024,3/15/2024,45 %,,1200\n\
                 Build,3/16/2024,4/30/2024,0 %,Design,9000\n";
    let (response, document) = fixture.create_from_table("gantt", table);
    assert_eq!(
        list_mapping(&response),
        [
            "Task name label synonym",
            "Start date start synonym",
            "Ende end synonym",
            "% complete progress synonym",
            "Depends on dependsOn synonym",
        ]
    );
    assert_eq!(response["left_over"], json!(["Costs"]));
    assert_eq!(response["missing"], json!([]));
    assert_eq!(response["records_from"], "rows");
    assert_eq!(
        document["data"],
        json!([
            { "label": "Design", "start": "2024-03-01", "end": "2024-03-15", "progress": 0.45,
              "Costs": 1200 },
            { "label": "Build", "start": "2024-03-16", "end": "2024-04-30", "progress": 0.0,
              "dependsOn": "Design", "Costs": 9000 },
        ])
    );
    assert_eq!(response["problems"], json!([]));
    let (response, _) = fixture.create_from_table("gantt", "Task,Cost\nA,1\n");
    assert_eq!(response["missing"], json!([{ "key": "start", "title": "Start" }]));
}

#[test]
fn cells_that_do_not_fit_their_column_are_reported_when_a_table_is_stored() {
    let fixture = DocumentFixture::new();
    let table = "Year,Region,Sales,Sales\n2022,North,1,10\n2022,South,2,20\n2023,North,3,30\n\
                 2023,South,about 4,40\n2023,North,5,50\n";
    let (response, document) = fixture.create_from_table("line", table);
    assert_eq!(
        response["problems"],
        json!([
            { "column": "Region", "record": 5, "text": "2023, North",
              "message": "is there twice, so that the rows do not become series" },
            { "column": "Sales", "record": 4, "text": "about 4", "message": "is not a number" },
        ])
    );
    let heading = &response["table"]["problems"][0];
    assert_eq!(heading["cell"], "D1");
    let message = heading["message"].as_str().unwrap();
    assert!(message.contains("“Sales (2)”"), "{message}");
    let (first, second) = (&document["data"][0]["Sales"], &document["data"][0]["Sales (2)"]);
    assert_eq!((first, second), (&json!(1), &json!(10)));
}

#[test]
fn a_table_with_the_keys_as_headings_is_stored_unchanged() {
    let fixture = DocumentFixture::new();
    for (kind, table, data) in [
        (
            "gantt",
            "id,label,start,end,progress\nt1,Design,2024-03-01,2024-03,45\n",
            json!([{ "id": "t1", "label": "Design", "start": "2024-03-01", "end": "2024-03",
                     "progress": 45 }]),
        ),
        (
            "time-series",
            "date,harbour,park\n2020-01-01,44.5,27\n",
            json!([{ "date": "2020-01-01", "harbour": 44.5, "park": 27 }]),
        ),
        (
            "sankey",
            "target,source,value\nB,A,1\n",
            json!([{ "target": "B", "source": "A", "value": 1 }]),
        ),
    ] {
        let (response, document) = fixture.create_from_table(kind, table);
        assert_eq!(document["data"], data, "{kind}");
        assert_eq!(response["left_over"], json!([]), "{kind}");
    }
    // Series keep the names that the user chose.
    let path = fixture.create_document(&json!({ "widget": "time-series" }));
    let series = json!([{ "key": "park", "title": "City park" }]);
    let body = json!({ "settings": { "series": series, "xTitle": "x" }, "data": [] });
    assert_eq!(fixture.send_as_ann("PUT", &path, &body.to_string()).status, 200);
    let put = fixture.send_table("PUT", &format!("{path}/data"), "date,park\n2020-01-01,1\n");
    assert_eq!(put.status, 200, "{}", put.text);
    assert_eq!(fixture.get_json(&path)["settings"], body["settings"]);
}

#[test]
fn charts_show_the_headings_of_mapped_columns() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_document(&json!({ "widget": "line" }));
    let table = "Monat;Umsatz 2023;Umsatz 2024\nJan;120,5;130\nFeb;90;140,5\nMrz;100;150\n";
    let put = fixture.send_table("PUT", &format!("{path}/data"), table);
    assert_eq!(put.status, 200, "{}", put.text);
    let svg = fixture.send_as_ann("GET", &format!("{path}.svg"), "").text;
    assert!(svg.contains("Umsatz 2023") && svg.contains("Umsatz 2024"), "{svg}");
    let (_, document) = fixture.create_from_table("scatter", "Größe (cm);Gewicht (kg)\n180;75\n");
    assert_eq!(document["data"], json!([{ "x": 180, "y": 75 }]));
    assert_eq!(document["settings"]["xTitle"], "Größe (cm)");
    assert_eq!(document["settings"]["yTitle"], "Gewicht (kg)");
    // The sample has the same names, which are removed with the other texts of the sample.
    let (_, document) = fixture.create_from_table("slope", "Stadt;2015;2025\nKiel;41;55\n");
    assert_eq!(document["settings"]["beforeTitle"], "2015");
    assert_eq!(document["settings"]["afterTitle"], "2025");
}

#[test]
fn the_height_grows_with_the_names_on_request() {
    let fixture = DocumentFixture::new();
    let letters = || ('a'..='z').chain('A'..='P');
    let table: String =
        letters().map(|letter| format!("Village of {letter}son,{}\n", letter as u32)).collect();
    let path = fixture.create_document(&json!({ "widget": "bar" }));
    let height = |query: &str, table: &str| {
        let put = fixture.send_table("PUT", &format!("{path}/data{query}"), table);
        assert_eq!(put.status, 200, "{}", put.text);
        fixture.get_json(&path)["style"]["height"].as_f64().unwrap()
    };
    let table = format!("Name,Value\n{table}");
    assert_eq!(height("", &table), 405.0);
    assert_eq!(height("?fit_height=true", "Name,Value\nA,1\nB,2\n"), 405.0);
    let grown = height("?fit_height=true", &table);
    assert!((500.0..=900.0).contains(&grown), "{grown}");
    let svg = fixture.send_as_ann("GET", &format!("{path}.svg"), "").text;
    assert!(letters().all(|letter| svg.contains(&format!(">Village of {letter}son<"))), "{svg}");
    // Less data does not reduce it.
    assert_eq!(height("?fit_height=true", "Name,Value\nA,1\n"), grown);
    let put = fixture.send_table("PUT", &format!("{path}/data?fit_height=2"), &table);
    assert_eq!(put.status, 400);
}

#[test]
fn a_long_table_has_a_series_for_each_group() {
    let fixture = DocumentFixture::new();
    let table = "Region;Monat;Umsatz\nNord;Jan;1,5 €\nSüd;Jan;2 €\nNord;Feb;3 €\n";
    let (response, document) = fixture.create_from_table("line", table);
    assert_eq!(response["records_from"], "groups");
    assert_eq!(
        list_mapping(&response),
        ["Region series type", "Monat label synonym", "Umsatz Umsatz type"]
    );
    let want = json!([{ "label": "Jan", "Nord": 1.5, "Süd": 2 }, { "label": "Feb", "Nord": 3 }]);
    assert_eq!(document["data"], want);
    let series = json!([{ "key": "Nord", "title": "Nord" }, { "key": "Süd", "title": "Süd" }]);
    assert_eq!(document["settings"]["series"], series);
    assert_eq!(document["settings"]["rulesets"]["Süd"]["suffix"], "\u{a0}€");
    assert_eq!(fixture.analyze(table)["kinds"][0]["slug"], "grouped-column");
    let months =
        ["Jan", "Feb", "Mrz", "Apr"].map(|month| format!("Nord;{month};1\nSüd;{month};2\n"));
    fixture.assert_suits("line", &format!("Region;Monat;Umsatz\n{}", months.concat()));
}

#[test]
fn a_wide_table_is_transposed_if_the_kind_needs_it() {
    let fixture = DocumentFixture::new();
    let table = "Region,Jan 2024,Feb 2024,Mar 2024\nNorth,1,2,3\nSouth,4,,6\n";
    let (response, document) = fixture.create_from_table("time-series", table);
    assert_eq!(response["records_from"], "headings");
    assert_eq!(list_mapping(&response)[..2], ["Region series type", "Jan 2024 date type"]);
    assert_eq!(
        document["data"],
        json!([
            { "date": "2024-01", "North": 1, "South": 4 },
            { "date": "2024-02", "North": 2 },
            { "date": "2024-03", "North": 3, "South": 6 },
        ])
    );
    let series =
        json!([{ "key": "North", "title": "North" }, { "key": "South", "title": "South" }]);
    assert_eq!(document["settings"]["series"], series);
    let (response, document) = fixture.create_from_table("heat-map", table);
    assert_eq!(response["records_from"], "cells");
    assert_eq!(document["data"].as_array().unwrap().len(), 5);
    let last = json!({ "row": "South", "column": "Mar 2024", "value": 6 });
    assert_eq!(document["data"][4], last);
    let (response, document) = fixture.create_from_table("grouped-column", table);
    assert_eq!(response["records_from"], "rows");
    assert_eq!(document["data"][1], json!({ "label": "South", "Jan 2024": 4, "Mar 2024": 6 }));
}

#[test]
fn mapping_none_keeps_the_headings_and_json_keeps_its_keys() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let table = "Region,Value\nNorth,\"1,284\"\n";
    let put = fixture.send_table("PUT", &format!("{path}/data?mapping=none"), table);
    assert_eq!(put.status, 200, "{}", put.text);
    assert_eq!(put.json().get("mapping"), None);
    let data = json!([{ "Region": "North", "Value": 1284 }]);
    assert_eq!(fixture.get_json(&path)["data"], data);
    let put = fixture.send_as_ann("PUT", &format!("{path}/data?mapping=none"), &data.to_string());
    assert_eq!((put.status, put.json().get("mapping")), (200, None));
    assert_eq!(fixture.get_json(&path)["data"], data);
    let own = json!([{ "label": "North", "Value": 1284 }, { "Region": "South" }]);
    let put = fixture.send_as_ann("PUT", &format!("{path}/data"), &own.to_string());
    assert_eq!((put.status, put.json().get("mapping")), (200, None));
    assert_eq!(fixture.get_json(&path)["data"], own);
    let put = fixture.send_table("PUT", &format!("{path}/data?mapping=best"), table);
    assert_eq!((put.status, put.text.as_str()), (400, "mapping: must be auto or none"));
}

#[test]
fn records_without_keys_of_the_kind_are_mapped_like_a_table() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    let data = json!([{ "Stadt": "Köln", "Umsatz": 95 }, { "Stadt": "Bonn", "Umsatz": "12,5" }]);
    let put = fixture.send_as_ann("PUT", &format!("{path}/data"), &data.to_string());
    assert_eq!(put.status, 200, "{}", put.text);
    assert_eq!(list_mapping(&put.json()), ["Stadt label type", "Umsatz value synonym"]);
    assert_eq!(put.json().get("table"), None);
    let want = json!([{ "label": "Köln", "value": 95 }, { "label": "Bonn", "value": 12.5 }]);
    assert_eq!(fixture.get_json(&path)["data"], want);
}

#[test]
fn a_table_is_analysed_without_being_stored() {
    let fixture = DocumentFixture::new();
    let table = "Name;Umsatz (Mio. €);Seit;Aktiv;Leer\nA;1,5;31.12.2020;ja;\n\
                 B;n/a;1.2.2021;nein;\nC;k;offen;ja;-\nD;-3;4.5.2022;ja;\n";
    let before = fixture.get_json("/api/v1/users/me/list");
    let analysis = fixture.analyze(table);
    assert_eq!(analysis["records"], 4);
    let columns = analysis["columns"].as_array().unwrap();
    let types: Vec<&str> = columns.iter().map(|column| column["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["text", "number", "date", "boolean", "empty"]);
    assert_eq!(
        columns[1],
        json!({ "heading": "Umsatz (Mio. €)", "type": "number", "examples": ["1,5", "k", "-3"],
                "empty": 1, "minimum": -3.0, "maximum": 1.5, "problems": 1 })
    );
    assert_eq!(
        analysis["problems"][0],
        json!({ "column": "Umsatz (Mio. €)", "record": 3, "text": "k",
                "message": "is not a number" })
    );
    assert_eq!(analysis["problems"][1]["text"], "offen");
    let kinds = analysis["kinds"].as_array().unwrap();
    let portfolio = fixture.get_json("/api/v1/portfolio");
    assert_eq!(kinds.len(), portfolio["widgets"].as_object().unwrap().len());
    let scores: Vec<f64> = kinds.iter().map(|kind| kind["score"].as_f64().unwrap()).collect();
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    assert!(scores.is_sorted_by(|one, two| one >= two));
    assert!(kinds.iter().all(|kind| !kind["reason"].as_str().unwrap().is_empty()));
    assert_eq!(fixture.get_json("/api/v1/users/me/list"), before);
    assert_eq!(fixture.server.send("POST", "/api/v1/tables", &[], "").status, 401);
}

#[test]
fn json_tables_are_analysed_like_csv() {
    let fixture = DocumentFixture::new();
    let mut csv = fixture.analyze("Month,North,South\nJan,1.5,2\nFeb,3,\n");
    let file = csv.as_object_mut().unwrap().remove("table").unwrap();
    assert_eq!((&file["format"], &file["separator"]), (&json!("csv"), &json!(",")));
    for body in [
        r#"[{"Month":"Jan","North":1.5,"South":2},{"Month":"Feb","North":"3"}]"#,
        r#"[["Month","North","South"],["Jan",1.5,2],["Feb","3",null]]"#,
    ] {
        let response = fixture.send_as_ann("POST", "/api/v1/tables", body);
        assert_eq!(response.status, 200, "{}", response.text);
        let mut analysis = response.json();
        let file = analysis.as_object_mut().unwrap().remove("table");
        assert_eq!(file.is_some(), body.starts_with("[["), "records are not a file with a table");
        assert_eq!(analysis, csv);
    }
    for (body, want) in [
        ("{}", "body: is JSON without a list of records"),
        ("[{\"a\":1},[1]]", "data[1]: must be an object"),
        ("[[\"a\"],{}]", "body: invalid type: map, expected an array of cells at line 1 column 7"),
    ] {
        let response = fixture.send_as_ann("POST", "/api/v1/tables", body);
        assert_eq!((response.status, response.text.as_str()), (400, want));
    }
    let wide = format!("{}b\n", "a,".repeat(200));
    let response = fixture.send_table("POST", "/api/v1/tables", &wide);
    assert_eq!((response.status, response.text.as_str()), (400, "body: has more than 200 columns"));
}

#[test]
fn columns_that_follow_from_others_do_not_decide_the_kind() {
    let fixture = DocumentFixture::new();
    let votes = "Partei;Stimmen;Prozent\nA-Partei;12.345.678;35,2\nB-Union;9.876.543;28,1\n\
                 C-Liste;5.432.109;15,5\nD;4.100.000;11,7\nSonstige;3.330.000;9,5\n";
    let analysis = fixture.analyze(votes);
    let kinds = analysis["kinds"].as_array().unwrap();
    let find = |slug: &str| kinds.iter().position(|kind| kind["slug"] == slug).unwrap();
    assert!(find("bar").min(find("donut")) == 0, "{} is first", kinds[0]["slug"]);
    let reason = kinds[find("scatter")]["reason"].as_str().unwrap();
    assert_eq!(reason, "a column of numbers has only the shares of another one");
    let budget = "Kostenstelle;Plan 2025;Ist 2025;Abweichung\nPersonal;1250;1310;60\n\
                  Miete;240;240;0\nReisen;85;61;-24\nIT;310;356;46\n";
    fixture.assert_suits("variance", budget);
}

#[test]
fn realistic_long_tables_get_the_expected_kinds_first() {
    let fixture = DocumentFixture::new();
    let rows =
        |count: usize, row: &dyn Fn(usize) -> String| (0..count).map(row).collect::<String>();
    let prices = rows(30, &|day| {
        let price = 50 + day * 7 % 5;
        format!("2024-03-{:02},{price}.5,{price}.9,{price}.1,{price}.3\n", day + 1)
    });
    fixture.assert_suits("candlestick", &format!("Date,Open,High,Low,Close\n{prices}"));
    let days = rows(300, &|day| {
        format!("{}.{}.2023;{},5;{}\n", day % 28 + 1, day / 28 + 1, 50 + day % 9, 40 + day % 7)
    });
    fixture.assert_suits("time-series", &format!("Datum;Kurs A;Kurs B\n{days}"));
    let points = rows(40, &|point| format!("{},{}.5\n", 150 + point, 48 + point * 7 % 30));
    fixture.assert_suits("scatter", &format!("Height (cm),Weight (kg)\n{points}"));
    let waits = rows(150, &|wait| format!("{}.5\n", 10 + wait * 37 % 50));
    fixture.assert_suits("histogram", &format!("Wait (minutes)\n{waits}"));
    let hours = rows(60, &|hour| {
        format!("{};{};{}\n", ["Mo", "Di", "Mi", "Do", "Fr"][hour / 12], hour % 12, hour * 7 % 50)
    });
    fixture.assert_suits("heat-map", &format!("Wochentag;Stunde;Besuche\n{hours}"));
    let words = rows(60, &|word| format!("word{word},{}\n", 1 + word * 37 % 100));
    fixture.assert_suits("word-cloud", &format!("Word,Count\n{words}"));
    let ages = rows(9, &|age| format!("{}0-{}9;{};{}\n", age, age, 300 + age * 7, 310 + age));
    fixture.assert_suits("population-pyramid", &format!("Altersgruppe;Männer;Frauen\n{ages}"));
    let visitors =
        "Uhrzeit;Besucher\n06:00;12\n06:15;30\n07:45;120\n10:00;80\n12:30;200\n18:00;90\n";
    fixture.assert_suits("line", visitors);
    let volumes = prices.replace(".3\n", ".3,1200500\n");
    fixture.assert_suits("candlestick", &format!("Date,Open,High,Low,Close,Volume\n{volumes}"));
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"];
    let sales =
        rows(10, &|month| format!("{},{},{},{}\n", months[month], 80 + month, 50, 40 - month));
    fixture.assert_suits("line", &format!("Month,North,South,West\n{sales}"));
}

/// Short tables with a kind that suits them.
const SHORT_TABLES: &[(&str, &str)] = &[
    (
        "gantt",
        "Aufgabe;Startdatum;Ende;% abgeschlossen;Abhängig von\n\
         Konzept;01.03.2024;15.03.2024;100 %;\n\
         Entwurf;16.03.2024;05.04.2024;60 %;Konzept\n\
         Umsetzung;08.04.2024;31.05.2024;10 %;Entwurf\n\
         Test;03.06.2024;21.06.2024;0 %;Umsetzung\n",
    ),
    (
        "gantt",
        "Task name,Start date,End date,% complete,Depends on,Owner\n\
         Design,3/1/2024,3/15/2024,80%,,Ann\n\
         Build,3/18/2024,4/12/2024,20%,Design,Ben\n\
         Test,4/15/2024,4/26/2024,0%,Build,Cid\n",
    ),
    (
        "heat-map",
        "Region;Jan;Feb;Mrz;Apr;Mai;Jun\n\
         Nord;87;53;95;59;74;41\n\
         Süd;32;41;70;45;21;80\n\
         Ost;48;10;47;83;49;75\n\
         West;34;62;64;86;46;65\n",
    ),
    (
        "likert",
        "Aussage;Stimme gar nicht zu;Stimme eher nicht zu;Teils/teils;Stimme eher zu;Stimme voll zu\n\
         Ich kenne meine Aufgaben;2;5;13;45;35\n\
         Mein Team hilft mir;4;9;20;40;27\n\
         Ich werde informiert;12;24;30;24;10\n",
    ),
    (
        "bullet",
        "Abteilung;Plan;Ist\n\
         Vertrieb;1.200.000;1.315.400\n\
         Marketing;450.000;512.300\n\
         Entwicklung;2.100.000;1.980.250\n\
         Verwaltung;380.000;371.900\n",
    ),
    (
        "org-chart",
        "Employee,Manager,Job title\n\
         Ana Kovac,,CEO\n\
         Jonas Lind,Ana Kovac,CTO\n\
         Maya Roth,Ana Kovac,CFO\n\
         Tim Berg,Jonas Lind,Developer\n\
         Eva Haas,Jonas Lind,Developer\n",
    ),
    (
        "sankey",
        "Von;Nach;Betrag (Mio. €)\n\
         Gas;Strom;120,5\n\
         Kohle;Strom;80\n\
         Strom;Haushalte;110\n\
         Strom;Industrie;90,5\n",
    ),
    (
        "donut",
        "Energieträger;Anteil\n\
         Wind;31,2 %\n\
         Solar;12,4 %\n\
         Kohle;26,1 %\n\
         Gas;15,3 %\n\
         Sonstige;15,0 %\n",
    ),
    (
        "pie",
        "Energieträger;Anteil\n\
         Wind;31,2 %\n\
         Solar;12,4 %\n\
         Kohle;26,1 %\n\
         Gas;15,3 %\n\
         Sonstige;15,0 %\n",
    ),
    (
        "world-map",
        "Country,Internet users (%)\n\
         DE,92\n\
         FR,91\n\
         BR,81\n\
         IN,46\n\
         US,92\n\
         CN,76\n\
         ZA,72\n\
         NG,36\n",
    ),
    (
        "slope",
        "Stadt;2015;2025\n\
         Bremen;46;58\n\
         Kiel;41;55\n\
         Erfurt;52;49\n\
         Mainz;38;47\n",
    ),
    (
        "parliament",
        "Partei;Sitze\n\
         SPD;206\n\
         CDU/CSU;197\n\
         Grüne;118\n\
         FDP;92\n\
         AfD;83\n\
         Linke;39\n",
    ),
    (
        "risk-matrix",
        "Risk,Likelihood,Impact\n\
         Supplier fails,2,5\n\
         Data loss,1,5\n\
         Delay of permit,4,3\n\
         Staff leaves,3,3\n",
    ),
    (
        "waterfall",
        "Position;Veränderung\n\
         Ergebnis 2023;820\n\
         Umsatz;364\n\
         Material;-140\n\
         Personal;-96\n\
         Sonstiges;-31\n",
    ),
    (
        "burndown",
        "Date,Ideal,Remaining\n\
         2024-05-01,100,100\n\
         2024-05-02,90,92\n\
         2024-05-03,80,84\n\
         2024-05-04,70,76\n\
         2024-05-05,60,68\n\
         2024-05-06,50,60\n\
         2024-05-07,40,52\n\
         2024-05-08,30,44\n\
         2024-05-09,20,36\n\
         2024-05-10,10,28\n",
    ),
    (
        "timeline",
        "Datum;Ereignis\n\
         12.03.2019;Gründung\n\
         01.06.2020;Erstes Produkt\n\
         15.09.2021;Zweiter Standort\n\
         03.02.2024;Börsengang\n",
    ),
    (
        "scorecard",
        "KPI,Actual,Target,Change\n\
         Revenue,48.6,47,6.2\n\
         Margin,11.4,12,0.8\n\
         Churn,3.1,2.5,-0.4\n",
    ),
    (
        "swot",
        "Category,Point\n\
         Strengths,Own mill\n\
         Strengths,Known brand\n\
         Weaknesses,Old ovens\n\
         Opportunities,Online shop\n\
         Threats,Flour price\n",
    ),
    (
        "funnel",
        "Stage,Users\n\
         Visited,48200\n\
         Signed up,21700\n\
         Activated,9400\n\
         Paid,2100\n",
    ),
    (
        "time-series",
        "Country Name,2018,2019,2020,2021,2022\n\
         Germany,82.9,83.1,83.2,83.2,83.8\n\
         France,67.1,67.4,67.6,67.8,68.0\n\
         Italy,60.4,59.7,59.4,59.1,58.9\n",
    ),
    (
        "scatter",
        "City,Population,Rent (€ per m²)\n\
         Berlin,3700000,13.2\n\
         Hamburg,1850000,14.1\n\
         Munich,1490000,19.8\n\
         Cologne,1080000,13.4\n\
         Leipzig,600000,8.5\n\
         Bremen,560000,10.1\n",
    ),
    (
        "bar",
        "Region,Umsatz 2023,Kommentar\n\
         Nord,1284,gut\n\
         Süd,990,\n\
         Ost,640,schwach\n\
         West,1120,\n",
    ),
    (
        "grouped-column",
        "Year,Shops,Online,Partners\n\
         2020,48.2,21.5,9.4\n\
         2021,44,29.8,11.2\n\
         2022,41,33.1,12.7\n\
         2023,40,36.4,14\n",
    ),
];

#[test]
fn realistic_short_tables_get_the_expected_kinds_first() {
    let fixture = DocumentFixture::new();
    for (wanted, table) in SHORT_TABLES {
        fixture.assert_suits(wanted, table);
    }
}

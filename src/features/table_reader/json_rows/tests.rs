//! Tests of rows in JSON with the forms of real web services.

use super::*;

/// Returns place, rows and whether the first row has headings.
fn find(text: &str) -> (String, String, bool) {
    let rows = find_json_rows(text.as_bytes(), &[]).unwrap();
    (rows.place, String::from_utf8(rows.text).unwrap(), rows.has_headings)
}

fn check(text: &str, place: &str, rows: &str) {
    assert_eq!(find(text), (place.to_owned(), rows.to_owned(), true), "{text}");
}

fn refuse(text: &str, message: &str) {
    let error = find_json_rows(text.as_bytes(), &[]).unwrap_err();
    assert!(error.to_string().contains(message), "{text}: {error}");
}

#[test]
fn the_only_list_of_records_is_found_in_its_envelope() {
    let rows = r#"[["a","b"],[1,"x"],[2,null]]"#;
    let records = r#"[{"a":1,"b":"x"},{"a":2}]"#;
    check(records, "", rows);
    check(&format!(r#"{{"data":{records}}}"#), "data", rows);
    check(&format!(r#"{{"items":{records},"next":"https://a.example","total":2}}"#), "items", rows);
    check(
        &format!(r#"{{"ok":true,"result":{{"results":{records},"tags":[]}}}}"#),
        "result.results",
        rows,
    );
    // The World Bank sends the page before its records.
    check(&format!(r#"[{{"page":1,"pages":1}},{records}]"#), "[1]", rows);
    // JSON Lines.
    check("{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n", "", rows);
    // Links to other pages are no data.
    let links = r#"[{"rel":"next","href":"https://a.example"}]"#;
    check(&format!(r#"{{"links":{links},"value":{records}}}"#), "value", rows);
}

#[test]
fn values_in_objects_get_joined_keys() {
    check(
        r#"[{"country":{"id":"DE","value":"Germany"},"value":84.5,"tags":["x","y"],"sizes":[1,2],"no":[]}]"#,
        "",
        r#"[["country.id","country.value","value","tags","no"],["DE","Germany",84.5,"x, y",""]]"#,
    );
}

#[test]
fn features_of_maps_are_records() {
    check(
        r#"{"type":"FeatureCollection","bbox":[1,2,3,4],"features":[
            {"type":"Feature","properties":{"mag":4.5},"geometry":{"type":"Point","coordinates":[7.1,50.7,10]}},
            {"type":"Feature","properties":{"mag":5},"geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}},
            {"type":"Feature","properties":null,"geometry":null}]}"#,
        "features",
        r#"[["mag","longitude","latitude"],[4.5,7.1,50.7],[5,null,null],[null,null,null]]"#,
    );
}

#[test]
fn objects_with_dates_as_keys_are_records() {
    check(
        r#"{"base":"EUR","start_date":"2024-01-02","rates":{"2024-01-02":{"USD":1.09,"CHF":0.93},"2024-01-03":{"USD":1.1}}}"#,
        "rates",
        r#"[["date","USD","CHF"],["2024-01-02",1.09,0.93],["2024-01-03",1.1,null]]"#,
    );
    check(
        r#"{"Meta Data":{"1. Symbol":"A"},"Time Series (Daily)":{"2024-01-03":{"4. close":"7.5"}}}"#,
        "Time Series (Daily)",
        r#"[["date","4. close"],["2024-01-03","7.5"]]"#,
    );
    check(r#"{"2023":4,"2024":null}"#, "", r#"[["date","value"],["2023",4],["2024",null]]"#);
    check(
        r#"{"2024-Q1":{"date":"x","v":1}}"#,
        "",
        r#"[["date (key)","date","v"],["2024-Q1","x",1]]"#,
    );
    refuse(r#"{"2024":4}"#, "is JSON without a list of records");
    refuse(r#"{"1001":{"v":1},"1002":{"v":2}}"#, "is JSON without a list of records");
    check(r#"{"2024-01-02":{"v":[{"a":1}]}}"#, "2024-01-02.v", r#"[["a"],[1]]"#);
}

#[test]
fn the_records_of_several_pages_are_joined() {
    let join = |first: &str, page: &str| find_json_rows(first.as_bytes(), &[page.as_bytes()]);
    let rows = join(r#"{"results":[{"a":1}]}"#, r#"{"results":[{"a":2,"b":"x"}]}"#).unwrap();
    assert_eq!(rows.text, br#"[["a","b"],[1,null],[2,"x"]]"#);
    let rows = join(r#"{"results":[{"a":1}]}"#, r#"{"fields":[{"id":"a"}],"results":[]}"#).unwrap();
    assert_eq!(rows.text, br#"[["a"],[1]]"#);
    for page in [r#"{"error":"busy"}"#, r#"{"results":[[1]]}"#, r#"{"others":[{"a":1}]}"#] {
        let error = join(r#"{"results":[{"a":1}]}"#, page).unwrap_err();
        assert!(error.to_string().contains("differ in their form"), "{page}: {error}");
    }
    let list = |text: &str, place| find_record_list(text.as_bytes(), place);
    let found = |place: &str, count| Some(RecordList { place: place.to_owned(), count });
    assert_eq!(list(r#"{"data":[{"a":1},{"a":2}]}"#, None), found("data", 2));
    assert_eq!(list(r#"{"fields":[{"id":"a"}],"data":[]}"#, Some("data")), found("data", 0));
    assert_eq!(list(r#"{"data":[[1]]}"#, None), None);
}

#[test]
fn columns_and_rows_are_found() {
    let rows = r#"[["time","temp"],["Mon",1.5],["Tue",2]]"#;
    check(
        r#"{"latitude":52,"hourly_units":{"time":"iso"},"hourly":{"time":["Mon","Tue"],"temp":[1.5,2]}}"#,
        "hourly",
        rows,
    );
    check(
        r#"{"columns":["time","temp"],"index":[0,1],"data":[["Mon",1.5],["Tue",2]]}"#,
        "data",
        rows,
    );
    // Socrata describes the columns far from the rows, and has other lists beside them.
    let columns =
        r#"[{"id":-1,"name":"time","fieldName":"t"},{"id":5,"name":"temp","fieldName":"v"}]"#;
    let view = format!(r#"{{"columns":{columns},"grants":[{{"type":"viewer"}}]}}"#);
    check(&format!(r#"{{"meta":{{"view":{view}}},"data":[["Mon",1.5],["Tue",2]]}}"#), "data", rows);
    // CKAN describes the keys of the records.
    check(
        r#"{"success":true,"result":{"fields":[{"id":"time"},{"id":"temp"}],
            "records":[{"time":"Mon","temp":1.5},{"time":"Tue","temp":2}]}}"#,
        "result.records",
        rows,
    );
    let values = r#"{"range":"A1:B3","values":[["time","temp"],["Mon",1.5],["Tue",2]]}"#;
    assert_eq!(find(values), ("values".to_owned(), rows.to_owned(), false));
}

#[test]
fn datasets_of_statistical_offices_are_found() {
    let dataset = |value: &str| {
        format!(
            r#"{{"version":"2.0","class":"dataset","id":["unit","geo","time"],"size":[1,2,2],"value":{value},
            "dimension":{{
            "unit":{{"category":{{"index":{{"PC":0}},"label":{{"PC":"Percent"}}}}}},
            "geo":{{"label":"Country","category":{{"index":{{"FR":1,"DE":0}},"label":{{"DE":"Germany","FR":"France"}}}}}},
            "time":{{"label":"Time","category":{{"index":["2023","2024"]}}}}}}}}"#
        )
    };
    let rows = r#"[["Country","Time","value"],["Germany","2024",1.5],["France","2023",2]]"#;
    check(&dataset(r#"{"2":2,"1":1.5}"#), "", rows);
    check(&dataset("[null,1.5,2,null]"), "", rows);
    refuse(&dataset("[1,2,3,4,5]"), "a value has no categories");
    refuse(&dataset(r#"{"x":1}"#), "a position is no number");
    let huge = dataset("{}").replace("[1,2,2]", "[4294967296,4294967296,4294967296]");
    refuse(&huge, "its dimensions differ");
}

#[test]
fn json_without_one_list_is_refused_with_the_reason() {
    refuse(r#"{"sales":[{"a":1}],"costs":[{"a":2}]}"#, "several lists of records (sales, costs)");
    refuse(r#"{"a":1}"#, "is JSON without a list of records");
    refuse(r#"[1,"x",{}]"#, "is JSON without a list of records");
    refuse(r#"[{},{}]"#, "is JSON without a list of records");
    refuse(r#"{"data":[]}"#, "is JSON with an empty list (data)");
    refuse("[]", "is JSON with an empty list");
    refuse(r#"[{"a":1}"#, "damaged");
    refuse("{\"a\":1}\n2\n", "other values among the records");
    let lists = (0..1001).map(|key| format!("\"k{key}\":[]")).collect::<Vec<String>>();
    refuse(&format!("{{{}}}", lists.join(",")), "has more than 1000 lists");
    refuse(&format!("[{{}}{}]", ",{}".repeat(1 << 20)), "has more than 1048576 records");
    // Each list could describe the columns of each other one.
    let names = r#"[{"name":"a","label":"b","title":"c","id":"d","key":"e","fieldName":"f"}]"#;
    let lists = (0..999).map(|key| format!("\"k{key}\":{names}")).collect::<Vec<String>>();
    refuse(&format!("{{{}}}", lists.join(",")), "several lists of records (k0, k1, k2, k3, …)");
    let many = (0..=MAX_COLUMNS).map(|key| format!("{{\"k{key}\":1}}")).collect::<Vec<String>>();
    refuse(&format!("{{\"data\":[{}]}}", many.join(",")), "has more than 1000 columns");
}

#[test]
fn deep_json_ends_without_a_crash() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(find_json_rows(text.as_bytes(), &[]).is_err());
    }
}

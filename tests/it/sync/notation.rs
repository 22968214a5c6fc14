//! The notation of numbers and dates of a source stays when a later file does not tell it.

use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::run_job;
use super::start_server;

/// Runs a chart of a kind with each file after the other. Returns the records after each run.
fn run_files(kind: &str, files: &[&str]) -> Vec<Value> {
    let (server, source) = (start_server(), Source::start(files[0]));
    let ann = server.ann();
    let id = create_document(&ann, kind);
    create_job(&ann, &id, &source.url);
    let run = |file: &&str| {
        source.set_body(file);
        let job = run_job(&ann, &id);
        assert!(job.get("error").is_none(), "{job}");
        job["prepared_data"]["data"].clone()
    };
    files.iter().map(run).collect()
}

/// Returns the values of the records after each run of a bar chart.
fn values_of(files: &[&str]) -> Vec<Value> {
    let values = |data: Value| {
        data.as_array().unwrap().iter().map(|record| record["value"].clone()).collect::<Value>()
    };
    run_files("bar", files).into_iter().map(values).collect()
}

#[test]
fn the_decimal_separator_of_earlier_files_decides_numbers_with_two_readings() {
    let points =
        ["City\tRate\nBonn\t0.984\nTrier\t12.5\n", "City\tRate\nBonn\t1.073\nTrier\t655\n"];
    assert_eq!(values_of(&points), [json!([0.984, 12.5]), json!([1.073, 655])]);
    let commas =
        ["City\tRate\nBonn\t0,984\nTrier\t12,5\n", "City\tRate\nBonn\t1.073\nTrier\t2.500\n"];
    assert_eq!(values_of(&commas), [json!([0.984, 12.5]), json!([1073, 2500])]);
    // A semicolon as separator of the cells makes the comma likely, but does not decide against earlier files.
    let semicolons =
        ["City;Rate\nBonn;0.984\nTrier;12.5\n", "City;Rate\nBonn;1.073\nTrier;1.101\n"];
    assert_eq!(values_of(&semicolons), [json!([0.984, 12.5]), json!([1.073, 1.101])]);
}

#[test]
fn a_file_that_tells_its_notation_is_read_so() {
    let files = [
        "City\tRate\nBonn\t0.984\nTrier\t12.5\n",
        "City\tRate\nBonn\t0,5\nTrier\t1.073\n",
        "City\tRate\nBonn\t2.400\nTrier\t3.100\n",
    ];
    assert_eq!(values_of(&files), [json!([0.984, 12.5]), json!([0.5, 1073]), json!([2400, 3100])]);
}

#[test]
fn the_order_of_day_and_month_of_earlier_files_decides_dates_with_two_readings() {
    let dates = |files: &[&str]| -> Vec<Value> {
        let first = |data: Value| data[0]["date"].clone();
        run_files("time-series", files).into_iter().map(first).collect()
    };
    let day_first =
        ["Date,Visits\n13/05/2026,4\n14/05/2026,5\n", "Date,Visits\n3/4/2026,6\n4/4/2026,7\n"];
    assert_eq!(dates(&day_first), ["2026-05-13", "2026-04-03"]);
    let month_first =
        ["Date,Visits\n05/13/2026,4\n05/14/2026,5\n", "Date,Visits\n06/01/2026,6\n06/02/2026,7\n"];
    assert_eq!(dates(&month_first), ["2026-05-13", "2026-06-01"]);
}

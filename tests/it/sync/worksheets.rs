//! The worksheet of a source, after worksheets of its file were renamed, moved and deleted.

use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::read_document;
use super::run_job;
use super::start_server;
use crate::client::Client;
use crate::server_process::ServerProcess;
use crate::tables::zip_file::workbook;

/// A chart with one worksheet of a workbook as its source.
struct SheetJob<'a> {
    ann: Client<'a>,
    source: Source,
    document: String,
}

impl<'a> SheetJob<'a> {
    /// Sets the source up, with the fields that choose the worksheet, and runs it.
    fn start(server: &'a ServerProcess, sheets: &[(u32, &str)], choice: &Value) -> Self {
        let (ann, source) = (server.ann(), Source::start(""));
        source.set(|state| state.body = workbook(sheets));
        let document = create_document(&ann, "bar");
        let mut body = json!({ "document_id": document, "url": source.url });
        body.as_object_mut().unwrap().extend(choice.as_object().unwrap().clone());
        ann.post("/api/v1/sync/create", body).expect(204);
        let job = Self { ann, source, document };
        job.run(sheets).unwrap();
        job
    }

    /// Runs the job with these worksheets. Returns the name in the data of the chart.
    fn run(&self, sheets: &[(u32, &str)]) -> Result<String, String> {
        self.source.set(|state| state.body = workbook(sheets));
        let job = run_job(&self.ann, &self.document);
        match job.get("error") {
            Some(error) => Err(error.as_str().unwrap().to_owned()),
            None => Ok(self.shown()),
        }
    }

    /// Returns the name in the data of the chart.
    fn shown(&self) -> String {
        let label = read_document(&self.ann, &self.document)["data"][0]["label"].clone();
        label.as_str().unwrap().to_owned()
    }
}

#[test]
fn a_deleted_worksheet_is_never_replaced_by_another_one() {
    let server = start_server();
    for choice in [json!({ "sheet_id": "2" }), json!({ "sheet_id": "2", "sheet_name": "Bonn" })] {
        let job = SheetJob::start(&server, &[(1, "Kiel"), (2, "Bonn"), (3, "Ulm")], &choice);
        assert_eq!(job.shown(), "Bonn");
        // The program numbers the worksheets by their position, so that another one has the id.
        let error = job.run(&[(1, "Kiel"), (2, "Ulm")]).unwrap_err();
        let wanted = "the worksheet \"Bonn\" is not there any more; there are \"Kiel\", \"Ulm\"";
        assert_eq!(error, wanted, "{choice}");
        assert_eq!(job.shown(), "Bonn", "the last good data stay");
        // It comes back at another place.
        let found = job.run(&[(1, "Bonn"), (2, "Ulm"), (3, "Kiel")]);
        assert_eq!(found.as_deref(), Ok("Bonn"), "{choice}");
    }
}

#[test]
fn a_renamed_worksheet_is_found_where_its_id_stays() {
    let server = start_server();
    for choice in [json!({ "sheet_id": "4" }), json!({ "sheet_id": "4", "sheet_name": "Bonn" })] {
        let job = SheetJob::start(&server, &[(1, "Kiel"), (4, "Bonn")], &choice);
        assert_eq!(job.run(&[(1, "Kiel"), (4, "Bonn 2")]).as_deref(), Ok("Bonn 2"), "{choice}");
        // The new name counts from now on, also in another program.
        let found = job.run(&[(1, "Bonn"), (2, "Kiel"), (3, "Bonn 2"), (4, "Ulm")]);
        assert_eq!(found.as_deref(), Ok("Bonn 2"), "{choice}");
    }
}

#[test]
fn the_only_worksheet_of_a_file_may_have_another_name_each_time() {
    let server = start_server();
    let choice = json!({ "sheet_id": "1", "sheet_name": "March" });
    let job = SheetJob::start(&server, &[(1, "March")], &choice);
    assert_eq!(job.run(&[(1, "April")]).as_deref(), Ok("April"));
    assert_eq!(job.run(&[(1, "March"), (2, "April")]).as_deref(), Ok("April"));
    // One of two worksheets is gone, so that the other one is not the same with a new name.
    let error = job.run(&[(1, "March")]).unwrap_err();
    assert_eq!(error, "the worksheet \"April\" is not there any more; there are \"March\"");
}

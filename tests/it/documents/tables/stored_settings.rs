//! Tests of tables that become the data of a document with settings of an unusual type.

use serde_json::json;

use crate::documents::DocumentFixture;

#[test]
fn a_table_is_stored_in_a_document_with_an_axis_that_is_no_object() {
    let fixture = DocumentFixture::new();
    let path = fixture.create_bar_chart();
    for axis in [json!(5), json!("none"), json!([1])] {
        let body = json!({ "settings": { "axis": axis } }).to_string();
        assert_eq!(fixture.send_as_ann("PUT", &path, &body).status, 200, "{axis}");
        for heading in ["Sales", "Costs"] {
            let table = format!("Region,{heading}\nNorth,1\nSouth,2\n");
            let put = fixture.send_table("PUT", &format!("{path}/data"), &table);
            assert_eq!(put.status, 200, "{axis}: {}", put.text);
        }
        assert_eq!(fixture.get_json(&path)["settings"]["axis"], axis);
    }
}

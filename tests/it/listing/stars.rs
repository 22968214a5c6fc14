//! Tests of stars: marking documents, and the list of marked documents.

use serde_json::Value;
use serde_json::json;

use super::ListingFixture;
use super::TestAccount;
use super::entry_names;

impl ListingFixture {
    /// Stars a document, or removes the star, and returns the status.
    fn change_star(&self, account: &TestAccount, method: &str, document: &str) -> u16 {
        let (_, rest) = document.split_once("/users/").unwrap();
        let (owner, id) = rest.split_once("/documents/").unwrap();
        let path = format!("/users/me/stars/{owner}/{id}");
        self.request(account, method, &path, &Value::Null).status
    }

    /// Returns the titles of the starred documents of an account.
    fn starred(&self, account: &TestAccount) -> Vec<String> {
        let listing = self.get_json(account, "/users/me/stars?limit=100");
        let names = entry_names(&listing);
        assert_eq!(listing["count"], names.len());
        names
    }
}

#[test]
fn each_user_has_their_own_stars_last_starred_first() {
    let fixture = ListingFixture::new();
    let (ann, ben) = (&fixture.ann, &fixture.ben);
    let [first, second] =
        ["First", "Second"].map(|title| fixture.create_document(ann, "me", "/", title));
    for (number, document) in [&second, &first].into_iter().enumerate() {
        assert_eq!(fixture.change_star(ann, "PUT", document), 204);
        // A repetition keeps the time of the star.
        let id = document.rsplit('/').next().unwrap();
        let sql = "update star set created = cast(?2 as integer) where document = ?1";
        fixture.execute_sql(sql, &[id, &number.to_string()]);
        assert_eq!(fixture.change_star(ann, "PUT", document), 204);
    }
    assert_eq!(fixture.starred(ann), ["First", "Second"]);
    let page = fixture.get_json(ann, "/users/me/stars?offset=1&limit=1");
    assert_eq!((entry_names(&page), &page["count"]), (vec!["Second".to_owned()], &json!(2)));
    assert_eq!(fixture.starred(ben), [""; 0]);
    // A star is not a change of the document.
    assert_eq!(fixture.get_json(ann, "/users/me/recent")["results"][0]["starred"], true);
    assert_eq!(fixture.change_star(ann, "DELETE", &first), 204);
    assert_eq!(fixture.change_star(ann, "DELETE", &first), 204);
    assert_eq!(fixture.starred(ann), ["Second"]);
    let stars = fixture.get_json(ann, "/users/me/list");
    let flags: Vec<_> =
        stars["results"].as_array().unwrap().iter().map(|entry| &entry["starred"]).collect();
    assert_eq!(flags, [true, false]);
}

#[test]
fn only_readable_documents_are_starred_and_listed() {
    let fixture = ListingFixture::new();
    let (ann, ben) = (&fixture.ann, &fixture.ben);
    let document = fixture.create_document(ann, "me", "/", "Shared");
    let id = document.rsplit('/').next().unwrap();
    assert_eq!(fixture.change_star(ben, "PUT", &document), 404);
    assert_eq!(fixture.starred(ben), [""; 0]);
    let entry = json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "r" });
    assert_eq!(fixture.request(ann, "POST", "/share", &entry).status, 200);
    assert_eq!(fixture.change_star(ben, "PUT", &document), 204);
    let listing = fixture.get_json(ben, "/users/me/stars");
    assert_eq!(listing["results"][0]["document"]["mode"], "r");
    // After the revocation, the star is hidden but can be removed.
    let revoked = json!({ "owner": ann.id, "document": id, "user_id": ben.id });
    assert_eq!(fixture.request(ann, "DELETE", "/share", &revoked).status, 204);
    assert_eq!(fixture.starred(ben), [""; 0]);
    assert_eq!(fixture.change_star(ben, "DELETE", &document), 204);
    assert_eq!(fixture.request(ann, "POST", "/share", &entry).status, 200);
    assert_eq!(fixture.starred(ben), [""; 0]);
    // The stars of another user are hidden.
    let foreign = format!("/users/{}/stars", ann.id);
    assert_eq!(fixture.request(ben, "GET", &foreign, &Value::Null).status, 404);
    let path = format!("{foreign}/{}/{id}", ann.id);
    for method in ["PUT", "DELETE"] {
        assert_eq!(fixture.request(ben, method, &path, &Value::Null).status, 404, "{method}");
    }
}

#[test]
fn a_star_disappears_in_the_trash_and_with_the_document() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let document = fixture.create_document(ann, "me", "/", "Kept");
    assert_eq!(fixture.change_star(ann, "PUT", &document), 204);
    assert_eq!(fixture.request(ann, "DELETE", &document, &Value::Null).status, 204);
    assert_eq!(fixture.starred(ann), [""; 0]);
    let restore = json!({ "action": "restore" });
    assert_eq!(fixture.request(ann, "POST", &document, &restore).status, 204);
    assert_eq!(fixture.starred(ann), ["Kept"]);
    let expunged = format!("{document}?expunge=1");
    assert_eq!(fixture.request(ann, "DELETE", &expunged, &Value::Null).status, 204);
    let count: i64 = fixture
        .server
        .app
        .db
        .read(|tx| tx.one("select count(*) from star", [], |row| row.get(0)))
        .unwrap();
    assert_eq!(count, 0);
}

#[test]
fn the_number_of_stars_of_a_user_is_limited() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    let document = fixture.create_document(ann, "me", "/", "Copied");
    let id = document.rsplit('/').next().unwrap();
    // Copies of the rows of one document, because 500 requests take long.
    let numbers = "with recursive number (value) as
                   (select 1 union all select value + 1 from number where value < 500)";
    let columns = |table: &str| -> String {
        let sql = format!("select group_concat(name) from pragma_table_info('{table}')");
        fixture.server.app.db.read(|tx| tx.one(&sql, [], |row| row.get(0))).unwrap()
    };
    for table in ["node", "document"] {
        let names = columns(table);
        let selected = names.replacen("id,", "id || '-' || value,", 1);
        let change = if table == "node" {
            selected.replace(",change,", ",change + value,")
        } else {
            selected
        };
        let sql = format!(
            "insert into {table} ({names}) {numbers} select {change} from {table}, number where id = ?1"
        );
        fixture.execute_sql(sql.leak(), &[id]);
    }
    let sql = "insert into star select ?1, id, 0 from document where id <> ?2";
    fixture.execute_sql(sql, &[ann.id.as_str(), id]);
    assert_eq!(fixture.get_json(ann, "/users/me/stars")["count"], 500);
    assert_eq!(fixture.change_star(ann, "PUT", &document), 403);
    assert_eq!(fixture.change_star(ann, "DELETE", &format!("{document}-1")), 204);
    assert_eq!(fixture.change_star(ann, "PUT", &document), 204);
}

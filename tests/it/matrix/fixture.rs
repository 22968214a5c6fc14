//! The callers of the matrix, the two folders that they access, and new nodes in these folders.

use std::cell::Cell;

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use chartroom_platform::crypto;
use chartroom_platform::id::AccountId;

use crate::test_server::Response;
use crate::test_server::TestServer;

/// Id of a document, team, thread or comment that does not exist.
pub const ABSENT_ID: &str = "01900000-0000-7000-8000-000000000000";

/// Index of Ann's place.
pub const ANN_PLACE: usize = 0;
/// Index of the place of Acme's team Sales.
pub const TEAM_PLACE: usize = 1;

/// A caller of the matrix.
pub struct Caller {
    pub name: &'static str,
    /// The `Authorization` header. Empty without credentials.
    authorization: String,
    /// Link with which the caller accesses a place: `r`, `w`, or `x`, which has expired. `d` is a
    /// download token of the requested document. Empty without a link.
    link: &'static str,
    /// Whether the caller may read each place.
    pub can_read: [bool; 2],
    /// Whether the caller is a member of the organization.
    pub is_member: bool,
}

impl Caller {
    /// Returns a caller with an API token of a user.
    fn signed_in(
        server: &TestServer,
        name: &'static str,
        user: &AccountId,
        reads: [bool; 2],
    ) -> Self {
        Self {
            name,
            authorization: server.create_bearer_token(user),
            link: "",
            can_read: reads,
            is_member: false,
        }
    }

    /// Returns whether the caller has a token that opens rendered images of the document.
    pub fn has_download_token(&self) -> bool {
        self.link == "d"
    }

    /// Returns a caller without an account, with a link.
    fn with_link(name: &'static str, link: &'static str, reads: [bool; 2]) -> Self {
        Self { name, authorization: String::new(), link, can_read: reads, is_member: false }
    }
}

/// A folder of an account that contains the targets.
pub struct Place {
    /// Name in the table.
    pub name: &'static str,
    /// Account id of the owner.
    pub owner: String,
    /// Absolute path.
    pub folder: &'static str,
}

/// The ids and paths that a request names.
#[derive(Clone)]
pub struct RequestTarget {
    /// Account id of the owner.
    pub owner: String,
    /// Document id.
    pub doc: String,
    /// Path without the first slash.
    pub folder: String,
    pub org: String,
    pub team: String,
    /// Id of a comment thread of the document with one comment, for rows that need it.
    pub thread: String,
    pub comment: String,
    /// Index of its place.
    pub place: usize,
}

/// The server with all callers and places.
pub struct MatrixFixture {
    pub server: TestServer,
    pub callers: Vec<Caller>,
    pub places: Vec<Place>,
    /// Acme's id.
    org: String,
    /// Id of Acme's team Sales. Its folder is closed to all other members.
    team: String,
    /// Account id of Acme's managed account.
    pub managed: String,
    /// `Authorization` header of Ann.
    ann_authorization: String,
    ann_id: String,
    /// Last number that was used in a name.
    name_counter: Cell<usize>,
}

impl MatrixFixture {
    /// Starts the server and creates all callers and places.
    pub fn new() -> Self {
        // Many of these callers fail to sign in.
        let mut server =
            TestServer::with_config(Config { sign_in_burst: 1_000_000, ..Config::default() });
        server.start_indexer();
        let ann = create_user(&server, "Ann");
        let (acme, zenith) = (create_org(&server, "acme"), create_org(&server, "zenith"));
        add_member(&server, &acme, &ann, Role::Admin);
        let token = server.create_bearer_token(&ann);
        let mut fixture = Self {
            places: vec![
                Place { name: "hers", owner: ann.to_string(), folder: "/Private" },
                Place { name: "team's", owner: acme.to_string(), folder: "/Sales" },
            ],
            callers: Vec::new(),
            org: acme.to_string(),
            team: String::new(),
            managed: String::new(),
            name_counter: Cell::new(0),
            ann_authorization: token,
            ann_id: ann.to_string(),
            server,
        };
        // The server creates a folder with the team.
        fixture.team = fixture.create_named_team("Sales", &[&ann]);
        fixture.create_document(ANN_PLACE);
        fixture.create_callers(&acme, &zenith, &ann);
        fixture
    }

    /// Creates the callers and their access entries.
    fn create_callers(&mut self, acme: &AccountId, zenith: &AccountId, ann: &AccountId) {
        let server = &self.server;
        let users = ["Sid", "Rea", "Wim", "Zoe", "Mia", "Tom", "Bea", "Dan", "Man"]
            .map(|name| create_user(server, name));
        let [sid, rea, wim, zoe, mia, tom, bea, dan, man] = &users;
        add_member(server, zenith, zoe, Role::Admin);
        add_member(server, acme, mia, Role::Member);
        add_member(server, acme, tom, Role::Member);
        add_member(server, acme, bea, Role::BrandManager);
        add_member(server, acme, man, Role::Member);
        make_managed(server);
        self.managed = man.to_string();
        self.add_to_team(tom);
        for place in &self.places {
            for (mode, user) in [("r", rea), ("w", wim), ("w", dan)] {
                insert_access_entry(server, place, mode, Some(user), None);
            }
            for (mode, link) in [("r", "r"), ("w", "w"), ("w", "x")] {
                insert_access_entry(server, place, mode, None, Some(link));
            }
        }
        let revoked = Caller::signed_in(server, "revoked", ann, [false; 2]);
        server.execute_sql("delete from api_token where id = (select max(id) from api_token)");
        let disabled = Caller::signed_in(server, "disabled", dan, [false; 2]);
        disable_user(server, dan);
        let team = Caller::signed_in(server, "team member", tom, [false, true]);
        let owner = Caller::with_link("owner", "", [true; 2]);
        let member = |name, user| {
            let caller = Caller::signed_in(server, name, user, [false; 2]);
            Caller { is_member: true, ..caller }
        };
        self.callers = vec![
            Caller::with_link("nobody", "", [false; 2]),
            Caller::signed_in(server, "stranger", sid, [false; 2]),
            Caller::signed_in(server, "other admin", zoe, [false; 2]),
            member("outside team", mia),
            Caller::with_link("expired link", "x", [false; 2]),
            Caller::with_link("download", "d", [false; 2]),
            revoked,
            disabled,
            Caller::with_link("r link", "r", [true; 2]),
            Caller::signed_in(server, "reader", rea, [true; 2]),
            Caller::with_link("w link", "w", [true; 2]),
            Caller::signed_in(server, "writer", wim, [true; 2]),
            Caller { is_member: true, ..team },
            member("managed", man),
            member("brand manager", bea),
            Caller { authorization: self.ann_authorization.clone(), is_member: true, ..owner },
        ];
    }

    /// Returns the caller that is Ann.
    pub fn owner_caller(&self) -> &Caller {
        self.callers.last().unwrap()
    }

    /// Creates a team of Acme. The server adds its folder.
    fn create_named_team(&self, name: &str, members: &[&AccountId]) -> String {
        let members: Vec<String> =
            members.iter().map(|member| format!("{:?}", member.to_string())).collect();
        let body = format!(r#"{{"name":"{name}","members":[{}]}}"#, members.join(","));
        let path = format!("/api/v1/orgs/{}/teams", self.org);
        let created = self.server.request(&self.ann_authorization, "POST", &path, &body);
        assert_eq!(created.status, 200, "{}", created.text);
        assert_eq!(created.json()["folder"], format!("/{name}"));
        created.json()["id"].as_str().unwrap().to_owned()
    }

    /// Adds a user to the team Sales.
    fn add_to_team(&self, user: &AccountId) {
        let path = format!("/api/v1/orgs/{}/team/{}/member/{user}", self.org, self.team);
        assert_eq!(self.server.request(&self.ann_authorization, "PUT", &path, "").status, 204);
    }

    /// Creates a team with Ann in it.
    pub fn create_team(&self) -> RequestTarget {
        let name = format!("Team {:04}", self.next_number());
        let members = [&AccountId::from_text(&self.ann_id)];
        RequestTarget {
            team: self.create_named_team(&name, &members),
            ..self.existing_target(TEAM_PLACE)
        }
    }

    /// Returns the target that always exists in a place.
    fn existing_target(&self, place: usize) -> RequestTarget {
        let Place { owner, folder, .. } = &self.places[place];
        let (owner, folder) = (owner.clone(), folder[1..].to_owned());
        let (org, team) = (self.org.clone(), self.team.clone());
        let [doc, thread, comment] = [(); 3].map(|()| ABSENT_ID.to_owned());
        RequestTarget { owner, doc, folder, org, team, thread, comment, place }
    }

    /// Adds a comment of Ann to the document.
    pub fn add_comment(&self, target: RequestTarget) -> RequestTarget {
        let path = format!("/api/v1/users/{}/documents/{}/comments", target.owner, target.doc);
        let body = r#"{"position":{"x":0,"y":0},"content":[{"type":"text","text":"Hello"}]}"#;
        let created = self.server.request(&self.ann_authorization, "POST", &path, body);
        assert_eq!(created.status, 200, "{}", created.text);
        let id_of = |value: &serde_json::Value| value["id"].as_str().unwrap().to_owned();
        let (thread, comment) = (id_of(&created.json()), id_of(&created.json()["comments"][0]));
        RequestTarget { thread, comment, ..target }
    }

    /// Creates a document in a place.
    pub fn create_document(&self, place: usize) -> RequestTarget {
        let known = self.existing_target(place);
        RequestTarget { doc: self.create_document_in(&known.owner, &known.folder), ..known }
    }

    /// Creates a folder in a place, with a document in it.
    pub fn create_folder(&self, place: usize) -> RequestTarget {
        let known = self.existing_target(place);
        let folder = format!("{}/There {:04}", known.folder, self.next_number());
        RequestTarget { doc: self.create_document_in(&known.owner, &folder), folder, ..known }
    }

    /// Moves a document into the trash.
    pub fn move_to_trash(&self, target: &RequestTarget) {
        let path = format!("/api/v1/users/{}/documents/{}", target.owner, target.doc);
        assert_eq!(self.server.request(&self.ann_authorization, "DELETE", &path, "").status, 204);
    }

    /// Creates a document in a folder of an account and returns its id.
    fn create_document_in(&self, owner: &str, folder: &str) -> String {
        let body = format!(r#"{{"widget":"bar","owner":"{owner}","folder":"/{folder}"}}"#);
        let created =
            self.server.request(&self.ann_authorization, "POST", "/api/v1/create-document", &body);
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["id"].as_str().unwrap().to_owned()
    }

    /// Returns an absent target of a place, with names of the same length.
    pub fn absent_target(&self, place: usize) -> RequestTarget {
        let known = self.existing_target(place);
        let folder = format!("{}/Never {:04}", known.folder, self.next_number());
        RequestTarget { folder, team: ABSENT_ID.to_owned(), ..known }
    }

    /// Returns a download token of the document. For an absent document, returns the token of
    /// another one.
    fn download_token(&self, target: &RequestTarget) -> String {
        let documents = format!("/api/v1/users/{}/documents", target.owner);
        let response = self.server.request(
            &self.ann_authorization,
            "GET",
            &format!("{documents}/{}/token", target.doc),
            "",
        );
        match response.status {
            200 => response.json()["token"].as_str().unwrap().to_owned(),
            _ => self.download_token(&self.create_document(target.place)),
        }
    }

    /// Returns a number that was not returned before, for unique names.
    fn next_number(&self) -> usize {
        self.name_counter.set(self.name_counter.get() + 1);
        self.name_counter.get()
    }

    /// Sends a request as a caller, with the caller's link to the place of the target.
    pub fn request(
        &self,
        caller: &Caller,
        target: &RequestTarget,
        method: &str,
        path: &str,
        body: &str,
    ) -> Response {
        let mut path = path.to_owned();
        let separator = if path.contains('?') { '&' } else { '?' };
        if caller.has_download_token() {
            path += &format!("{separator}token={}", self.download_token(target));
        } else if !caller.link.is_empty() {
            path += &format!(
                "{separator}share={}",
                link_token(&self.places[target.place], caller.link)
            );
        }
        let content_type = match body.as_bytes().first() {
            Some(b'{' | b'[') => "application/json",
            _ => "application/x-www-form-urlencoded",
        };
        let mut headers = vec![("origin", "http://127.0.0.1:8080")];
        if !body.is_empty() {
            headers.push(("content-type", content_type));
        }
        if !caller.authorization.is_empty() {
            headers.push(("authorization", &caller.authorization));
        }
        self.server.send(method, &path, &headers, body)
    }
}

/// Returns the token of a link to a place.
fn link_token(place: &Place, link: &str) -> String {
    format!("{}-{link}", place.name.trim_end_matches("'s"))
}

/// Creates a user without a password.
fn create_user(server: &TestServer, name: &str) -> AccountId {
    let email = format!("{}@example.org", name.to_lowercase());
    let new_user = NewUser { email, name: name.to_owned(), ..NewUser::default() };
    server.app.db.write(move |tx| accounts::create_user(tx, &new_user)).unwrap().id
}

/// Disables a user.
fn disable_user(server: &TestServer, user: &AccountId) {
    let user = user.clone();
    server.app.db.write(move |tx| accounts::set_disabled(tx, &user, true)).unwrap();
}

/// Makes the user Man a managed account of Acme, which has verified the domain `acme.example`.
fn make_managed(server: &TestServer) {
    server.execute_sql(
        "insert into managed_user (user_id, org_id, created)
         select user.id, org.id, 0 from user, org where username = 'man' and slug = 'acme'",
    );
    server.execute_sql(
        "insert into domain (org_id, name, status, record_value, created)
         select id, 'acme.example', 'verified', 'x', 0 from org where slug = 'acme'",
    );
}

fn create_org(server: &TestServer, slug: &str) -> AccountId {
    let (name, slug) = (format!("The {slug}"), slug.to_owned());
    let new_org = NewOrg { name, slug, plan: Plan::Enterprise, seats: Seats::Unlimited };
    server.app.db.write(move |tx| orgs::create_org(tx, &new_org)).unwrap().id
}

fn add_member(server: &TestServer, org: &AccountId, user: &AccountId, role: Role) {
    let (org, user) = (org.clone(), user.clone());
    server
        .app
        .db
        .write(move |tx| {
            let org = orgs::find_org(tx, org.as_str())?;
            orgs::put_member(tx, &org, &user, role)
        })
        .unwrap();
}

/// Adds an access entry on a place's folder directly in the database, for a user or for a link.
fn insert_access_entry(
    server: &TestServer,
    place: &Place,
    mode: &'static str,
    user: Option<&AccountId>,
    link: Option<&str>,
) {
    let (owner, title, user) = (place.owner.clone(), &place.folder[1..], user.cloned());
    let (title, hash) = (
        title.to_owned(),
        link.map(|link_name| crypto::sha256(link_token(place, link_name).as_bytes())),
    );
    let kind = if user.is_some() { "user" } else { "link" };
    let expires = (link == Some("x")).then_some(1_000_i64);
    let id = format!(
        "{title}-{mode}-{}",
        link.map_or_else(|| user.as_ref().unwrap().to_string(), str::to_owned)
    );
    server
        .app
        .db
        .write(move |tx| {
            tx.execute(
                "insert into access_entry (id, node, type, mode, user_id, token_hash, created,
                     created_by, expires)
                 select ?1, id, ?2, ?3, ?4, ?5, ?6, owner, ?7 from node
                 where owner = ?8 and title = ?9 and type = 'folder'",
                rusqlite::params![id, kind, mode, user, hash, tx.now, expires, owner, title],
            )
        })
        .unwrap();
}

/// Returns an unused account id of the same kind and length as another.
pub fn unused_account_id(existing_id: &str) -> String {
    if existing_id.bytes().all(|byte| byte.is_ascii_digit()) {
        "1".repeat(existing_id.len())
    } else {
        "N".repeat(existing_id.len())
    }
}

//! The callers of the matrix, the two places that they request, and new nodes there.

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

use crate::talk::Answer;
use crate::talk::Server;

/// Id of no document.
pub const ABSENT: &str = "01900000-0000-7000-8000-000000000000";

/// Indexes of Ann's place and of the place of Acme's team Sales.
pub const HERS: usize = 0;
pub const TEAMS: usize = 1;

/// A caller of the matrix.
pub struct Caller {
    pub name: &'static str,
    /// The `Authorization` header. Empty without credentials.
    authorization: String,
    /// The link of a place: `r`, `w`, or `x`, which has expired. `d` is a download token of the
    /// requested document.
    link: &'static str,
    /// Whether the caller may read each place.
    pub reads: [bool; 2],
    /// Whether the caller is a member of the organization.
    pub member: bool,
}

impl Caller {
    fn signed(server: &Server, name: &'static str, who: &AccountId, reads: [bool; 2]) -> Self {
        Self { name, authorization: server.token(who), link: "", reads, member: false }
    }

    /// Returns whether the caller has a token that opens rendered images of the document.
    pub fn has_download_token(&self) -> bool {
        self.link == "d"
    }

    fn linked(name: &'static str, link: &'static str, reads: [bool; 2]) -> Self {
        Self { name, authorization: String::new(), link, reads, member: false }
    }
}

/// A folder of an account.
pub struct Place {
    pub name: &'static str,
    pub owner: String,
    /// Absolute path.
    pub folder: &'static str,
}

/// The target of a request.
#[derive(Clone)]
pub struct Target {
    pub owner: String,
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
pub struct Scene {
    pub server: Server,
    pub callers: Vec<Caller>,
    pub places: Vec<Place>,
    /// Acme's id.
    org: String,
    /// Id of Acme's team Sales. Its folder is closed to all other members.
    team: String,
    /// Ann's credentials and id.
    ann: String,
    ann_id: String,
    made: Cell<usize>,
}

impl Scene {
    pub fn new() -> Self {
        // Many of these callers fail to sign in.
        let mut server = Server::with(Config { sign_in_burst: 1_000_000, ..Config::default() });
        server.index();
        let ann = person(&server, "Ann");
        let (acme, zenith) = (org(&server, "acme"), org(&server, "zenith"));
        add(&server, &acme, &ann, Role::Admin);
        let token = server.token(&ann);
        let mut scene = Self {
            places: vec![
                Place { name: "hers", owner: ann.to_string(), folder: "/Private" },
                Place { name: "team's", owner: acme.to_string(), folder: "/Sales" },
            ],
            callers: Vec::new(),
            org: acme.to_string(),
            team: String::new(),
            made: Cell::new(0),
            ann: token,
            ann_id: ann.to_string(),
            server,
        };
        // The server creates a folder with the team.
        scene.team = scene.make_team("Sales", &[&ann]);
        scene.document(HERS);
        scene.invite_everybody(&acme, &zenith, &ann);
        scene
    }

    /// Creates the callers and their access entries.
    fn invite_everybody(&mut self, acme: &AccountId, zenith: &AccountId, ann: &AccountId) {
        let server = &self.server;
        let people =
            ["Sid", "Rea", "Wim", "Zoe", "Mia", "Tom", "Bea", "Dan"].map(|it| person(server, it));
        let [sid, rea, wim, zoe, mia, tom, bea, dan] = &people;
        add(server, zenith, zoe, Role::Admin);
        add(server, acme, mia, Role::Member);
        add(server, acme, tom, Role::Member);
        add(server, acme, bea, Role::BrandManager);
        self.put_into_team(tom);
        for place in &self.places {
            for (mode, who) in [("r", rea), ("w", wim), ("w", dan)] {
                entry(server, place, mode, Some(who), None);
            }
            for (mode, link) in [("r", "r"), ("w", "w"), ("w", "x")] {
                entry(server, place, mode, None, Some(link));
            }
        }
        let revoked = Caller::signed(server, "revoked", ann, [false; 2]);
        server.sql("delete from api_token where id = (select max(id) from api_token)");
        let disabled = Caller::signed(server, "disabled", dan, [false; 2]);
        let id = dan.clone();
        server.app.db.write(move |tx| accounts::set_disabled(tx, &id, true)).unwrap();
        let team = Caller::signed(server, "team member", tom, [false, true]);
        let owner = Caller::linked("owner", "", [true; 2]);
        self.callers = vec![
            Caller::linked("nobody", "", [false; 2]),
            Caller::signed(server, "stranger", sid, [false; 2]),
            Caller::signed(server, "other admin", zoe, [false; 2]),
            Caller { member: true, ..Caller::signed(server, "outside team", mia, [false; 2]) },
            Caller::linked("expired link", "x", [false; 2]),
            Caller::linked("download", "d", [false; 2]),
            revoked,
            disabled,
            Caller::linked("r link", "r", [true; 2]),
            Caller::signed(server, "reader", rea, [true; 2]),
            Caller::linked("w link", "w", [true; 2]),
            Caller::signed(server, "writer", wim, [true; 2]),
            Caller { member: true, ..team },
            Caller { member: true, ..Caller::signed(server, "brand manager", bea, [false; 2]) },
            Caller { authorization: self.ann.clone(), member: true, ..owner },
        ];
    }

    /// Sends a request as Ann.
    pub fn owner(&self) -> &Caller {
        self.callers.last().unwrap()
    }

    /// Creates a team of Acme. The server adds its folder.
    fn make_team(&self, name: &str, members: &[&AccountId]) -> String {
        let members: Vec<String> =
            members.iter().map(|it| format!("{:?}", it.to_string())).collect();
        let body = format!(r#"{{"name":"{name}","members":[{}]}}"#, members.join(","));
        let path = format!("/api/v1/orgs/{}/teams", self.org);
        let made = self.server.ask(&self.ann, "POST", &path, &body);
        assert_eq!(made.status, 200, "{}", made.text);
        assert_eq!(made.json()["folder"], format!("/{name}"));
        made.json()["id"].as_str().unwrap().to_owned()
    }

    fn put_into_team(&self, who: &AccountId) {
        let path = format!("/api/v1/orgs/{}/team/{}/member/{who}", self.org, self.team);
        assert_eq!(self.server.ask(&self.ann, "PUT", &path, "").status, 204);
    }

    /// Creates a team with Ann in it.
    pub fn team(&self) -> Target {
        let name = format!("Team {:04}", self.next());
        let members = [&AccountId::from_text(&self.ann_id)];
        Target { team: self.make_team(&name, &members), ..self.known(TEAMS) }
    }

    /// Returns the target that always exists in a place.
    fn known(&self, place: usize) -> Target {
        let Place { owner, folder, .. } = &self.places[place];
        let (owner, folder) = (owner.clone(), folder[1..].to_owned());
        let (org, team) = (self.org.clone(), self.team.clone());
        let [doc, thread, comment] = [(); 3].map(|()| ABSENT.to_owned());
        Target { owner, doc, folder, org, team, thread, comment, place }
    }

    /// Adds a comment of Ann to the document.
    pub fn commented(&self, target: Target) -> Target {
        let path = format!("/api/v1/users/{}/documents/{}/comments", target.owner, target.doc);
        let body = r#"{"position":{"x":0,"y":0},"content":[{"type":"text","text":"Hello"}]}"#;
        let made = self.server.ask(&self.ann, "POST", &path, body);
        assert_eq!(made.status, 200, "{}", made.text);
        let id = |it: &serde_json::Value| it["id"].as_str().unwrap().to_owned();
        let (thread, comment) = (id(&made.json()), id(&made.json()["comments"][0]));
        Target { thread, comment, ..target }
    }

    /// Creates a document in a place.
    pub fn document(&self, place: usize) -> Target {
        let known = self.known(place);
        Target { doc: self.create(&known.owner, &known.folder), ..known }
    }

    /// Creates a folder in a place, with a document in it.
    pub fn folder(&self, place: usize) -> Target {
        let known = self.known(place);
        let folder = format!("{}/There {:04}", known.folder, self.next());
        Target { doc: self.create(&known.owner, &folder), folder, ..known }
    }

    /// Moves a document into the trash.
    pub fn trash(&self, target: &Target) {
        let path = format!("/api/v1/users/{}/documents/{}", target.owner, target.doc);
        assert_eq!(self.server.ask(&self.ann, "DELETE", &path, "").status, 204);
    }

    fn create(&self, owner: &str, folder: &str) -> String {
        let body = format!(r#"{{"widget":"bar","owner":"{owner}","folder":"/{folder}"}}"#);
        let made = self.server.ask(&self.ann, "POST", "/api/v1/create-document", &body);
        assert_eq!(made.status, 200, "{}", made.text);
        made.json()["id"].as_str().unwrap().to_owned()
    }

    /// Returns an absent target of a place, with names of the same length.
    pub fn absent(&self, place: usize) -> Target {
        let known = self.known(place);
        let folder = format!("{}/Never {:04}", known.folder, self.next());
        Target { folder, team: ABSENT.to_owned(), ..known }
    }

    /// Returns a download token of the document. For an absent document, returns the token of
    /// another one.
    fn download_token(&self, target: &Target) -> String {
        let documents = format!("/api/v1/users/{}/documents", target.owner);
        let answer =
            self.server.ask(&self.ann, "GET", &format!("{documents}/{}/token", target.doc), "");
        match answer.status {
            200 => answer.json()["token"].as_str().unwrap().to_owned(),
            _ => self.download_token(&self.document(target.place)),
        }
    }

    fn next(&self) -> usize {
        self.made.set(self.made.get() + 1);
        self.made.get()
    }

    /// Sends a request as a caller, with the caller's link to the place of the target.
    pub fn ask(
        &self,
        who: &Caller,
        target: &Target,
        method: &str,
        path: &str,
        body: &str,
    ) -> Answer {
        let mut path = path.to_owned();
        let join = if path.contains('?') { '&' } else { '?' };
        if who.has_download_token() {
            path += &format!("{join}token={}", self.download_token(target));
        } else if !who.link.is_empty() {
            path += &format!("{join}share={}", token(&self.places[target.place], who.link));
        }
        let kind = match body.as_bytes().first() {
            Some(b'{' | b'[') => "application/json",
            _ => "application/x-www-form-urlencoded",
        };
        let mut headers = vec![("origin", "http://127.0.0.1:8080")];
        if !body.is_empty() {
            headers.push(("content-type", kind));
        }
        if !who.authorization.is_empty() {
            headers.push(("authorization", &who.authorization));
        }
        self.server.send(method, &path, &headers, body)
    }
}

/// Returns the token of a place's link.
fn token(place: &Place, link: &str) -> String {
    format!("{}-{link}", place.name.trim_end_matches("'s"))
}

fn person(server: &Server, name: &str) -> AccountId {
    let email = format!("{}@example.org", name.to_lowercase());
    let new = NewUser { email, name: name.to_owned(), ..NewUser::default() };
    server.app.db.write(move |tx| accounts::create_user(tx, &new)).unwrap().id
}

fn org(server: &Server, slug: &str) -> AccountId {
    let (name, slug) = (format!("The {slug}"), slug.to_owned());
    let new = NewOrg { name, slug, plan: Plan::Enterprise, seats: Seats::Unlimited };
    server.app.db.write(move |tx| orgs::create_org(tx, &new)).unwrap().id
}

fn add(server: &Server, org: &AccountId, user: &AccountId, role: Role) {
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
fn entry(
    server: &Server,
    place: &Place,
    mode: &'static str,
    user: Option<&AccountId>,
    link: Option<&str>,
) {
    let (owner, title, user) = (place.owner.clone(), &place.folder[1..], user.cloned());
    let (title, hash) =
        (title.to_owned(), link.map(|it| crypto::sha256(token(place, it).as_bytes())));
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
pub fn no_account(like: &str) -> String {
    if like.bytes().all(|it| it.is_ascii_digit()) {
        "1".repeat(like.len())
    } else {
        "N".repeat(like.len())
    }
}

//! The people of the matrix, the two places whose things they ask for, and fresh things there.

use std::cell::Cell;

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::orgs;
use chartroom::features::orgs::NewOrg;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use chartroom::platform::config::Config;
use chartroom::platform::crypto;
use chartroom::platform::id::AccountId;

use crate::talk::Answer;
use crate::talk::Server;

/// No document has this id.
pub const ABSENT: &str = "01900000-0000-7000-8000-000000000000";

/// Somebody who asks.
pub struct Caller {
    pub name: &'static str,
    /// The `Authorization` header; empty without credentials.
    authorization: String,
    /// With which of a place's links: `r`, `w` or `x`, which has expired.
    link: &'static str,
    /// Whether he may read the things of both places.
    pub reads: bool,
}

/// Where things are: a folder of an account.
pub struct Place {
    pub name: &'static str,
    pub owner: String,
    /// Absolute path.
    pub folder: &'static str,
}

/// What a request is aimed at.
#[derive(Clone)]
pub struct Target {
    pub owner: String,
    pub doc: String,
    /// Without the first slash.
    pub folder: String,
}

/// The server with all of them.
pub struct Scene {
    pub server: Server,
    pub callers: Vec<Caller>,
    pub places: Vec<Place>,
    /// Acme's id.
    pub org: String,
    ann: String,
    made: Cell<usize>,
}

impl Scene {
    pub fn new() -> Self {
        // Many of these callers fail to sign in.
        let server = Server::with(Config { sign_in_burst: 1_000_000, ..Config::default() });
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
            made: Cell::new(0),
            ann: token,
            server,
        };
        for place in 0..scene.places.len() {
            scene.document(place);
        }
        scene.close_by_team(&acme, &ann);
        scene.invite_everybody(&acme, &zenith, &ann);
        scene
    }

    /// Makes the callers and what they may do.
    fn invite_everybody(&mut self, acme: &AccountId, zenith: &AccountId, ann: &AccountId) {
        let server = &self.server;
        let signed = |name, who: &AccountId, reads| Caller {
            name,
            authorization: server.token(who),
            link: "",
            reads,
        };
        let linked = |name, link, reads| Caller { name, authorization: String::new(), link, reads };
        let people = ["Sid", "Rea", "Wim", "Zoe", "Mia", "Dan"].map(|name| person(server, name));
        let [sid, rea, wim, zoe, mia, dan] = &people;
        add(server, zenith, zoe, Role::Admin);
        add(server, acme, mia, Role::Member);
        for place in &self.places {
            for (mode, who) in [("r", rea), ("w", wim), ("w", dan)] {
                entry(server, place, mode, Some(who), None);
            }
            for (mode, link) in [("r", "r"), ("w", "w"), ("w", "x")] {
                entry(server, place, mode, None, Some(link));
            }
        }
        let revoked = signed("revoked", ann, false);
        server.sql("delete from api_token where id = (select max(id) from api_token)");
        let disabled = signed("disabled", dan, false);
        let id = dan.clone();
        server.app.db.write(move |tx| accounts::set_disabled(tx, &id, true)).unwrap();
        self.callers = vec![
            linked("nobody", "", false),
            signed("stranger", sid, false),
            signed("other admin", zoe, false),
            signed("outside team", mia, false),
            linked("expired link", "x", false),
            revoked,
            disabled,
            linked("r link", "r", true),
            signed("reader", rea, true),
            linked("w link", "w", true),
            signed("writer", wim, true),
            Caller { name: "owner", authorization: self.ann.clone(), link: "", reads: true },
        ];
    }

    /// Closes Acme's folder to all but the members of a team.
    fn close_by_team(&self, acme: &AccountId, ann: &AccountId) {
        let (acme, ann) = (acme.clone(), ann.clone());
        self.server
            .app
            .db
            .write(move |tx| {
                tx.execute(
                    "insert into team (id, org_id, name, folder, created)
                     select 'sales', ?1, 'Sales', id, ?2 from node
                     where owner = ?1 and title = 'Sales'",
                    (&acme, tx.now),
                )?;
                tx.execute("insert into team_member values ('sales', ?1, ?2)", (&ann, tx.now))
            })
            .unwrap();
    }

    /// A fresh document in a place.
    pub fn document(&self, place: usize) -> Target {
        let place = &self.places[place];
        let body =
            format!(r#"{{"widget":"bar","owner":"{}","folder":"{}"}}"#, place.owner, place.folder);
        let made = self.server.ask(&self.ann, "POST", "/api/v1/create-document", &body);
        assert_eq!(made.status, 200, "{}", made.text);
        let doc = made.json()["id"].as_str().unwrap().to_owned();
        Target { owner: place.owner.clone(), doc, folder: place.folder[1..].to_owned() }
    }

    /// A fresh folder in a place, with a document in it.
    pub fn folder(&self, place: usize) -> Target {
        let place = &self.places[place];
        let folder = format!("{}/There {:04}", place.folder, self.next());
        let body = format!(r#"{{"widget":"bar","owner":"{}","folder":"{folder}"}}"#, place.owner);
        let made = self.server.ask(&self.ann, "POST", "/api/v1/create-document", &body);
        assert_eq!(made.status, 200, "{}", made.text);
        let doc = made.json()["id"].as_str().unwrap().to_owned();
        Target { owner: place.owner.clone(), doc, folder: folder[1..].to_owned() }
    }

    /// What is not in a place, under names of the same length.
    pub fn absent(&self, place: usize) -> Target {
        let place = &self.places[place];
        let folder = format!("{}/Never {:04}", &place.folder[1..], self.next());
        Target { owner: place.owner.clone(), doc: ABSENT.to_owned(), folder }
    }

    fn next(&self) -> usize {
        self.made.set(self.made.get() + 1);
        self.made.get()
    }

    /// Sends a request as a caller; `place` says whose link he comes with.
    pub fn ask(&self, who: &Caller, place: usize, method: &str, path: &str, body: &str) -> Answer {
        let mut path = path.to_owned();
        if !who.link.is_empty() {
            let join = if path.contains('?') { '&' } else { '?' };
            path += &format!("{join}share={}", token(&self.places[place], who.link));
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

/// The token of a place's link.
fn token(place: &Place, link: &str) -> String {
    format!("{}-{link}", place.name.trim_end_matches("'s"))
}

fn person(server: &Server, name: &str) -> AccountId {
    let email = format!("{}@example.org", name.to_lowercase());
    let new = NewUser { email, name: name.to_owned(), ..NewUser::default() };
    server.app.db.write(|tx| accounts::create(tx, new)).unwrap().id
}

fn org(server: &Server, slug: &str) -> AccountId {
    let (name, slug) = (format!("The {slug}"), slug.to_owned());
    let new = NewOrg { name, slug, plan: Plan::Enterprise, seats: Seats::Unlimited };
    server.app.db.write(|tx| orgs::create(tx, new)).unwrap().id
}

fn add(server: &Server, org: &AccountId, user: &AccountId, role: Role) {
    let (org, user) = (org.clone(), user.clone());
    server
        .app
        .db
        .write(move |tx| {
            let org = orgs::find(tx, org.as_str())?;
            orgs::add_member(tx, &org, &user, role)
        })
        .unwrap();
}

/// An access entry on a place's folder, past all rules: for a user, or for a link.
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

/// The id of no account, of the kind and length of another.
pub fn no_account(like: &str) -> String {
    if like.bytes().all(|it| it.is_ascii_digit()) {
        "1".repeat(like.len())
    } else {
        "N".repeat(like.len())
    }
}

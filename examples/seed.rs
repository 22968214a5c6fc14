//! Fills a data directory with made-up people, folders and charts, to measure with.
//!
//! `cargo run --release --example seed -- DIR [--documents 100000] [--folders 5000] [--users 1000]`:
//! half of the folders belong to users, half to organizations of 50 members, some of those to their
//! teams. One document in 33 and one folder in five is shared with somebody; one user owns nothing,
//! belongs to nothing and sees 50 documents. The same numbers give the same names, texts and places.
//! Prints, as JSON, who may be asked about what.

use std::path::PathBuf;

use chartroom::app::App;
use chartroom::features::access::{self, AccessEntry, AccessEntryKind, Caller};
use chartroom::features::accounts::{self, NewUser, User};
use chartroom::features::documents::{
    self, Channel, DocumentReplacement, DocumentTarget, InitialContent, NewDocument,
    Precompression, Records,
};
use chartroom::features::orgs::{self, NewOrg, Plan, Role, Seats, teams};
use chartroom::features::portfolio;
use chartroom::features::tree::{self, FolderPath};
use chartroom_platform::config::Config;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::{Error, OrNotFound, Result};
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::{AccountId, NodeId};
use clap::Parser;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

/// Documents made in one transaction: each statement's cost grows with what its transaction has
/// written before.
const BATCH: usize = 50;
/// Members of an organization, its teams, and the members of each.
const MEMBERS: usize = 50;
const TEAMS: usize = 3;
const TEAM: usize = 8;
/// Documents on the page that is read.
const PAGE: usize = 20;
/// Documents that the reader sees: in one folder, and one by one.
const IN_FOLDER: usize = 15;
const ONE_BY_ONE: usize = 35;
/// Kinds with a label and a value in each record.
const KINDS: [&str; 3] = ["bar", "pie", "donut"];

#[derive(Parser)]
struct Wanted {
    /// The data directory: a new one.
    dir: PathBuf,
    #[arg(long, default_value_t = 100_000)]
    documents: usize,
    #[arg(long, default_value_t = 5_000)]
    folders: usize,
    #[arg(long, default_value_t = 1_000)]
    users: usize,
}

/// A folder, and somebody who may write there.
#[derive(Clone)]
struct Folder {
    writer: User,
    owner: AccountId,
    path: FolderPath,
}

/// A document to be made.
struct Sheet {
    folder: Folder,
    kind: &'static str,
    title: String,
    data: Records,
}

fn main() -> Result<()> {
    let wanted = Wanted::parse();
    if wanted.users < MEMBERS || wanted.folders < wanted.users || wanted.documents < 1000 {
        return Err(Error::Invalid(format!(
            "needs {MEMBERS} users, as many folders as users, and 1000 documents"
        )));
    }
    let app = App::open(Config { data_dir: wanted.dir.clone(), ..Config::default() })?;
    let mut chance = Chance(StdRng::seed_from_u64(7));
    let users = people(&app, wanted.users)?;
    let mut folders = own_folders(&users, wanted.folders / 2)?;
    folders.extend(org_folders(&app, &users, wanted.folders - folders.len())?);
    let shared = Folder { path: path("/For the reader")?, ..folders[1].clone() };

    let mut made: Vec<NodeId> = Vec::with_capacity(wanted.documents);
    while made.len() < wanted.documents {
        let numbers = made.len()..wanted.documents.min(made.len() + BATCH);
        let sheets: Vec<Sheet> = numbers
            .map(|number| match number {
                _ if number < PAGE => chance.sheet(&folders[0]),
                _ if number < PAGE + IN_FOLDER => chance.sheet(&shared),
                _ => {
                    let at = chance.below(folders.len());
                    chance.sheet(&folders[at])
                }
            })
            .collect();
        made.extend(
            app.db
                .write(move |tx| sheets.iter().map(|it| add(tx, it)).collect::<Result<Vec<_>>>())?,
        );
    }
    share(&app, &mut chance, &users, (&shared, &folders), &made)?;
    let (owner, reader) = (users[0].id.clone(), users[1].id.clone());
    let ids = [owner.clone(), reader.clone()];
    let tokens = app.db.write(move |tx| {
        // Nobody looks at the thumbnails, and drawing them would disturb what is measured.
        tx.execute("delete from task where name = ?1", [documents::RENDER_THUMBNAIL])?;
        ids.iter()
            .map(|id| Ok(accounts::create_token(tx, id, "seed", None)?.1))
            .collect::<Result<Vec<_>>>()
    })?;
    app.db.close()?;
    let report = json!({
        "documents": made.len(),
        "owner": { "id": owner, "token": tokens[0], "folder": folders[0].path.to_string(), "page": &made[..PAGE] },
        "reader": { "id": reader, "token": tokens[1], "documents": IN_FOLDER + ONE_BY_ONE, "words": [word(0), word(1), word(2)] },
        "words": [word(1), word(2), word(3)],
    });
    println!("{report}");
    Ok(())
}

/// The first is the owner of the page that is read, the second the reader.
fn people(app: &App, count: usize) -> Result<Vec<User>> {
    app.db.write(move |tx| {
        (0..count)
            .map(|number| {
                let email = format!("person{number}@example.com");
                let name = format!("{} {}", capital(&word(number)), capital(&word(number * 7 + 1)));
                Ok(accounts::create_user(tx, &NewUser { email, name, ..NewUser::default() })?
                    .user())
            })
            .collect()
    })
}

/// Folders of users, the first of the owner; none of the reader. One in three is in another.
fn own_folders(users: &[User], count: usize) -> Result<Vec<Folder>> {
    let writers: Vec<&User> =
        users.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, it)| it).collect();
    let folder = |number: usize| {
        let writer = writers[number % writers.len()].clone();
        let top = capital(&word(number % 17));
        let path = match number % 3 {
            2 => path(&format!("/{top}/{} {number}", word(number)))?,
            _ => path(&format!("/{top} {number}"))?,
        };
        Ok(Folder { owner: writer.id.clone(), writer, path })
    };
    (0..count).map(folder).collect()
}

/// Organizations with all users but the reader as members, and their folders: a quarter of them
/// those of teams and below.
fn org_folders(app: &App, users: &[User], count: usize) -> Result<Vec<Folder>> {
    let people: Vec<User> =
        users.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, it)| it.clone()).collect();
    let orgs = people.len().div_ceil(MEMBERS);
    let homes = app.db.write(move |tx| {
        let mut homes: Vec<(User, AccountId)> = Vec::new();
        for (number, members) in people.chunks(MEMBERS).enumerate() {
            let name = format!("{} Works {number}", capital(&word(number)));
            let new = NewOrg {
                name,
                slug: format!("works-{number}"),
                plan: Plan::Enterprise,
                seats: Seats::Unlimited,
            };
            let org = orgs::create_org(tx, &new)?;
            for (at, member) in members.iter().enumerate() {
                // The owner of the page is no admin.
                let role = if at == members.len() - 1 { Role::Admin } else { Role::Member };
                orgs::put_member(tx, &org, &member.id, role)?;
            }
            let admin = members[members.len() - 1].clone();
            for team in 0..TEAMS {
                let ids = members.iter().skip(team * TEAM).take(TEAM).map(|it| it.id.to_string());
                let request = teams::TeamRequest {
                    name: Some(format!("Team {team}")),
                    members: Some(ids.collect()),
                };
                teams::create_team(tx, &admin, &org, request)?;
            }
            homes.push((admin, org.id));
        }
        Ok(homes)
    })?;
    let folder = |number: usize| {
        let (writer, owner) = homes[number % orgs].clone();
        let path = match number % 4 {
            0 => path(&format!("/Team {}/{} {number}", number % TEAMS, word(number)))?,
            _ => path(&format!("/{} {number}", capital(&word(number))))?,
        };
        Ok(Folder { writer, owner, path })
    };
    (0..count).map(folder).collect()
}

fn path(text: &str) -> Result<FolderPath> {
    FolderPath::parse(text).map_err(Error::Invalid)
}

/// Makes a document as its folder's writer does: of a kind first, then with its own content.
fn add(tx: &WriteTx<'_>, sheet: &Sheet) -> Result<NodeId> {
    let Folder { writer, owner, path } = &sheet.folder;
    let wanted = NewDocument {
        content: InitialContent::Kind(portfolio::find_kind(sheet.kind).or_not_found("chart kind")?),
        owner: Some(owner.to_string()),
        folder: path.clone(),
        layout: None,
        channel: Channel::Api,
    };
    let head = documents::create_document(tx, writer, &wanted)?;
    let target = DocumentTarget {
        user: owner.to_string(),
        id: head.id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Api,
    };
    let content = DocumentReplacement {
        kind: None,
        title: sheet.title.clone(),
        settings: head.settings,
        data: sheet.data.clone(),
        theme: head.theme,
        custom_theme: None,
        style: None,
        svg: None,
        is_public: false,
        owner: None,
        version: 0,
        final_save: false,
    };
    let caller = Caller::from(writer);
    documents::replace_document(tx, &caller, &target, &content, &Precompression::InTransaction)?
        .or_not_found("document")?;
    Ok(head.id)
}

/// Makes the access entries.
fn share(
    app: &App,
    chance: &mut Chance,
    users: &[User],
    (shared, folders): (&Folder, &[Folder]),
    made: &[NodeId],
) -> Result<()> {
    let reader = users[1].id.clone();
    let others: Vec<AccountId> =
        users.iter().map(|it| it.id.clone()).filter(|it| *it != reader).collect();
    let mut wanted: Vec<(NodeId, AccountId)> = Vec::new();
    wanted.extend(made.iter().step_by(33).map(|id| (id.clone(), chance.of(&others))));
    let rest = &made[PAGE + IN_FOLDER..];
    wanted.extend(
        rest.iter()
            .step_by(rest.len() / ONE_BY_ONE)
            .take(ONE_BY_ONE)
            .map(|id| (id.clone(), reader.clone())),
    );
    let folder = |it: &Folder| app.db.read(|tx| tree::find_deepest_folder(tx, &it.owner, &it.path));
    for it in folders.iter().step_by(5) {
        // One in which nothing was put is not there.
        if let (Some(id), true) = folder(it)? {
            wanted.push((id, chance.of(&others)));
        }
    }
    let id = folder(shared)?.0.or_not_found("folder")?;
    wanted.push((id, reader));
    app.db.write(move |tx| {
        wanted.iter().try_for_each(|(node, user)| {
            let by = tree::find_node(tx, node)?.or_not_found("document")?.updated_by;
            let entry =
                AccessEntry::new(node, AccessEntryKind::User, &AccountId::from_text(by), tx.now);
            access::insert_entry(tx, &AccessEntry { user: Some(user.clone()), ..entry })
        })
    })
}

/// Random numbers that are the same each time.
struct Chance(StdRng);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    fn of(&mut self, all: &[AccountId]) -> AccountId {
        let at = self.below(all.len());
        all[at].clone()
    }

    /// A word; as in texts, few are frequent and most are rare.
    fn word(&mut self) -> String {
        let share: f64 = self.0.random();
        word((share.powi(3) * 8000.0) as usize)
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn sheet(&mut self, folder: &Folder) -> Sheet {
        let length = 3 + self.below(4);
        let title = capital(&self.words(length));
        let mut data = Records::default();
        for _ in 0..4 + self.below(16) {
            let value = self.below(20_000) as f64 / 10.0;
            data.push(&json!({ "label": self.words(2), "value": value }).to_string());
        }
        Sheet { folder: folder.clone(), kind: KINDS[self.below(KINDS.len())], title, data }
    }
}

/// A made-up word: the same number gives the same one.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ka", "lo", "mi", "ne", "ru", "sa", "te", "vo", "bi", "do", "fe", "gu", "ha", "jo", "pe",
        "qui", "ri", "su", "tar", "wen",
    ];
    let mut text = String::new();
    let mut rest = number + SYLLABLES.len();
    while rest > 0 {
        text.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    text
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

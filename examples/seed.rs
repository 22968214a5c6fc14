//! Fills a data directory with generated users, folders and charts for measurements.
//!
//! `cargo run --release --example seed -- DIR [--documents 100000] [--folders 5000] [--users 1000]`
//!
//! Half of the folders belong to users, the other half to organizations of 50 members, and some of
//! those to teams. One document in 33 and one folder in five is shared with a user. One user, the
//! reader, owns nothing, is in no organization and sees 50 documents. The same options give the
//! same names, texts and folders. Prints accounts with tokens and search words as JSON.

use std::path::PathBuf;

use chartroom::app::App;
use chartroom::features::access::{self, AccessEntry, AccessEntryKind, Caller};
use chartroom::features::accounts::{self, NewApiToken, NewUser, User};
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
use chartroom_platform::language::Language;
use clap::Parser;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

/// Number of documents created in one transaction. It is small because the cost of a statement
/// grows with the amount of data that its transaction has already written.
const DOCUMENTS_PER_TRANSACTION: usize = 50;
/// Number of members of an organization.
const MEMBERS_PER_ORG: usize = 50;
/// Number of teams of an organization.
const TEAMS_PER_ORG: usize = 3;
/// Number of members of a team.
const MEMBERS_PER_TEAM: usize = 8;
/// Number of documents in the first folder. A benchmark reads the page of this folder.
const PAGE_DOCUMENTS: usize = 20;
/// Number of documents that the reader sees in a shared folder.
const SHARED_FOLDER_DOCUMENTS: usize = 15;
/// Number of documents that are shared directly with the reader.
const DIRECTLY_SHARED_DOCUMENTS: usize = 35;
/// Kinds with a label and a value in each record.
const KINDS: [&str; 3] = ["bar", "pie", "donut"];

#[derive(Parser)]
struct Options {
    /// Data directory to create.
    dir: PathBuf,
    #[arg(long, default_value_t = 100_000)]
    documents: usize,
    #[arg(long, default_value_t = 5_000)]
    folders: usize,
    #[arg(long, default_value_t = 1_000)]
    users: usize,
}

/// A folder, and a user with write access to it.
#[derive(Clone)]
struct SeedFolder {
    writer: User,
    owner: AccountId,
    path: FolderPath,
}

/// A document to create.
struct SeedDocument {
    folder: SeedFolder,
    kind: &'static str,
    title: String,
    data: Records,
}

fn main() -> Result<()> {
    let options = Options::parse();
    if options.users < MEMBERS_PER_ORG
        || options.folders < options.users
        || options.documents < 1000
    {
        return Err(Error::Invalid(format!(
            "needs {MEMBERS_PER_ORG} users, as many folders as users, and 1000 documents"
        )));
    }
    let app = App::open(Config { data_dir: options.dir.clone(), ..Config::default() })?;
    let mut random = SeededRandom(StdRng::seed_from_u64(7));
    let users = create_users(&app, options.users)?;
    let mut folders = plan_personal_folders(&users, options.folders / 2)?;
    folders.extend(create_orgs_and_plan_folders(&app, &users, options.folders - folders.len())?);
    let reader_folder = SeedFolder { path: parse_path("/For the reader")?, ..folders[1].clone() };

    let mut created: Vec<NodeId> = Vec::with_capacity(options.documents);
    while created.len() < options.documents {
        let numbers =
            created.len()..options.documents.min(created.len() + DOCUMENTS_PER_TRANSACTION);
        let documents: Vec<SeedDocument> = numbers
            .map(|number| plan_document(number, &mut random, &folders, &reader_folder))
            .collect();
        created.extend(app.db.write(move |tx| create_documents(tx, &documents))?);
    }
    create_access_entries(&app, &mut random, &users, &reader_folder, &folders, &created)?;
    let (owner, reader) = (users[0].id.clone(), users[1].id.clone());
    let ids = [owner.clone(), reader.clone()];
    let tokens = app.db.write(move |tx| {
        // Thumbnails are not needed, and rendering them would disturb the measurements.
        tx.execute("delete from task where name = ?1", [documents::RENDER_THUMBNAIL])?;
        ids.iter()
            .map(|id| Ok(accounts::create_token(tx, id, &NewApiToken::unlimited("seed"))?.1))
            .collect::<Result<Vec<_>>>()
    })?;
    app.db.close()?;
    let report = json!({
        "documents": created.len(),
        "owner": { "id": owner, "token": tokens[0], "folder": folders[0].path.to_string(),
            "page": &created[..PAGE_DOCUMENTS] },
        "reader": { "id": reader, "token": tokens[1],
            "documents": SHARED_FOLDER_DOCUMENTS + DIRECTLY_SHARED_DOCUMENTS,
            "words": [make_word(0), make_word(1), make_word(2)] },
        "words": [make_word(1), make_word(2), make_word(3)],
    });
    println!("{report}");
    Ok(())
}

/// Plans the document with a number: the first ones are in the first folder, the next ones in the
/// folder that is shared with the reader, and all others in random folders.
fn plan_document(
    number: usize,
    random: &mut SeededRandom,
    folders: &[SeedFolder],
    reader_folder: &SeedFolder,
) -> SeedDocument {
    match number {
        _ if number < PAGE_DOCUMENTS => random.next_document(&folders[0]),
        _ if number < PAGE_DOCUMENTS + SHARED_FOLDER_DOCUMENTS => {
            random.next_document(reader_folder)
        }
        _ => {
            let index = random.below(folders.len());
            random.next_document(&folders[index])
        }
    }
}

/// Creates users. The first one owns the page that a benchmark reads, the second one is the reader.
fn create_users(app: &App, count: usize) -> Result<Vec<User>> {
    app.db.write(move |tx| {
        (0..count)
            .map(|number| {
                let email = format!("person{number}@example.com");
                let name = format!(
                    "{} {}",
                    capitalize(&make_word(number)),
                    capitalize(&make_word(number * 7 + 1))
                );
                Ok(accounts::create_user(tx, &NewUser { email, name, ..NewUser::default() })?
                    .user())
            })
            .collect()
    })
}

/// Plans personal folders for all users except the reader. The first folder belongs to the first
/// user. One folder in three is a subfolder.
fn plan_personal_folders(users: &[User], count: usize) -> Result<Vec<SeedFolder>> {
    let writers: Vec<&User> =
        users.iter().enumerate().filter(|(index, _)| *index != 1).map(|(_, user)| user).collect();
    let plan_folder = |number: usize| {
        let writer = writers[number % writers.len()].clone();
        let top_name = capitalize(&make_word(number % 17));
        let path = match number % 3 {
            2 => parse_path(&format!("/{top_name}/{} {number}", make_word(number)))?,
            _ => parse_path(&format!("/{top_name} {number}"))?,
        };
        Ok(SeedFolder { owner: writer.id.clone(), writer, path })
    };
    (0..count).map(plan_folder).collect()
}

/// Creates organizations with all users except the reader as members, and plans their folders. A
/// quarter of the folders are below the folder of a team.
fn create_orgs_and_plan_folders(
    app: &App,
    users: &[User],
    count: usize,
) -> Result<Vec<SeedFolder>> {
    let members: Vec<User> = users
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != 1)
        .map(|(_, user)| user.clone())
        .collect();
    let org_count = members.len().div_ceil(MEMBERS_PER_ORG);
    let admins_and_orgs = app.db.write(move |tx| {
        let mut admins_and_orgs: Vec<(User, AccountId)> = Vec::new();
        for (number, org_members) in members.chunks(MEMBERS_PER_ORG).enumerate() {
            admins_and_orgs.push(create_org(tx, number, org_members)?);
        }
        Ok(admins_and_orgs)
    })?;
    let plan_folder = |number: usize| {
        let (writer, owner) = admins_and_orgs[number % org_count].clone();
        let path = match number % 4 {
            0 => parse_path(&format!(
                "/Team {}/{} {number}",
                number % TEAMS_PER_ORG,
                make_word(number)
            ))?,
            _ => parse_path(&format!("/{} {number}", capitalize(&make_word(number))))?,
        };
        Ok(SeedFolder { writer, owner, path })
    };
    (0..count).map(plan_folder).collect()
}

/// Creates the organization with a number, with members and teams. Returns its admin and its id.
fn create_org(tx: &WriteTx<'_>, number: usize, members: &[User]) -> Result<(User, AccountId)> {
    let name = format!("{} Works {number}", capitalize(&make_word(number)));
    let new = NewOrg {
        name,
        slug: format!("works-{number}"),
        plan: Plan::Enterprise,
        seats: Seats::Unlimited,
    };
    let org = orgs::create_org(tx, &new)?;
    for (index, member) in members.iter().enumerate() {
        // The last member is the admin, so the first user is not an admin.
        let role = if index == members.len() - 1 { Role::Admin } else { Role::Member };
        orgs::put_member(tx, &org, &member.id, role)?;
    }
    let admin = members[members.len() - 1].clone();
    for team in 0..TEAMS_PER_ORG {
        let ids = members
            .iter()
            .skip(team * MEMBERS_PER_TEAM)
            .take(MEMBERS_PER_TEAM)
            .map(|member| member.id.to_string());
        let request =
            teams::TeamRequest { name: Some(format!("Team {team}")), members: Some(ids.collect()) };
        teams::create_team(tx, &admin, &org, request)?;
    }
    Ok((admin, org.id))
}

fn parse_path(text: &str) -> Result<FolderPath> {
    FolderPath::parse(text).map_err(Error::Invalid)
}

/// Creates documents and returns their ids.
fn create_documents(tx: &WriteTx<'_>, documents: &[SeedDocument]) -> Result<Vec<NodeId>> {
    documents.iter().map(|document| create_document(tx, document)).collect()
}

/// Creates a document as the writer of its folder: first with the sample of its kind, then with its
/// content.
fn create_document(tx: &WriteTx<'_>, document: &SeedDocument) -> Result<NodeId> {
    let SeedFolder { writer, owner, path } = &document.folder;
    let new_document = NewDocument {
        content: InitialContent::Kind {
            kind: portfolio::find_kind(document.kind).or_not_found("chart kind")?,
            language: Language::English,
        },
        owner: Some(owner.to_string()),
        folder: path.clone(),
        layout: None,
        channel: Channel::Api,
    };
    let created = documents::create_document(tx, writer, &new_document)?;
    let target = DocumentTarget {
        user: owner.to_string(),
        id: created.id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Api,
    };
    let content = DocumentReplacement {
        kind: None,
        title: document.title.clone(),
        settings: created.settings,
        data: document.data.clone(),
        theme: created.theme,
        custom_theme: None,
        style: None,
        svg: None,
        is_public: None,
        owner: None,
        version: 0,
        final_save: false,
    };
    let caller = Caller::from(writer);
    documents::replace_document(tx, &caller, &target, &content, &Precompression::InTransaction)?
        .or_not_found("document")?;
    Ok(created.id)
}

/// Creates the access entries: one document in 33 and one folder in five for other users, and the
/// documents of the reader.
fn create_access_entries(
    app: &App,
    random: &mut SeededRandom,
    users: &[User],
    reader_folder: &SeedFolder,
    folders: &[SeedFolder],
    documents: &[NodeId],
) -> Result<()> {
    let reader = users[1].id.clone();
    let others: Vec<AccountId> =
        users.iter().map(|user| user.id.clone()).filter(|user| *user != reader).collect();
    let mut entries: Vec<(NodeId, AccountId)> = Vec::new();
    entries.extend(documents.iter().step_by(33).map(|id| (id.clone(), random.pick(&others))));
    let other_documents = &documents[PAGE_DOCUMENTS + SHARED_FOLDER_DOCUMENTS..];
    entries.extend(
        other_documents
            .iter()
            .step_by(other_documents.len() / DIRECTLY_SHARED_DOCUMENTS)
            .take(DIRECTLY_SHARED_DOCUMENTS)
            .map(|id| (id.clone(), reader.clone())),
    );
    let find_folder = |folder: &SeedFolder| {
        app.db.read(|tx| tree::find_deepest_folder(tx, &folder.owner, &folder.path))
    };
    for folder in folders.iter().step_by(5) {
        // A planned folder without documents was never created.
        if let (Some(id), true) = find_folder(folder)? {
            entries.push((id, random.pick(&others)));
        }
    }
    let id = find_folder(reader_folder)?.0.or_not_found("folder")?;
    entries.push((id, reader));
    app.db.write(move |tx| {
        entries.iter().try_for_each(|(node, user)| {
            let creator = tree::find_node(tx, node)?.or_not_found("document")?.updated_by;
            let entry = AccessEntry::new(
                node,
                AccessEntryKind::User,
                &AccountId::from_text(creator),
                tx.now,
            );
            access::insert_entry(tx, &AccessEntry { user: Some(user.clone()), ..entry })
        })
    })
}

/// A random generator with a fixed seed.
struct SeededRandom(StdRng);

impl SeededRandom {
    /// Returns a random number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    /// Returns a random account.
    fn pick(&mut self, accounts: &[AccountId]) -> AccountId {
        let index = self.below(accounts.len());
        accounts[index].clone()
    }

    /// Returns a random word. As in natural text, few words are frequent and most are rare.
    fn next_word(&mut self) -> String {
        let share: f64 = self.0.random();
        make_word((share.powi(3) * 8000.0) as usize)
    }

    /// Returns random words, separated by spaces.
    fn next_words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.next_word()).collect::<Vec<_>>().join(" ")
    }

    /// Plans a document with random kind, title and records in a folder.
    fn next_document(&mut self, folder: &SeedFolder) -> SeedDocument {
        let length = 3 + self.below(4);
        let title = capitalize(&self.next_words(length));
        let mut data = Records::default();
        for _ in 0..4 + self.below(16) {
            let value = self.below(20_000) as f64 / 10.0;
            data.push(&json!({ "label": self.next_words(2), "value": value }).to_string());
        }
        SeedDocument { folder: folder.clone(), kind: KINDS[self.below(KINDS.len())], title, data }
    }
}

/// Returns the generated word with a number.
fn make_word(number: usize) -> String {
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

/// Returns a word with its first letter in upper case. The letter must be ASCII.
fn capitalize(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

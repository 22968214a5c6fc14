//! Data of `chartroom serve --demo`: a temporary data directory with sample users and charts.

use std::fs;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::path::PathBuf;

use crate::app::App;
use crate::features::accounts;
use crate::features::accounts::NewApiToken;
use crate::features::accounts::NewUser;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::documents::InitialContent;
use crate::features::documents::NewDocument;
use crate::features::orgs;
use crate::features::orgs::NewOrg;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::Seats;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::language::Language;

/// A temporary data directory, deleted on drop.
pub struct TemporaryDataDir(PathBuf);

impl TemporaryDataDir {
    /// Creates the directory with a random name in the temporary directory of the system. Only the
    /// current user can read it.
    pub fn create() -> Result<Self> {
        let name = format!("chartroom-demo-{}", crypto::random_base62(8)?);
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDataDir {
    /// Deletes the directory with its content. Logs a failure.
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "cannot delete the data of the demonstration");
        }
    }
}

/// Credentials of the demonstration.
pub struct DemoCredentials {
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: String,
    /// A personal API token.
    pub token: String,
}

/// Folders of the examples that the library shows first: chart kind, folder, and whether the
/// organization owns the document. The user owns all other examples, in a folder named after the
/// category.
const FEATURED_EXAMPLES: &[(&str, &str, bool)] = &[
    ("table", "/Branches", true),
    ("scatter", "/Housing", false),
    ("waterfall", "/Finance", true),
    ("pie", "/Housing", false),
    ("gantt", "/Plans", true),
    ("area", "/Operations", true),
    ("donut", "/Operations", true),
    ("line", "/Transport", false),
    ("bar", "/Finance", true),
    ("time-series", "/Air quality", false),
    ("grouped-column", "/Finance", true),
    ("stacked-column", "/Energy", false),
];

/// Fills an empty database with sample data: an operator, an ordinary user, their organization, and
/// an example of every chart kind. Returns the credentials of the operator.
pub fn create_sample_data(app: &App) -> Result<DemoCredentials> {
    let password = crypto::random_base62(14)?;
    let password_hash = accounts::hash_new_password(app, None, &password)?;
    let (email, token) = app.db.write(move |tx| {
        let ann = accounts::create_user(
            tx,
            &NewUser {
                email: "ann@example.com".to_owned(),
                name: "Ann Archer".to_owned(),
                password_hash: Some(password_hash.clone()),
                operator: true,
                ..NewUser::default()
            },
        )?;
        let ben = accounts::create_user(
            tx,
            &NewUser {
                email: "ben@example.com".to_owned(),
                name: "Ben Brook".to_owned(),
                ..NewUser::default()
            },
        )?;
        let org = orgs::create_org(
            tx,
            &NewOrg {
                name: "Harbour News".to_owned(),
                slug: "harbour-news".to_owned(),
                plan: Plan::Team,
                seats: Seats::Limited(5),
            },
        )?;
        orgs::put_member(tx, &org, &ann.id, Role::Admin)?;
        orgs::put_member(tx, &org, &ben.id, Role::Member)?;
        let caller = ann.user();
        for (kind, folder, shared) in list_example_locations()? {
            let creation = NewDocument {
                content: InitialContent::Kind { kind, language: Language::English },
                owner: shared.then(|| org.id.to_string()),
                folder: FolderPath::parse(&folder).map_err(Error::Invalid)?,
                layout: None,
                channel: Channel::Api,
            };
            documents::create_document(tx, &caller, &creation)?;
        }
        let (_, token) =
            accounts::create_token(tx, &ann.id, &NewApiToken::unlimited("Demonstration"))?;
        Ok((ann.email, token))
    })?;
    Ok(DemoCredentials { email, password, token })
}

/// Returns every chart kind with the folder of its example, and whether the organization owns the
/// example. They are in the order of creation. The library shows the last created document first.
fn list_example_locations() -> Result<Vec<(&'static KindInfo, String, bool)>> {
    let is_not_featured =
        |kind: &&KindInfo| !FEATURED_EXAMPLES.iter().any(|(slug, ..)| *slug == kind.slug);
    let folder =
        |kind: &KindInfo| format!("/{}", kind.categories.first().map_or("", |category| category));
    let others = portfolio::kinds().iter().filter(is_not_featured).rev();
    let mut places: Vec<_> = others.map(|kind| (kind, folder(kind), false)).collect();
    for (slug, folder, shared) in FEATURED_EXAMPLES {
        let kind = portfolio::find_kind(slug).or_not_found("chart kind")?;
        places.push((kind, (*folder).to_owned(), *shared));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_example_in_the_demonstration() {
        let places = list_example_locations().unwrap();
        let mut listed: Vec<&str> = places.iter().map(|(kind, ..)| kind.slug.as_str()).collect();
        let mut all: Vec<&str> = portfolio::kinds().iter().map(|kind| kind.slug.as_str()).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
        for (kind, folder, _) in places {
            assert!(folder.len() > 1, "{} has no folder", kind.slug);
        }
    }
}

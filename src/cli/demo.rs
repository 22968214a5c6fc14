//! `chartroom serve --demo`: a temporary data directory with sample people and charts in it.

use std::fs;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::path::PathBuf;

use crate::app::App;
use crate::features::accounts;
use crate::features::accounts::NewUser;
use crate::features::documents;
use crate::features::documents::Channel;
use crate::features::documents::Creation;
use crate::features::documents::Origin;
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
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;

/// A data directory that is removed at the end.
pub struct Directory(PathBuf);

impl Directory {
    /// Makes one, readable by its owner only.
    pub fn make() -> Result<Self> {
        let name = format!("chartroom-demo-{}", crypto::random_base62(8)?);
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a demonstration's data remain");
        }
    }
}

/// How to sign in to the demonstration.
pub struct SignIn {
    /// The e-mail address.
    pub email: String,
    /// The password.
    pub password: String,
    /// A personal API token.
    pub token: String,
}

/// Where the examples go that are seen first: the folder, and whether the organization owns it. Those of
/// other kinds are the user's own, in a folder named like their category.
const PLACES: &[(&str, &str, bool)] = &[
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

/// Fills an empty database with sample people and charts: a user who runs the server, a colleague
/// who can read, their organization, and the example of every kind.
pub fn fill(app: &App) -> Result<SignIn> {
    let password = crypto::random_base62(14)?;
    let password_hash = accounts::new_password_hash(app, &password)?;
    let (email, token) = app.db.write(move |tx| {
        let ann = accounts::create(
            tx,
            &NewUser {
                email: "ann@example.com".to_owned(),
                name: "Ann Archer".to_owned(),
                password_hash: Some(password_hash.clone()),
                operator: true,
                ..NewUser::default()
            },
        )?;
        let ben = accounts::create(
            tx,
            &NewUser {
                email: "ben@example.com".to_owned(),
                name: "Ben Brook".to_owned(),
                ..NewUser::default()
            },
        )?;
        let org = orgs::create(
            tx,
            &NewOrg {
                name: "Harbour News".to_owned(),
                slug: "harbour-news".to_owned(),
                plan: Plan::Team,
                seats: Seats::Limited(5),
            },
        )?;
        orgs::add_member(tx, &org, &ann.id, Role::Admin)?;
        orgs::add_member(tx, &org, &ben.id, Role::Member)?;
        let caller = ann.user();
        for (kind, folder, shared) in places()? {
            let wanted = Creation {
                origin: Origin::Kind(kind),
                owner: shared.then(|| org.id.to_string()),
                folder: FolderPath::parse(&folder).map_err(Error::Invalid)?,
                layout: None,
                channel: Channel::Api,
            };
            documents::create(tx, &caller, &wanted)?;
        }
        let (_, token) = accounts::make_token(tx, &ann.id, "Demonstration", None)?;
        Ok((ann.email, token))
    })?;
    Ok(SignIn { email, password, token })
}

/// Every kind with the folder of its example and whether the organization owns it, in the order of
/// making: what is made last is seen first.
fn places() -> Result<Vec<(&'static KindInfo, String, bool)>> {
    let has_none = |kind: &&KindInfo| !PLACES.iter().any(|(slug, ..)| *slug == kind.slug);
    let folder = |kind: &KindInfo| format!("/{}", kind.categories.first().map_or("", |it| it));
    let others = portfolio::kinds().iter().filter(has_none).rev();
    let mut places: Vec<_> = others.map(|kind| (kind, folder(kind), false)).collect();
    for (slug, folder, shared) in PLACES {
        let kind = portfolio::find(slug).found("chart kind")?;
        places.push((kind, (*folder).to_owned(), *shared));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_place_in_the_demonstration() {
        let places = places().unwrap();
        let mut here: Vec<&str> = places.iter().map(|(kind, ..)| kind.slug.as_str()).collect();
        let mut all: Vec<&str> = portfolio::kinds().iter().map(|it| it.slug.as_str()).collect();
        here.sort_unstable();
        all.sort_unstable();
        assert_eq!(here, all);
        for (kind, folder, _) in places {
            assert!(folder.len() > 1, "{} has no folder", kind.slug);
        }
    }
}

//! Sign-ins with the identity provider of an organization: finding, linking and creating the account.
//!
//! An identity provider reaches only the managed accounts of its organization. A known identifier finds
//! its account. An unknown identifier gets the account with the address of the person, or a new
//! account, and both need a domain that the organization has verified. Operators of the server and
//! disabled accounts are never signed in or changed.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::actions;
use super::provisioning;
use super::relink_mail;
use crate::features::accounts;
use crate::features::accounts::Email;
use crate::features::accounts::NewUser;
use crate::features::accounts::Profile;
use crate::features::accounts::User;
use crate::features::accounts::UserChanges;
use crate::features::accounts::second_factor;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::casting;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::people::members;
use crate::features::people::person::Person;
use crate::features::people::seats;
use crate::features::people::store;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The verified statements of an identity provider about a person.
#[derive(Debug, Clone, Default)]
pub struct SsoIdentity {
    /// Identifier at the identity provider.
    pub sso_id: String,
    /// E-mail address.
    pub email: String,
    /// Full name. None if unknown.
    pub name: Option<String>,
    /// Given name. None if unknown.
    pub given_name: Option<String>,
    /// Family name. None if unknown.
    pub family_name: Option<String>,
    /// URL of a picture with the scheme https. None if unknown.
    pub avatar_url: Option<String>,
}

/// The account of a person and the change that the sign-in made.
#[derive(Debug, Clone)]
pub struct SsoAccount {
    /// User to sign in.
    pub user: User,
    /// Change of the account.
    pub outcome: SsoOutcome,
}

/// The change that a sign-in made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SsoOutcome {
    /// The identifier was known.
    Known,
    /// The account had no identifier and got that of the sign-in.
    Linked,
    /// The account had another identifier and got that of the sign-in.
    Relinked,
    /// The account is new.
    Created,
}

/// A sign-in that the rules of managed accounts refuse. The text is the reason for administrators, in
/// English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SsoRefusal {
    /// The organization has not verified the domain of the address.
    Domain(String),
    /// No seat is available.
    Seat(String),
    /// The account cannot be signed in: it is removed, disabled, an operator, or not of the
    /// organization.
    Account(String),
    /// The address is malformed.
    Address(String),
}

/// An account or a refusal. The outer error is a failure of the server.
pub type SignInResult = Result<std::result::Result<SsoAccount, SsoRefusal>>;

/// A verified person with a parsed address.
struct Visitor<'a> {
    identity: &'a SsoIdentity,
    email: Email,
    /// Full name, valid for accounts. None if unknown.
    name: Option<String>,
    /// Given name, valid for accounts. None if unknown.
    given_name: Option<String>,
    /// Family name, valid for accounts. None if unknown.
    family_name: Option<String>,
}

impl<'a> Visitor<'a> {
    /// Parses an identity. Names that accounts cannot have are ignored.
    ///
    /// # Errors
    /// `Address`, or `Account` for an identifier that accounts cannot have.
    fn new(identity: &'a SsoIdentity) -> std::result::Result<Self, SsoRefusal> {
        if let Some(problem) = actions::find_sso_id_problem(&identity.sso_id) {
            return Err(SsoRefusal::Account(format!("the identifier of the user {problem}")));
        }
        let Ok(email) = accounts::parse_email(&identity.email) else {
            let text = format!("{:?} is not an e-mail address", identity.email);
            return Err(SsoRefusal::Address(text));
        };
        let parse = |name: &Option<String>| {
            name.as_deref().and_then(|name| accounts::parse_name(name).ok())
        };
        let (given_name, family_name) = (parse(&identity.given_name), parse(&identity.family_name));
        let joined = match (&given_name, &family_name) {
            (Some(given), Some(family)) => Some(format!("{given} {family}")),
            (given, family) => given.clone().or_else(|| family.clone()),
        };
        let name = parse(&identity.name).or_else(|| parse(&joined));
        Ok(Self { identity, email, name, given_name, family_name })
    }

    /// Returns the given name and the family name, with the stored ones in place of unknown ones.
    fn names_or(
        &self,
        stored: (Option<String>, Option<String>),
    ) -> (Option<String>, Option<String>) {
        (self.given_name.clone().or(stored.0), self.family_name.clone().or(stored.1))
    }
}

/// Returns the account for a person that the identity provider of `org` has verified. Links or creates
/// the account if the rules allow it, and updates its name, address and picture.
///
/// A refusal has changed nothing, so that the caller can record it in the same transaction.
///
/// # Errors
/// If the database cannot be read or written.
pub fn sign_in_with_sso(
    tx: &WriteTx<'_>,
    org: Org,
    allow_relink: bool,
    identity: &SsoIdentity,
) -> SignInResult {
    let visitor = match Visitor::new(identity) {
        Ok(visitor) => visitor,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match store::managed::find_by_sso_id(tx, &org.id, &identity.sso_id)? {
        Some((_, managed)) if managed.removed.is_some() => {
            let text = format!(
                "the account with the SSO id {} was removed; provision it again first",
                identity.sso_id
            );
            Ok(Err(SsoRefusal::Account(text)))
        }
        Some((user, _)) => sign_in_known(tx, &org, &user, &visitor),
        None => sign_in_unknown(tx, org, allow_relink, &visitor),
    }
}

/// Links or creates the account of a person with an unknown identifier.
fn sign_in_unknown(
    tx: &WriteTx<'_>,
    org: Org,
    allow_relink: bool,
    visitor: &Visitor<'_>,
) -> SignInResult {
    // Before the search for an account, so that an identity provider does not learn which addresses of
    // other domains have one.
    if let Some(refusal) = refuse_domain(tx, &org, &visitor.email)? {
        return Ok(Err(refusal));
    }
    match accounts::find_user(tx, &visitor.email.text) {
        Ok(owner) => link_account(tx, &org, allow_relink, &owner, visitor),
        Err(Error::NotFound(_)) => create_account(tx, org, visitor),
        Err(error) => Err(error),
    }
}

/// Signs in the account with the identifier of a person and updates it. Its domain may have lost the
/// verification.
fn sign_in_known(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    visitor: &Visitor<'_>,
) -> SignInResult {
    let profile = accounts::load_profile(tx, user)?;
    if let Some(refusal) = refuse_account(tx, org, &profile)? {
        return Ok(Err(refusal));
    }
    let origin = origin_of(tx, user);
    update_account(&tx.with_origin(&origin), org, user, visitor)?;
    finish(tx, user, SsoOutcome::Known)
}

/// Links the account with the address of a person who has an unknown identifier.
fn link_account(
    tx: &WriteTx<'_>,
    org: &Org,
    allow_relink: bool,
    owner: &Profile,
    visitor: &Visitor<'_>,
) -> SignInResult {
    let email = &visitor.email.text;
    match store::managed::find_managed(tx, &owner.id)? {
        Some(managed) if managed.org == org.id && managed.removed.is_some() => {
            let text = format!(
                "a removed account has the address {email}; provision it or create it again first"
            );
            return Ok(Err(SsoRefusal::Account(text)));
        }
        Some(managed) if managed.org == org.id => {}
        _ => {
            let text = format!(
                "an account that the organization does not manage has the address {email}; its \
                 owner can join by invitation"
            );
            return Ok(Err(SsoRefusal::Account(text)));
        }
    }
    if let Some(refusal) = refuse_account(tx, org, owner)? {
        return Ok(Err(refusal));
    }
    let person = actions::find_managed_person(tx, org, &owner.id)?;
    let outcome = match &person.sso_id {
        None => SsoOutcome::Linked,
        Some(_) if allow_relink => SsoOutcome::Relinked,
        Some(present) => {
            let text = format!(
                "the account {email} has another SSO id, {present}, and relinking is off; an \
                 administrator can remove that id on the page of the member"
            );
            return Ok(Err(SsoRefusal::Account(text)));
        }
    };
    let origin = origin_of(tx, &owner.id);
    let tx = &tx.with_origin(&origin);
    set_identifier(tx, org, owner, person.sso_id.as_deref(), &visitor.identity.sso_id)?;
    update_account(tx, org, &owner.id, visitor)?;
    finish(tx, &owner.id, outcome)
}

/// Gives an account the identifier of a person. The account of another identifier loses all credentials,
/// and the admins get a mail.
fn set_identifier(
    tx: &WriteTx<'_>,
    org: &Org,
    owner: &Profile,
    old: Option<&str>,
    new: &str,
) -> Result<()> {
    let action = match old {
        Some(_) => "user.relink",
        None => "user.link",
    };
    if old.is_some() {
        end_old_identity(tx, owner)?;
        relink_mail::enqueue_mails(tx, &org.id, &owner.id)?;
    }
    actions::set_sso_id(tx, &org.id, &owner.id, Some(new))?;
    let details = json!({ "email": owner.email, "sso_id": { "from": old, "to": new } });
    record(tx, org, &owner.id, action, &details)
}

/// Creates a managed account with the role `member`.
fn create_account(tx: &WriteTx<'_>, mut org: Org, visitor: &Visitor<'_>) -> SignInResult {
    if org.suspended {
        let text = "the organization is suspended, and new accounts need a seat".to_owned();
        return Ok(Err(SsoRefusal::Seat(text)));
    }
    match seats::add_seat(tx, &mut org, &visitor.email.key) {
        Ok(()) => {}
        Err(Error::PaymentRequired(text)) => return Ok(Err(SsoRefusal::Seat(text))),
        Err(error) => return Err(error),
    }
    let email = visitor.email.text.clone();
    let name = visitor.name.clone().unwrap_or_else(|| email.clone());
    let new = NewUser { email: email.clone(), name, ..NewUser::default() };
    let user = accounts::create_user(tx, &new)?.id;
    let origin = origin_of(tx, &user);
    let tx = &tx.with_origin(&origin);
    members::use_up_invite(tx, &org.id, &email)?;
    store::managed::put_managed(tx, &org.id, &user)?;
    let sso_id = &visitor.identity.sso_id;
    actions::set_sso_id(tx, &org.id, &user, Some(sso_id))?;
    let (given, family) = visitor.names_or((None, None));
    store::managed::set_names(tx, &user, given.as_deref(), family.as_deref())?;
    store::managed::set_avatar_url(tx, &user, visitor.identity.avatar_url.as_deref())?;
    orgs::put_member(tx, &org, &user, Role::Member)?;
    let details = json!({ "email": email, "role": Role::Member.as_str(), "sso_id": sso_id });
    record(tx, &org, &user, "user.create", &details)?;
    finish(tx, &user, SsoOutcome::Created)
}

/// Returns the refusal of an account that must not be signed in, or None.
fn refuse_account(tx: &WriteTx<'_>, org: &Org, user: &Profile) -> Result<Option<SsoRefusal>> {
    let reason = if user.operator {
        "operates the server, and operators do not sign in with single sign-on"
    } else if user.disabled {
        "is disabled by the operator of the server"
    } else if orgs::find_role(tx, &org.id, &user.id)?.is_none() {
        "is not a member of the organization"
    } else {
        return Ok(None);
    };
    Ok(Some(SsoRefusal::Account(format!("the account {} {reason}", user.email))))
}

/// Returns the refusal of an address on a domain that the organization has not verified, or None.
fn refuse_domain(tx: &WriteTx<'_>, org: &Org, email: &Email) -> Result<Option<SsoRefusal>> {
    match actions::check_domain(tx, org, email) {
        Ok(()) => Ok(None),
        Err(Error::InvalidFields(_)) => Ok(Some(SsoRefusal::Domain(format!(
            "the address {} is not on a domain that the organization has verified",
            email.text
        )))),
        Err(error) => Err(error),
    }
}

/// Ends everything that gives access to an account, because the account moves to another identity. The
/// documents stay.
fn end_old_identity(tx: &WriteTx<'_>, user: &Profile) -> Result<()> {
    casting::revoke_sessions_of_user(tx, &user.id, None)?;
    second_factor::reset(tx, user)?;
    accounts::end_credentials(tx, &user.id)
}

/// Updates name, address and picture of an account to those of a person, and records the changes.
///
/// A new address is taken only if it is on a verified domain of the organization and no other account
/// has it. Otherwise the account keeps its address, because the identifier alone signs in.
fn update_account(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    visitor: &Visitor<'_>,
) -> Result<()> {
    let before = actions::find_managed_person(tx, org, user)?;
    let stored_names = store::managed::find_names(tx, user)?;
    let old = fields(&before, &stored_names);
    let email = find_new_email(tx, org, user, &before, visitor)?;
    let name = visitor.name.clone().filter(|name| *name != before.name);
    if email.is_some() || name.is_some() {
        accounts::update_user(tx, user, UserChanges { email, name, ..UserChanges::default() })?;
    }
    let names = visitor.names_or(stored_names.clone());
    if names != stored_names {
        store::managed::set_names(tx, user, names.0.as_deref(), names.1.as_deref())?;
    }
    let picture = visitor.identity.avatar_url.clone();
    if picture.is_some() && picture != before.picture_url {
        store::managed::set_avatar_url(tx, user, picture.as_deref())?;
    }
    let after = actions::find_managed_person(tx, org, user)?;
    let changed = audit::changed_fields(&old, &fields(&after, &names));
    if changed.is_empty() {
        return Ok(());
    }
    record(tx, org, user, "user.change", &Value::Object(changed))
}

/// Returns the address that an account gets from a person. None if it keeps its own.
fn find_new_email(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    before: &Person,
    visitor: &Visitor<'_>,
) -> Result<Option<String>> {
    let email = &visitor.email;
    if email.key == accounts::email_key(&before.email) || refuse_domain(tx, org, email)?.is_some() {
        return Ok(None);
    }
    match provisioning::release_address(tx, org, email, Some(user)) {
        Ok(()) => Ok(Some(email.text.clone())),
        Err(Error::FieldConflict(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the fields of an account with recorded changes.
fn fields(person: &Person, names: &(Option<String>, Option<String>)) -> Map<String, Value> {
    let mut fields = actions::audited_fields(person);
    fields.insert("given_name".to_owned(), json!(names.0));
    fields.insert("family_name".to_owned(), json!(names.1));
    fields.insert("avatar_url".to_owned(), json!(person.picture_url));
    fields
}

/// Records an event of an account.
fn record(
    tx: &WriteTx<'_>,
    org: &Org,
    user: &AccountId,
    action: &'static str,
    details: &Value,
) -> Result<()> {
    let target = EventTarget::new("user", user, accounts::load_profile(tx, user)?.name);
    audit::record(tx, &org.id, action, &target, details)
}

/// Returns the origin of the transaction with a user as the actor.
fn origin_of(tx: &WriteTx<'_>, user: &AccountId) -> WriteOrigin {
    WriteOrigin { actor: WriteActor::User(user.clone()), ..tx.origin.clone() }
}

/// Returns the account with its values after the sign-in.
fn finish(tx: &WriteTx<'_>, user: &AccountId, outcome: SsoOutcome) -> SignInResult {
    Ok(Ok(SsoAccount { user: accounts::load_profile(tx, user)?.user(), outcome }))
}

//! Listing, adding and removing members.

use serde_json::json;

use crate::features::access;
use crate::features::accounts;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::casting;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::people::person::Person;
use crate::features::people::store;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// Maximum number of members that one request removes.
const MAX_REMOVED: usize = 100;

/// Which members to list.
#[derive(Debug, Clone, Default)]
pub struct MemberFilter {
    /// Only members with this role.
    pub role: Option<Role>,
    /// Only members with all of these words in name or address, without regard to case and accents.
    pub words: Vec<String>,
    /// Only managed accounts.
    pub managed_only: bool,
}

impl MemberFilter {
    /// Returns the filter for a role, the words of a search text, and the kind of accounts.
    pub fn new(role: Option<Role>, query: &str, managed_only: bool) -> Self {
        let words = text::fold(query).split_whitespace().map(str::to_owned).collect();
        Self { role, words, managed_only }
    }

    /// Returns whether the filter selects a member.
    fn matches(&self, person: &Person) -> bool {
        let searched = text::fold(&format!("{} {}", person.name, person.email));
        self.role.is_none_or(|role| role == person.role)
            && (person.is_managed || !self.managed_only)
            && self.words.iter().all(|word| searched.contains(word.as_str()))
    }
}

/// Returns the members that a filter selects, in the order in which they joined.
pub fn list_people(tx: &Tx<'_>, org: &AccountId, filter: &MemberFilter) -> Result<Vec<Person>> {
    let mut people = store::people::list_people(tx, org)?;
    people.retain(|person| filter.matches(person));
    Ok(people)
}

/// Returns all members of an organization, in the order in which they joined.
pub fn list_members(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Person>> {
    store::people::list_people(tx, org)
}

/// Returns a member of an organization.
///
/// # Errors
/// `NotFound` if the user is not a member.
pub fn find_person(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Person> {
    store::people::find_person(tx, org, user)?.or_not_found("member")
}

/// Adds a user to an organization, or changes the role of a member. An open invite of the address
/// of a new member is used up. Seats that other open invites hold are not available.
///
/// # Errors
/// `PaymentRequired` if no seat is free. `Conflict` if the change would demote the last admin, or
/// another organization manages the account.
pub fn add_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    if orgs::find_role(tx, &org.id, user)?.is_none() {
        use_up_invite(tx, &org.id, &accounts::load_profile(tx, user)?.email)?;
        let reserved = store::invites::count_open(tx, &org.id)?;
        if !org.seats.can_hold(orgs::count_members(tx, &org.id)? + reserved + 1) {
            return Err(Error::PaymentRequired(format!(
                "all {} seats of {} are taken or reserved by invites",
                org.seats, org.name
            )));
        }
    }
    join(tx, org, user, role)
}

/// Makes a user a member, or changes the role of a member. Open invites hold no seats here, so that
/// an invited person can take the last one.
///
/// # Errors
/// As [`add_member`].
pub fn join(tx: &WriteTx<'_>, org: &Org, user: &AccountId, role: Role) -> Result<()> {
    if store::managed::managing_org(tx, user)?.is_some_and(|managing| managing != org.id) {
        let text = "another organization manages the account, so that it cannot join";
        return Err(Error::Conflict(text.to_owned()));
    }
    orgs::put_member(tx, org, user, role)
}

/// Deletes the open invite of an address, because its person became a member without it. Does
/// nothing if there is none.
pub fn use_up_invite(tx: &WriteTx<'_>, org: &AccountId, email: &str) -> Result<()> {
    let key = accounts::email_key(email);
    let Some(id) = store::invites::find_id_for_address(tx, org, &key)? else { return Ok(()) };
    store::invites::delete_invite(tx, &id)?;
    let details = json!({ "reason": "the person became a member without it" });
    audit::record(tx, org, "invite.delete", &EventTarget::new("invite", &id, email), &details)
}

/// Removes a member from an organization, with everything that the membership gave: teams, access
/// entries on documents and folders of the organization, and cast sessions of its documents.
/// Documents of the organization stay.
///
/// # Errors
/// `NotFound` if the user is not a member, `Conflict` if they are the last admin.
pub fn remove_member(tx: &WriteTx<'_>, org: &Org, user: &AccountId) -> Result<()> {
    let person = find_person(tx, &org.id, user)?;
    orgs::remove_member(tx, org, user)?;
    let shares = access::delete_entries_of_user(tx, user, &org.id)?;
    let casts = casting::revoke_sessions_of_user(tx, user, Some(&org.id))?;
    if shares.is_empty() && casts == 0 {
        return Ok(());
    }
    let nodes: Vec<&NodeId> = shares.iter().take(audit::MAX_LIST_ITEMS).collect();
    let details = json!({ "shares": shares.len(), "nodes": nodes, "casts": casts });
    let target = EventTarget::new("user", user, person.name);
    audit::record(tx, &org.id, "member.revoke_access", &target, &details)
}

/// Removes a user from all organizations as [`remove_member`] does, so that their account can be
/// deleted.
///
/// # Errors
/// `Conflict` if they are the last admin of an organization.
pub fn remove_from_all_orgs(tx: &WriteTx<'_>, user: &AccountId) -> Result<()> {
    for membership in orgs::list_memberships(tx, user)? {
        remove_member(tx, &membership.org, user)?;
    }
    Ok(())
}

/// Removes several members, all or none. `ids` are account ids.
///
/// # Errors
/// `InvalidFields` for ids of users who are not members or are managed accounts, or without ids.
/// `Conflict` if no admin would remain.
pub fn remove_members(tx: &WriteTx<'_>, org: &Org, ids: &[String]) -> Result<()> {
    if !(1..=MAX_REMOVED).contains(&ids.len()) {
        return Err(Error::invalid_field("id", format!("must occur 1 to {MAX_REMOVED} times")));
    }
    let mut errors = Vec::new();
    let mut users: Vec<AccountId> = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let user = AccountId::from_text(id.as_str());
        let message = match store::people::find_person(tx, &org.id, &user)? {
            None => "is not a member of the organization",
            Some(person) if person.is_managed => {
                "is a managed account; delete it with DELETE /orgs/{org}/users/{id}"
            }
            Some(_) if users.contains(&user) => continue,
            Some(_) => {
                users.push(user);
                continue;
            }
        };
        errors.push(FieldError { field: format!("id[{index}]"), message: message.to_owned() });
    }
    if !errors.is_empty() {
        return Err(Error::InvalidFields(errors));
    }
    users.iter().try_for_each(|user| remove_member(tx, org, user))
}

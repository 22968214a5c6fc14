//! Bodies and handlers of `/orgs/{org}/members`.

use hyper::header::CONTENT_TYPE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::MemberFilter;
use super::actions;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Role;
use crate::features::orgs::Subscription;
use crate::features::people::person::Person;
use crate::features::people::subscription;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Number of people on a page if the request does not specify it.
const DEFAULT_LIMIT: u32 = 100;

/// Query of the lists of people.
#[derive(Deserialize, JsonSchema)]
pub struct MemberQuery {
    /// Only people with this role: `admin`, `brand_manager` or `member`.
    filter_role: Option<String>,
    /// Only people with all of these words in name or address.
    q: Option<String>,
    /// Number of people to skip.
    offset: Option<u32>,
    /// Maximum number of people, at most 100.
    limit: Option<u32>,
}

impl MemberQuery {
    /// Returns the filter.
    ///
    /// # Errors
    /// `InvalidFields` for `filter_role`.
    pub fn filter(&self, managed_only: bool) -> Result<MemberFilter> {
        let role = match self.filter_role.as_deref() {
            None | Some("") => None,
            Some(role) => Some(role.parse::<Role>().map_err(|_| {
                Error::invalid_field("filter_role", "must be one of admin brand_manager member")
            })?),
        };
        Ok(MemberFilter::new(role, self.q.as_deref().unwrap_or_default(), managed_only))
    }

    /// Returns the requested page, by default of `DEFAULT_LIMIT` people.
    pub fn page(&self) -> Page {
        Page::new(self.offset, Some(self.limit.unwrap_or(DEFAULT_LIMIT)))
    }
}

/// A member of an organization.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Member")]
pub struct PersonView {
    /// Account id.
    id: AccountId,
    name: String,
    email: String,
    avatar_url: String,
    /// Time of the last request, precise to a few minutes. Absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_seen: Option<Timestamp>,
    /// `admin`, `brand_manager` or `member`.
    role: &'static str,
    /// Whether the organization manages the account.
    managed: bool,
}

impl PersonView {
    /// Converts a member to the JSON view. `base_url` is the start of the URL of the avatar.
    pub fn new(person: Person, base_url: &str) -> Self {
        Self::with_picture(person, base_url, None)
    }

    /// Converts a member like [`PersonView::new`], with this picture as the avatar if it is given.
    pub fn with_picture(person: Person, base_url: &str, picture_url: Option<String>) -> Self {
        Self {
            avatar_url: picture_url.unwrap_or_else(|| accounts::avatar_url(base_url, &person.id)),
            id: person.id,
            name: person.name,
            email: person.email,
            last_seen: person.last_seen,
            role: person.role.as_str(),
            managed: person.is_managed,
        }
    }
}

/// A page of the members of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Members {
    /// Subscription summary. Only for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    org_subscription: Option<Subscription>,
    /// Members in the order in which they joined. Absent if nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<PersonView>>,
}

/// Handles `GET /orgs/{org}/members`, for all members.
pub fn list(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<MemberQuery>,
) -> Result<RawJson<Members>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let (filter, page) = (query.filter(false)?, query.page());
    let (members, count) = request.app.db.read(|tx| {
        let Membership { org, role } = orgs::find_membership(tx, &name, &caller.id)?;
        let people = actions::list_people(tx, &org.id, &filter)?;
        let count = people.len() as u64;
        let views = page_of(people, page).map(|person| PersonView::new(person, base_url));
        let views: Vec<PersonView> = views.collect();
        let org_subscription = (role == Role::Admin)
            .then(|| subscription::summarize(tx, &org, base_url))
            .transpose()?;
        let members = (!views.is_empty()).then_some(views);
        Ok((Members { org_subscription, members }, count))
    })?;
    let response = Response::json(&members)?;
    page.add_link_headers(response, base_url, request, count).map(RawJson::new)
}

/// Returns the entries of a page.
pub fn page_of<T>(all: Vec<T>, page: Page) -> impl Iterator<Item = T> {
    let (offset, limit) = (page.offset as usize, page.limit as usize);
    all.into_iter().skip(offset).take(limit)
}

/// Parameters of `POST /orgs/{org}/members/remove`.
#[derive(Deserialize, JsonSchema)]
pub struct RemovedMembers {
    /// Account ids; a form or query may repeat the parameter.
    #[serde(default)]
    id: Vec<String>,
}

/// Input that reads [`RemovedMembers`] from the query, and from a form or a JSON object in the body.
pub struct RemovedMembersInput(Vec<String>);

impl FromRequest for RemovedMembersInput {
    /// Reads the ids of the query and then those of the body.
    ///
    /// # Errors
    /// `InvalidFields` if the body is neither a form nor an object with a list of ids.
    fn from_request(request: &Request) -> Result<Self> {
        let of_form = |text: &[u8]| -> Vec<String> {
            let pairs = form_urlencoded::parse(text).filter(|(key, _)| key == "id");
            pairs.map(|(_, value)| value.into_owned()).collect()
        };
        let mut ids = of_form(request.query.as_bytes());
        let is_json = request
            .header(&CONTENT_TYPE)
            .is_some_and(|value| value.starts_with("application/json"));
        match is_json {
            true => ids.extend(request.parse_json::<RemovedMembers>()?.id),
            false => ids.extend(of_form(&request.body)),
        }
        Ok(Self(ids))
    }

    /// Adds the query parameter and the body to the OpenAPI operation.
    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<RemovedMembers>();
        operation.value["requestBody"] = json!({
            "content": {
                "application/x-www-form-urlencoded": { "schema": schema },
                "application/json": { "schema": schema },
            },
        });
    }
}

/// Handles `POST /orgs/{org}/members/remove`, for admins: removes members, all or none, also while
/// the organization is suspended.
pub fn remove(
    request: &RequestContext,
    caller: &User,
    RemovedMembersInput(ids): RemovedMembersInput,
) -> Result<NoContent> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller, Role::Admin)?;
        actions::remove_members(tx, &org, &ids)
    })?;
    Ok(NoContent)
}

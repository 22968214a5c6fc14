//! Bodies and handlers of `/orgs/{org}`.

use hyper::header::CONTENT_TYPE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Membership;
use super::Org;
use super::actions;
use super::rules::Role;
use super::subscription::Subscription;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Request;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// URLs of an organization.
#[derive(Serialize, JsonSchema)]
pub struct OrgUrls {
    /// URL in the API.
    endpoint: String,
    /// URL of the page.
    view: String,
}

impl OrgUrls {
    /// Returns the addresses of an organization: the endpoint with its id, the page with its slug.
    fn new(org: &Org, base_url: &str) -> Self {
        Self {
            endpoint: format!("{base_url}/api/v1/orgs/{}", org.id),
            view: format!("{base_url}/orgs/{}", org.slug),
        }
    }
}

/// An organization in the `orgs` list of a user.
#[derive(Serialize, JsonSchema)]
pub struct OrgEntry {
    #[schemars(extend("x-placeholder" = "org"))]
    id: AccountId,
    slug: String,
    name: String,
    urls: OrgUrls,
    /// Role of the user: `admin`, `brand_manager` or `member`.
    role: &'static str,
}

impl OrgEntry {
    /// Builds the entry of a membership. `base_url` is the start of its URLs.
    pub fn from_membership(membership: Membership, base_url: &str) -> Self {
        let Membership { org, role } = membership;
        Self {
            urls: OrgUrls::new(&org, base_url),
            id: org.id,
            slug: org.slug,
            name: org.name,
            role: role.as_str(),
        }
    }
}

/// An organization, as its members see it.
#[derive(Serialize, JsonSchema)]
pub struct OrgDetails {
    #[serde(flatten)]
    entry: OrgEntry,
    /// Theme of new documents.
    default_theme: String,
    avatar_url: String,
    /// `team`, `education` or `enterprise`.
    plan: &'static str,
    created: Timestamp,
    member_count: u32,
    /// Storage of the organization. Only for admins, because the total contains documents that
    /// other members may not know of.
    #[serde(flatten)]
    storage: Option<StorageUsage>,
    /// Whether addresses outside the verified domains may be invited. Only for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    external_invites: Option<bool>,
    /// Subscription summary. Only for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    org_subscription: Option<Subscription>,
}

/// The storage that an account uses.
#[derive(Serialize, JsonSchema)]
pub struct StorageUsage {
    /// Size of all documents of the account with their versions and comments, also in the trash, in
    /// bytes.
    storage_used_bytes: u64,
    /// Maximum of `storage_used_bytes`, or null if there is none.
    storage_limit_bytes: Option<u64>,
}

impl StorageUsage {
    /// Reads the total of an account and its limit. The limit is None if the account may store any
    /// amount.
    pub fn load(tx: &Tx<'_>, app: &App, account: &AccountId) -> Result<Self> {
        Ok(Self {
            storage_used_bytes: tree::storage_used(tx, account)?,
            storage_limit_bytes: app.db.quota().limit_of(account),
        })
    }
}

impl OrgDetails {
    /// Reads the details of the organization of a membership. Includes storage and subscription
    /// only if the role of the member is admin.
    fn new(tx: &Tx<'_>, membership: Membership, app: &App) -> Result<Self> {
        let (org, base_url) = (membership.org.clone(), &app.config.base_url);
        let member_count = actions::count_members(tx, &org.id)?;
        let is_admin = membership.role == Role::Admin;
        Ok(Self {
            external_invites: is_admin.then_some(org.external_invites),
            org_subscription: is_admin.then(|| Subscription::new(&org, member_count, base_url)),
            avatar_url: accounts::avatar_url(base_url, &org.id),
            entry: OrgEntry::from_membership(membership, base_url),
            default_theme: org.default_theme,
            plan: org.plan.as_str(),
            created: org.created,
            member_count,
            storage: is_admin.then(|| StorageUsage::load(tx, app, &org.id)).transpose()?,
        })
    }
}

/// Handles `GET /orgs/{org}`: the details of an organization. Returns 404 to callers who are not
/// members.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<OrgDetails>> {
    let name: String = request.param("org")?;
    request.app.db.read(|tx| {
        let membership = actions::find_membership(tx, &name, &caller.id)?;
        Ok(Json(OrgDetails::new(tx, membership, request.app)?))
    })
}

/// Values of `PATCH /orgs/{org}`, in the query, a form or a JSON body. An absent field keeps the
/// stored value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrgPatch {
    /// Theme of new documents: a built-in name, or `{org id}/{name}` for a theme of the organization.
    default_theme: Option<String>,
    /// Full name.
    name: Option<String>,
}

/// Input that reads an [`OrgPatch`] from the query and the body of a request. A value in the body
/// takes precedence.
pub struct OrgPatchInput(OrgPatch);

impl FromRequest for OrgPatchInput {
    /// Reads the values from the query and the body, which is a form or otherwise a JSON object. A
    /// value in the body replaces that in the query.
    ///
    /// # Errors
    /// `InvalidFields` with the path of the first value that is unknown or has a wrong type.
    fn from_request(request: &Request) -> Result<Self> {
        const FORM: &str = "application/x-www-form-urlencoded";
        let mut values = parse_form_values(request.query.as_bytes());
        let is_form = request.header(&CONTENT_TYPE).is_some_and(|value| value.starts_with(FORM));
        match is_form {
            true => values.extend(parse_form_values(&request.body)),
            false => values.extend(request.parse_json::<Map<String, Value>>()?),
        }
        serde_path_to_error::deserialize(Value::Object(values)).map(Self).map_err(|error| {
            Error::invalid_field(error.path().to_string(), error.inner().to_string())
        })
    }

    /// Adds the query parameters and the body, as JSON and as form, to the OpenAPI operation.
    fn describe(operation: &mut Operation<'_>) {
        Query::<OrgPatch>::describe(operation);
        let schema = operation.schemas.subschema_for::<OrgPatch>();
        operation.value["requestBody"] = json!({
            "content": {
                "application/json": { "schema": schema },
                "application/x-www-form-urlencoded": { "schema": schema },
            },
        });
    }
}

/// Parses URL-encoded pairs as a JSON object of strings. The last pair with a key wins.
fn parse_form_values(text: &[u8]) -> Map<String, Value> {
    let pairs = form_urlencoded::parse(text);
    pairs.map(|(key, value)| (key.into_owned(), Value::String(value.into_owned()))).collect()
}

/// Checks that the caller may change the appearance and the settings of the organization in the path.
///
/// # Errors
/// As [`actions::require_role`] for a brand manager.
pub fn check_may_change(request: &RequestContext, caller: &User) -> Result<()> {
    check_role(request, caller, Role::BrandManager)
}

/// Checks that the caller is an admin of the organization in the path.
///
/// # Errors
/// As [`actions::require_role`] for an admin.
pub fn check_is_admin(request: &RequestContext, caller: &User) -> Result<()> {
    check_role(request, caller, Role::Admin)
}

/// Checks that the caller may remove people and invites from the organization in the path: an admin,
/// also while it is suspended.
///
/// # Errors
/// As [`actions::require_role_even_if_suspended`] for an admin.
pub fn check_may_remove(request: &RequestContext, caller: &User) -> Result<()> {
    let (name, needed) = (request.param::<String>("org")?, Role::Admin);
    let check = |tx: &Tx<'_>| {
        actions::require_role_even_if_suspended(tx, &name, &caller.id, needed).map(drop)
    };
    request.app.db.read(check)
}

/// Checks that the caller has at least the role `needed` in the organization in the path, and that
/// it may be changed.
fn check_role(request: &RequestContext, caller: &User, needed: Role) -> Result<()> {
    let name: String = request.param("org")?;
    request.app.db.read(|tx| actions::require_role(tx, &name, &caller.id, needed).map(drop))
}

/// Handles `PATCH /orgs/{org}`, for brand managers and admins. Changes name and default theme.
pub fn patch(
    request: &RequestContext,
    caller: &User,
    OrgPatchInput(body): OrgPatchInput,
) -> Result<NoContent> {
    let (text, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write(move |tx| {
        let org = actions::require_role(tx, &text, &caller, Role::BrandManager)?;
        actions::update_org(tx, org, body.name.as_deref(), body.default_theme.clone())
    })?;
    Ok(NoContent)
}

//! The resources that describe the service (RFC 7643, 5 to 7).

use serde_json::Value;
use serde_json::json;

use super::filter::USER_SCHEMA;

/// Maximum number of users in a response.
pub const MAX_RESULTS: i64 = 100;

/// Returns a list of resources: a page that begins at `start_index` of `total` resources.
pub fn list_response(total: u32, start_index: i64, resources: &[Value]) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        "totalResults": total,
        "itemsPerPage": resources.len(),
        "startIndex": start_index,
        "Resources": resources,
    })
}

/// Returns the features of the service. `base` is the URL of the service.
pub fn service_provider_config(base: &str) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": { "supported": true },
        "bulk": { "supported": false, "maxOperations": 0, "maxPayloadSize": 0 },
        "filter": { "supported": true, "maxResults": MAX_RESULTS },
        "changePassword": { "supported": false },
        "sort": { "supported": false },
        "etag": { "supported": false },
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "API token",
            "description": "The API token of an administrator of the organization as bearer token",
            "primary": true,
        }],
        "meta": meta("ServiceProviderConfig", base, "/ServiceProviderConfig"),
    })
}

/// Returns the types of resources. `base` is the URL of the service.
pub fn resource_types(base: &str) -> Vec<Value> {
    vec![json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
        "id": "User",
        "name": "User",
        "description": "Managed account",
        "endpoint": "/Users",
        "schema": USER_SCHEMA,
        "meta": meta("ResourceType", base, "/ResourceTypes/User"),
    })]
}

/// Returns the schemas of the resources. `base` is the URL of the service.
pub fn schemas(base: &str) -> Vec<Value> {
    let emails = json!([
        attribute("value", "string", "readWrite", "E-mail address", json!({})),
        attribute("type", "string", "readOnly", "Always `work`", json!({})),
        attribute(
            "primary",
            "boolean",
            "readWrite",
            "Whether the address is the one of the account",
            json!({})
        ),
    ]);
    let name = json!([
        attribute("formatted", "string", "readWrite", "Full name", json!({})),
        attribute("givenName", "string", "readWrite", "Given name", json!({})),
        attribute("familyName", "string", "readWrite", "Family name", json!({})),
    ]);
    vec![json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
        "id": USER_SCHEMA,
        "name": "User",
        "description": "Managed account",
        "attributes": [
            attribute("userName", "string", "readWrite", "E-mail address", json!({ "required": true, "uniqueness": "server" })),
            attribute("displayName", "string", "readWrite", "Full name", json!({})),
            attribute("name", "complex", "readWrite", "Parts of the name", json!({ "subAttributes": name })),
            attribute("emails", "complex", "readWrite", "The e-mail address", json!({ "multiValued": true, "required": true, "subAttributes": emails })),
            attribute("active", "boolean", "readWrite", "Whether the user has access; false removes the user", json!({})),
        ],
        "meta": meta("Schema", base, &format!("/Schemas/{USER_SCHEMA}")),
    })]
}

/// Returns the description of an attribute. `changes` replaces the defaults.
fn attribute(name: &str, kind: &str, mutability: &str, description: &str, changes: Value) -> Value {
    let mut attribute = json!({
        "name": name,
        "type": kind,
        "multiValued": false,
        "description": description,
        "required": false,
        "mutability": mutability,
        "returned": "default",
    });
    if kind == "string" {
        attribute["caseExact"] = json!(false);
        attribute["uniqueness"] = json!("none");
    }
    for (name, value) in changes.as_object().into_iter().flatten() {
        attribute[name] = value.clone();
    }
    attribute
}

/// Returns the type and the URL of a resource.
fn meta(kind: &str, base: &str, path: &str) -> Value {
    json!({ "resourceType": kind, "location": format!("{base}{path}") })
}

//! The routes of connections to cloud storage and of documents at a provider.

use super::definition::AppRoute;
use super::definition::accepts_bytes;
use super::definition::accepts_document_body;
use super::definition::route;
use super::definition::undocumented;
use super::definition::uses_remote_pool;
use super::guards::authenticated;
use super::guards::authenticated_with_body;
use super::guards::token_in_path;
use crate::features::cloud;
use crate::features::external;

/// Returns the routes of the features `cloud` and `external`.
#[rustfmt::skip]
pub(super) fn cloud_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/cloud/oauth/{provider}/start", authenticated(cloud::oauth::start)),
        undocumented("GET", "/c/{provider}/{connection}", authenticated(external::page::folder_page)),
        uses_remote_pool(undocumented("GET", "/c/{provider}/{connection}/{id}", authenticated(external::page::page))),
        uses_remote_pool(undocumented("GET", "/cloud/oauth/{provider}/callback", authenticated(cloud::oauth::callback))),
        route("POST", "/api/v1/cloud/{provider}/{connection}/rename", authenticated(cloud::http::rename), "Rename a connection to cloud storage"),
        route("DELETE", "/api/v1/cloud/{provider}/{connection}", authenticated(cloud::http::delete_of_provider), "Remove a connection to cloud storage"),
        uses_remote_pool(route("POST", "/api/v1/cloud/{provider}/{connection}/documents", authenticated(external::documents::create), "Create a document at a provider")),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}", authenticated(external::documents::get), "Read a document at a provider")),
        uses_remote_pool(accepts_document_body(route("PUT", "/api/v1/cloud/{provider}/{connection}/documents/{id}", authenticated_with_body(external::documents::check_connection, external::documents::put), "Replace a document at a provider"))),
        uses_remote_pool(route("POST", "/api/v1/cloud/{provider}/{connection}/documents/{id}/rename", authenticated(external::documents::rename), "Rename a document at a provider")),
        route("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}/request-preview", authenticated(external::preview::request_by_query), "Create a URL for the image of a document at a provider"),
        route("POST", "/api/v1/cloud/{provider}/{connection}/documents/{id}/request-preview", authenticated(external::preview::request_by_body), "Create a URL for the image of a document at a provider"),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}/thumbnail.png", authenticated(external::preview::thumbnail), "Render the thumbnail of a document at a provider")),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}/data.csv", authenticated(external::export::csv), "Read the data of a document at a provider as CSV")),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}/data.xlsx", authenticated(external::export::xlsx), "Read the data of a document at a provider as an XLSX workbook")),
        uses_remote_pool(route("GET", "/api/v1/cloud-preview/{token}", token_in_path(external::preview::image), "Render a document at a provider")),
        uses_remote_pool(accepts_bytes(external::upload::MAX_UPLOAD_BYTES, route("POST", "/api/v1/cloud/{provider}/{connection}/upload/{folder}", authenticated_with_body(external::documents::check_connection, external::upload::upload), "Store document files at a provider"))),
        uses_remote_pool(accepts_bytes(external::upload::MAX_UPLOAD_BYTES, route("POST", "/api/v1/cloud/{provider}/{connection}/upload/{folder}/{id}", authenticated_with_body(external::documents::check_connection, external::upload::replace), "Replace a document file at a provider"))),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/folders", authenticated(external::folders::list_root), "List the root folder at a provider")),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/folders/{id}", authenticated(external::folders::list_folder), "List a folder at a provider")),
        uses_remote_pool(route("GET", "/api/v1/cloud/{provider}/{connection}/folders/continue/{cursor}", authenticated(external::folders::continue_list), "List the next part of a folder at a provider")),
        uses_remote_pool(route("POST", "/api/v1/cloud/{provider}/{connection}/folders", authenticated(external::folders::create), "Create a folder at a provider")),
        uses_remote_pool(route("DELETE", "/api/v1/cloud/{provider}/{connection}/folders/{id}", authenticated(external::folders::delete), "Delete a folder at a provider")),
    ]
}

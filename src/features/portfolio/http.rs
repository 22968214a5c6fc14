//! Bodies and handlers of `/portfolio` and `/widgets`.

use std::collections::BTreeMap;

use hyper::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use super::actions;
use super::catalogue;
use super::catalogue::KindInfo;
use super::rules;
use super::rules::NewReview;
use super::themes;
use super::view;
use super::view::FavoritesAndRatings;
use super::view::Plugin;
use super::view::PluginDetails;
use super::view::PluginDownload;
use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_charts::Chart;
use chartroom_charts::Locale;
use chartroom_charts::Style;
use chartroom_charts::svg;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::language;
use chartroom_platform::text;
use chartroom_platform::time::Timestamp;

/// Maximum and default number of entries on a page.
const MAX_PAGE_SIZE: u32 = 100;
/// Length of the lists of recent and of top-rated kinds.
const SHORT_LIST_LENGTH: usize = 8;
/// Width and height of the thumbnail of a kind in points.
const THUMBNAIL_SIZE: (f64, f64) = (320.0, 200.0);

/// All kinds, and lists of their ids.
#[derive(Serialize, JsonSchema)]
pub struct Portfolio {
    lists: Vec<List>,
    /// Descriptions by id.
    widgets: Map<String, Value>,
}

/// A named list of kinds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PortfolioList")]
pub struct List {
    id: String,
    title: String,
    ids: Vec<String>,
}

impl List {
    /// Builds a list with an id for programs and a title for people.
    fn new(id: &str, title: &str, ids: Vec<String>) -> Self {
        Self { id: id.to_owned(), title: title.to_owned(), ids }
    }
}

/// Query of `GET /portfolio/search`.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Search words. The last one matches as a prefix. An empty query matches all kinds.
    #[serde(default)]
    query: String,
    #[serde(default)]
    offset: u32,
    /// Page size. At most 100, which is also the default.
    limit: Option<u32>,
    /// `1` or `true`: return descriptions in `widgets` instead of `ids`.
    include_description: Option<String>,
}

/// Found kinds, best match first, as `ids` or as `widgets` with descriptions.
#[derive(Serialize, JsonSchema)]
pub struct SearchResult {
    query: String,
    offset: u32,
    limit: u32,
    /// Number of matches on all pages.
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    widgets: Option<Vec<Plugin>>,
}

/// Body of `POST /widgets/{id}/reviews`.
#[derive(Deserialize, JsonSchema)]
pub struct ReviewBody {
    /// Rating, 1 to 5.
    rating: i64,
    /// Text, at most 5,000 characters.
    #[serde(default)]
    feedback: String,
    /// Whether other users may read the review.
    #[serde(default)]
    public: bool,
}

/// Query of `GET /widgets/{id}/reviews`.
#[derive(Deserialize, JsonSchema)]
pub struct PageQuery {
    #[serde(default)]
    offset: u32,
    /// Page size. At most 100, which is also the default.
    limit: Option<u32>,
}

/// The public reviews of a kind, newest first.
#[derive(Serialize, JsonSchema)]
pub struct Reviews {
    offset: u32,
    limit: u32,
    count: i64,
    reviews: Vec<ReviewView>,
}

/// A public review.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Review")]
pub struct ReviewView {
    rating: i64,
    feedback: String,
    author_name: String,
    created: Timestamp,
}

/// Handles `GET /portfolio`: all kinds, and lists of favorite, recent and top-rated kinds and of
/// each category. Without a caller, the lists of favorite and recent kinds are empty.
pub fn list(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<RawJson<Portfolio>> {
    request.app.db.read(|tx| {
        let caller = caller.map(|user| &user.id);
        let opinions = FavoritesAndRatings::read(tx, caller)?;
        let (favorites, recent) = match caller {
            Some(user) => (
                actions::list_favorites(tx, user)?,
                actions::list_recent(tx, user, SHORT_LIST_LENGTH)?,
            ),
            None => (Vec::new(), Vec::new()),
        };
        let top_rated = actions::list_top_rated(tx, SHORT_LIST_LENGTH)?;
        let mut lists = vec![
            List::new("favorites", language::text("kinds.favorites"), favorites),
            List::new("recent", language::text("kinds.recent"), recent),
            List::new("top_rated", language::text("kinds.topRated"), top_rated),
        ];
        lists.extend(build_category_lists());
        let all = catalogue::kinds().iter().map(|kind| kind.id.clone()).collect();
        lists.push(List::new("all", language::text("kinds.all"), all));
        let mut widgets = Map::new();
        for kind in catalogue::kinds() {
            let plugin = view::build_plugin(&request.app.config.base_url, kind, &opinions);
            widgets.insert(kind.id.clone(), serde_json::to_value(plugin)?);
        }
        build_json(&Portfolio { lists, widgets })
    })
}

/// Returns one list for each category that has a kind, sorted by name. The id is the English name in
/// lower case with hyphens instead of spaces. The kinds keep the order of the catalogue.
fn build_category_lists() -> Vec<List> {
    let mut titles = BTreeMap::new();
    for kind in catalogue::kinds() {
        titles.extend(kind.categories.iter().zip(&kind.localized().categories));
    }
    let mut titles: Vec<(&String, &String)> = titles.into_iter().collect();
    titles.sort_by_key(|(_, title)| text::fold(title));
    titles
        .into_iter()
        .map(|(name, title)| {
            let kinds = catalogue::kinds().iter().filter(|kind| kind.categories.contains(name));
            let id = name.to_lowercase().replace(' ', "-");
            List::new(&id, title, kinds.map(|kind| kind.id.clone()).collect())
        })
        .collect()
}

/// Builds a response with texts in the language of the request.
fn build_json<T: Serialize>(value: &T) -> Result<RawJson<T>> {
    Ok(RawJson::new(Response::json(value)?.with_language()?))
}

/// Handles `GET /portfolio/widgets/{id}`: a kind with its columns and the schema of its settings.
/// Includes the favorite mark of the caller and the ratings.
pub fn details(
    request: &RequestContext,
    caller: Option<&User>,
    (): (),
) -> Result<RawJson<PluginDetails>> {
    let kind = find_kind_in_path(request)?;
    request.app.db.read(|tx| {
        let opinions = FavoritesAndRatings::read(tx, caller.map(|user| &user.id))?;
        build_json(&view::build_details(&request.app.config.base_url, kind, &opinions))
    })
}

/// Handles `GET /portfolio/search`: one page of the matching kinds, best match first. The response
/// has ids, or descriptions if the query asks for them.
pub fn search(
    request: &RequestContext,
    caller: Option<&User>,
    Query(query): Query<SearchQuery>,
) -> Result<RawJson<SearchResult>> {
    let limit = query.limit.unwrap_or(MAX_PAGE_SIZE).min(MAX_PAGE_SIZE);
    let with_description = parse_flag("include_description", query.include_description.as_deref())?;
    let found = rules::search_kinds(catalogue::localized_kinds(), &query.query);
    let page = found.iter().skip(query.offset as usize).take(limit as usize);
    let mut result = SearchResult {
        query: query.query,
        offset: query.offset,
        limit,
        count: found.len(),
        ids: None,
        widgets: None,
    };
    if with_description {
        let opinions =
            request.app.db.read(|tx| FavoritesAndRatings::read(tx, caller.map(|user| &user.id)))?;
        let base_url = &request.app.config.base_url;
        result.widgets =
            Some(page.map(|kind| view::build_plugin(base_url, kind, &opinions)).collect());
    } else {
        result.ids = Some(page.map(|kind| kind.id.as_str()).collect());
    }
    build_json(&result)
}

/// Handles `GET /widgets/{id}`: the complete description of a kind, with an entity tag.
pub fn download(
    request: &RequestContext,
    caller: Option<&User>,
    (): (),
) -> Result<RawJson<PluginDownload>> {
    let kind = find_kind_in_path(request)?;
    let opinions =
        request.app.db.read(|tx| FavoritesAndRatings::read(tx, caller.map(|user| &user.id)))?;
    let text = serde_json::to_string(&view::build_download(
        &request.app.config.base_url,
        kind,
        &opinions,
    ))?;
    let tag = crypto::base62_checksum(&text, 22);
    Ok(RawJson::new(Response::json_text(text).with_etag(&tag)?.with_language()?))
}

/// Handles `PUT /portfolio/favorites/{id}`. Returns the ids of all favorites of the caller.
pub fn add_favorite(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Vec<String>>> {
    let (kind, user) = (find_kind_in_path(request)?, caller.id.clone());
    let favorites = request.app.db.write(move |tx| actions::add_favorite(tx, &user, kind))?;
    Ok(Json(favorites))
}

/// Handles `DELETE /portfolio/favorites/{id}`. Returns the ids of the remaining favorites.
pub fn remove_favorite(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<String>>> {
    let (kind, user) = (find_kind_in_path(request)?, caller.id.clone());
    let favorites =
        request.app.db.write_with_reserve(move |tx| actions::remove_favorite(tx, &user, kind))?;
    Ok(Json(favorites))
}

/// Handles `POST /widgets/{id}/reviews`. A second review by the same user replaces the first.
pub fn review(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<ReviewBody>),
) -> Result<NoContent> {
    let (kind, user) = (find_kind_in_path(request)?, caller.id.clone());
    let review = NewReview { rating: body.rating, feedback: body.feedback, is_public: body.public };
    review.check()?;
    // Every user may review every kind.
    request.write_idempotent(
        &key,
        caller.id.as_str(),
        |_| Ok(()),
        move |tx| {
            actions::review_kind(tx, &user, kind, &review)?;
            Ok(Response::no_content())
        },
    )?;
    Ok(NoContent)
}

/// Handles `GET /widgets/{id}/reviews`: one page of the public reviews, newest first.
pub fn reviews(request: &RequestContext, Query(page): Query<PageQuery>) -> Result<Json<Reviews>> {
    let kind = find_kind_in_path(request)?;
    let limit = page.limit.unwrap_or(MAX_PAGE_SIZE).min(MAX_PAGE_SIZE);
    request.app.db.read(|tx| {
        let found = actions::list_public_reviews(tx, kind, page.offset, limit)?;
        let reviews = found.reviews.into_iter().map(|review| ReviewView {
            rating: review.rating,
            feedback: review.feedback,
            author_name: review.author_name,
            created: review.created,
        });
        Ok(Json(Reviews {
            offset: page.offset,
            limit,
            count: found.count,
            reviews: reviews.collect(),
        }))
    })
}

/// Handles `GET /portfolio/widgets/{id}/thumbnail.svg`: the example, rendered with the default
/// theme.
pub fn thumbnail(request: &RequestContext, (): ()) -> Result<Response> {
    let kind = find_kind_in_path(request)?;
    let light = themes::find_theme(themes::DEFAULT_THEME).or_not_found("theme")?;
    let scene = chartroom_charts::draw(&Chart {
        kind: kind.kind,
        title: &kind.sample().title,
        settings: &kind.sample().settings,
        data: &kind.sample().data,
        theme: &light.theme,
        style: &Style::parse(&kind.sample().style),
        width: THUMBNAIL_SIZE.0,
        height: THUMBNAIL_SIZE.1,
        default_locale: Locale::parse("en"),
        interactive: false,
        id_prefix: "",
    });
    build_svg_response(svg::write(&scene, &svg::Options::default()))
}

/// Handles `GET /portfolio/widgets/{id}/icon.svg`. The response is the embedded file.
pub fn icon(request: &RequestContext, (): ()) -> Result<Response> {
    build_svg_response(String::from_utf8_lossy(find_kind_in_path(request)?.icon).into_owned())
}

/// Builds the response for an SVG that changes only with the program, so that caches may share it.
/// They may keep it for an hour.
fn build_svg_response(svg: String) -> Result<Response> {
    let tag = crypto::base62_checksum(&svg, 22);
    Response::bytes("image/svg+xml", svg)
        .with_etag(&tag)?
        .with_header(CACHE_CONTROL, "public, max-age=3600")
}

/// Returns the kind that the path names. The parameter `{id}` is a UUID or slug.
///
/// # Errors
/// `NotFound` if there is no such kind.
fn find_kind_in_path(request: &RequestContext) -> Result<&'static KindInfo> {
    catalogue::find_kind(&request.param::<String>("id")?).or_not_found("chart kind")
}

/// Parses a flag of the query: absent, `0` and `false` are off; empty, `1` and `true` are on.
///
/// # Errors
/// `InvalidFields` naming `name` for any other value.
fn parse_flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::invalid_field(name, "must be 1 or 0")),
    }
}

//! The routes of the portfolio.

use std::collections::BTreeSet;

use hyper::header::CACHE_CONTROL;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use super::catalogue;
use super::catalogue::KindInfo;
use super::rules;
use super::store;
use super::themes;
use super::view;
use super::view::Opinions;
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
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
use chartroom_platform::time::Timestamp;

/// Largest page of any listing.
const MAX_LIMIT: u32 = 100;
/// Length of the lists of recent and of best rated kinds.
const SHORT_LIST: usize = 8;
/// Size of a kind's picture in points.
const THUMBNAIL: (f64, f64) = (320.0, 200.0);

/// `GET /portfolio`: the kinds and lists of their ids.
#[derive(Serialize, JsonSchema)]
pub struct Portfolio {
    lists: Vec<List>,
    /// From id to description.
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

/// Query of `GET /portfolio/search`.
#[derive(Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Words; the last may be the beginning of one. Empty finds all.
    #[serde(default)]
    query: String,
    #[serde(default)]
    offset: u32,
    /// At most 100, which is also the default.
    limit: Option<u32>,
    /// `1` or `true`: answer `widgets` with descriptions in place of `ids`.
    include_description: Option<String>,
}

/// What was found, best first: `ids`, or `widgets` with descriptions.
#[derive(Serialize, JsonSchema)]
pub struct SearchResult {
    query: String,
    offset: u32,
    limit: u32,
    /// Of all pages.
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    widgets: Option<Vec<Plugin>>,
}

/// Body of `POST /widgets/{id}/reviews`.
#[derive(Deserialize, JsonSchema)]
pub struct ReviewBody {
    /// 1 to 5.
    rating: i64,
    /// At most 5,000 characters.
    #[serde(default)]
    feedback: String,
    /// Whether others may read it.
    #[serde(default)]
    public: bool,
}

/// Query of `GET /widgets/{id}/reviews`.
#[derive(Deserialize, JsonSchema)]
pub struct PageQuery {
    #[serde(default)]
    offset: u32,
    /// At most 100, which is also the default.
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

/// One public review.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Review")]
pub struct ReviewView {
    rating: i64,
    feedback: String,
    author_name: String,
    created: Timestamp,
}

/// `GET /portfolio`.
pub fn list(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Json<Portfolio>> {
    request.app.db.read(|tx| {
        let caller = caller.map(|it| &it.id);
        let opinions = Opinions::read(tx, caller)?;
        let (favorites, recent) = match caller {
            Some(user) => {
                (store::favorites(tx, user)?, store::recent(tx, user, SHORT_LIST as i64)?)
            }
            None => (Vec::new(), Vec::new()),
        };
        let rated = store::ratings(tx)?.into_iter().take(SHORT_LIST).map(|it| it.kind).collect();
        let mut lists = vec![
            known("favorites", "Favorites", favorites),
            known("recent", "Recently used", recent),
            known("top_rated", "Top rated", rated),
        ];
        lists.extend(categories());
        let all = catalogue::kinds().iter().map(|it| it.id.clone()).collect();
        lists.push(known("all", "All", all));
        let mut widgets = Map::new();
        for kind in catalogue::kinds() {
            let plugin = view::plugin(&request.app.config.base_url, kind, &opinions);
            widgets.insert(kind.id.clone(), serde_json::to_value(plugin)?);
        }
        Ok(Json(Portfolio { lists, widgets }))
    })
}

/// A list of those ids that the catalogue still has.
fn known(id: &str, title: &str, ids: Vec<String>) -> List {
    let ids = ids.into_iter().filter(|it| catalogue::find(it).is_some()).collect();
    List { id: id.to_owned(), title: title.to_owned(), ids }
}

/// A list for each category that has a kind.
fn categories() -> Vec<List> {
    let names: BTreeSet<&String> =
        catalogue::kinds().iter().flat_map(|kind| &kind.categories).collect();
    names
        .into_iter()
        .map(|name| {
            let kinds = catalogue::kinds().iter().filter(|it| it.categories.contains(name));
            let id = name.to_lowercase().replace(' ', "-");
            known(&id, name, kinds.map(|it| it.id.clone()).collect())
        })
        .collect()
}

/// `GET /portfolio/widgets/{id}`.
pub fn details(
    request: &RequestContext,
    caller: Option<&User>,
    (): (),
) -> Result<Json<PluginDetails>> {
    let kind = kind(request)?;
    request.app.db.read(|tx| {
        let opinions = Opinions::read(tx, caller.map(|it| &it.id))?;
        Ok(Json(view::details(&request.app.config.base_url, kind, &opinions)))
    })
}

/// `GET /portfolio/search`.
pub fn search(
    request: &RequestContext,
    caller: Option<&User>,
    Query(query): Query<SearchQuery>,
) -> Result<Json<SearchResult>> {
    let limit = query.limit.unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
    let with_description = flag("include_description", query.include_description.as_deref())?;
    let found = rules::search(catalogue::kinds(), &query.query);
    let page = found.iter().skip(query.offset as usize).take(limit as usize);
    let mut answer = SearchResult {
        query: query.query,
        offset: query.offset,
        limit,
        count: found.len(),
        ids: None,
        widgets: None,
    };
    if with_description {
        let opinions = request.app.db.read(|tx| Opinions::read(tx, caller.map(|it| &it.id)))?;
        let base_url = &request.app.config.base_url;
        answer.widgets = Some(page.map(|kind| view::plugin(base_url, kind, &opinions)).collect());
    } else {
        answer.ids = Some(page.map(|kind| kind.id.as_str()).collect());
    }
    Ok(Json(answer))
}

/// `GET /widgets/{id}`: all that a kind is, with an entity tag.
pub fn download(
    request: &RequestContext,
    caller: Option<&User>,
    (): (),
) -> Result<Raw<PluginDownload>> {
    let kind = kind(request)?;
    let opinions = request.app.db.read(|tx| Opinions::read(tx, caller.map(|it| &it.id)))?;
    let text =
        serde_json::to_string(&view::download(&request.app.config.base_url, kind, &opinions))?;
    let tag = crypto::checksum62(&text, 22);
    Ok(Raw::new(Response::json_text(text).tagged(&tag)?))
}

/// `PUT /portfolio/favorites/{id}`.
pub fn add_favorite(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Vec<String>>> {
    let (kind, user) = (kind(request)?, caller.id.clone());
    let favorites = request.app.db.write(move |tx| {
        store::add_favorite(tx, &user, &kind.id)?;
        store::favorites(tx, &user)
    })?;
    Ok(Json(known("", "", favorites).ids))
}

/// `DELETE /portfolio/favorites/{id}`.
pub fn remove_favorite(
    request: &RequestContext,
    caller: &User,
    (): (),
) -> Result<Json<Vec<String>>> {
    let (kind, user) = (kind(request)?, caller.id.clone());
    let favorites = request.app.db.write(move |tx| {
        store::remove_favorite(tx, &user, &kind.id)?;
        store::favorites(tx, &user)
    })?;
    Ok(Json(known("", "", favorites).ids))
}

/// `POST /widgets/{id}/reviews`: one a user and kind; a second replaces the first.
pub fn review(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<ReviewBody>),
) -> Result<NoContent> {
    let (kind, user) = (kind(request)?, caller.id.clone());
    if !(1..=5).contains(&body.rating) {
        return Err(Error::field("rating", "must be a whole number from 1 to 5"));
    }
    if body.feedback.chars().count() > rules::MAX_FEEDBACK {
        let message = format!("has more than {} characters", rules::MAX_FEEDBACK);
        return Err(Error::field("feedback", message));
    }
    request.write_once(&key, caller.id.as_str(), move |tx| {
        store::put_review(tx, &user, &kind.id, body.rating, &body.feedback, body.public)?;
        Ok(Response::no_content())
    })?;
    Ok(NoContent)
}

/// `GET /widgets/{id}/reviews`.
pub fn reviews(request: &RequestContext, Query(page): Query<PageQuery>) -> Result<Json<Reviews>> {
    let kind = kind(request)?;
    let limit = page.limit.unwrap_or(MAX_LIMIT).min(MAX_LIMIT);
    request.app.db.read(|tx| {
        let found = store::public_reviews(tx, &kind.id, page.offset.into(), limit.into())?;
        let reviews = found.into_iter().map(|it| ReviewView {
            rating: it.rating,
            feedback: it.feedback,
            author_name: it.name,
            created: it.created,
        });
        Ok(Json(Reviews {
            offset: page.offset,
            limit,
            count: store::count_public_reviews(tx, &kind.id)?,
            reviews: reviews.collect(),
        }))
    })
}

/// `GET /portfolio/widgets/{id}/thumbnail.svg`: the example, drawn.
pub fn thumbnail(request: &RequestContext, (): ()) -> Result<Response> {
    let kind = kind(request)?;
    let light = themes::theme(themes::DEFAULT_THEME).found("theme")?;
    let scene = chartroom_charts::draw(&Chart {
        kind: kind.kind,
        title: &kind.sample.title,
        settings: &kind.sample.settings,
        data: &kind.sample.data,
        theme: &light.theme,
        style: &Style::parse(&kind.sample.style),
        width: THUMBNAIL.0,
        height: THUMBNAIL.1,
        locale: Locale::parse("en"),
        interactive: false,
        id_prefix: "",
    });
    picture(svg::write(&scene, &svg::Options::default()))
}

/// `GET /portfolio/widgets/{id}/icon.svg`.
pub fn icon(request: &RequestContext, (): ()) -> Result<Response> {
    picture(String::from_utf8_lossy(kind(request)?.icon).into_owned())
}

/// An SVG that is the same for everybody until the program changes.
fn picture(svg: String) -> Result<Response> {
    let tag = crypto::checksum62(&svg, 22);
    Response::bytes("image/svg+xml", svg).tagged(&tag)?.with(CACHE_CONTROL, "public, max-age=3600")
}

fn kind(request: &RequestContext) -> Result<&'static KindInfo> {
    catalogue::find(&request.param::<String>("id")?).found("chart kind")
}

/// A flag of the query string: absent, `0` and `false` are off; empty, `1` and `true` are on.
fn flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::field(name, "must be 1 or 0")),
    }
}

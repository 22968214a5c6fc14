//! `Idempotency-Key`: a POST that comes twice happens once and is answered the same.
//!
//! The answer is stored in the transaction of what it tells of, so neither is there without the
//! other, whenever the program ends. Of two requests at a time, the later finds the answer of the
//! earlier. What failed is not stored: nothing happened, and it may be tried again.
//!
//! An answer may hold a secret that is shown only once. It is therefore encrypted with a key that
//! follows from the server key and the client's key, of which the database knows neither.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use rusqlite::named_params;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::endpoint::Input;
use super::endpoint::Operation;
use super::request::Request;
use super::response::Body;
use super::response::Response;
use crate::crypto;
use crate::crypto::Hash;
use crate::crypto::ServerKey;
use crate::db::Db;
use crate::db::Tx;
use crate::db::WriteTx;
use crate::error::Error;
use crate::error::Result;

/// How long an answer is kept.
pub const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Name of the task that removes answers older than [`KEPT`].
pub const PURGE: &str = "http.idempotency";

/// Most characters of a key.
const LONGEST: usize = 255;

const NAME: HeaderName = HeaderName::from_static("idempotency-key");

/// The header of a request that may come twice; nothing when it does not say so.
pub struct IdempotencyKey(Option<String>);

impl Input for IdempotencyKey {
    fn of(request: &Request) -> Result<Self> {
        let mut values = request.headers.get_all(NAME).iter();
        let Some(first) = values.next() else { return Ok(Self(None)) };
        let is_plain = |text: &&str| {
            (1..=LONGEST).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_graphic())
        };
        match (first.to_str().ok().filter(is_plain), values.next()) {
            (Some(key), None) => Ok(Self(Some(key.to_owned()))),
            _ => {
                let text = format!("must be one word of 1 to {LONGEST} visible ASCII characters");
                Err(Error::field("Idempotency-Key", text))
            }
        }
    }

    fn describe(operation: &mut Operation<'_>) {
        let parameter = json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "schema": { "type": "string", "minLength": 1, "maxLength": LONGEST,
                        "pattern": "^[!-~]+$" },
            "description": "For 24 hours, the same request with this key is answered the same \
                            without happening again",
        });
        if let Some(list) = operation.value["parameters"].as_array_mut() {
            list.push(parameter);
        }
    }
}

/// A request that came with a key.
struct Marked {
    /// Names caller, route and key.
    id: Hash,
    /// What the answer is encrypted with.
    secret: Hash,
    /// Tells one body and query from another.
    request: Hash,
}

/// A request that happens once if its sender wants that, for work that sees to its transactions
/// itself.
pub struct Once(Option<Marked>);

impl Once {
    /// What was answered when this request came before.
    ///
    /// # Errors
    /// `Conflict` when the key came with another body or query.
    pub fn answered(&self, tx: &Tx<'_>) -> Result<Option<Response>> {
        match &self.0 {
            Some(marked) => find(tx, marked),
            None => Ok(None),
        }
    }

    /// Runs `work` in a write transaction, unless this request came before. Then returns the
    /// stored response.
    ///
    /// # Errors
    /// The errors of `work`; `Conflict` if the key came with another body or query.
    pub fn write(
        self,
        db: &Db,
        work: impl Fn(&WriteTx<'_>) -> Result<Response> + Send + 'static,
    ) -> Result<Response> {
        db.write(move |tx| {
            if let Some(response) = self.answered(tx)? {
                return Ok(response);
            }
            let response = work(tx)?;
            self.keep(tx, &response)?;
            Ok(response)
        })
    }

    /// Keeps the answer, in the transaction of what it tells of.
    pub fn keep(&self, tx: &WriteTx<'_>, response: &Response) -> Result<()> {
        match &self.0 {
            Some(marked) => keep(tx, marked, response),
            None => Ok(()),
        }
    }
}

impl IdempotencyKey {
    /// Returns the request as one of `caller`; `server_key` encrypts the stored response.
    pub fn once(&self, request: &Request, server_key: &ServerKey, caller: &str) -> Once {
        Once(self.0.as_ref().map(|key| Marked::new(request, server_key, caller, key)))
    }
}

impl Marked {
    fn new(request: &Request, server_key: &ServerKey, caller: &str, key: &str) -> Self {
        let text = format!("{caller}\n{} {}\n{key}", request.method, request.path);
        let mut content = request.query.clone().into_bytes();
        content.push(b'\n');
        content.extend_from_slice(&request.body);
        Self {
            id: server_key.sign("idempotency id", text.as_bytes()),
            secret: server_key.sign("idempotency answer", text.as_bytes()),
            request: crypto::sha256(&content),
        }
    }
}

/// Status and headers of a stored answer: the first line, the body behind it.
#[derive(Serialize, Deserialize)]
struct Front {
    status: u16,
    headers: Vec<(String, String)>,
}

fn find(tx: &Tx<'_>, marked: &Marked) -> Result<Option<Response>> {
    let found: Option<(Hash, Vec<u8>)> = tx.find(
        "select request, answer from idempotency where key = :key and created > :since",
        named_params! { ":key": marked.id, ":since": tx.now.before(KEPT) },
        |row| Ok((row.get("request")?, row.get("answer")?)),
    )?;
    let Some((request, sealed)) = found else { return Ok(None) };
    if request != marked.request {
        let text = "Idempotency-Key: this key came with another request already";
        return Err(Error::Conflict(text.to_owned()));
    }
    read(&crypto::open(&marked.secret, &sealed)?).map(Some)
}

fn keep(tx: &WriteTx<'_>, marked: &Marked, response: &Response) -> Result<()> {
    let sealed = crypto::seal(&marked.secret, write(response)?)?;
    // A row of this key that is there has expired, or it would have been the answer.
    tx.execute(
        "insert or replace into idempotency (key, request, answer, created)
         values (:key, :request, :answer, :created)",
        named_params! {
            ":key": marked.id,
            ":request": marked.request,
            ":answer": sealed,
            ":created": tx.now,
        },
    )?;
    Ok(())
}

fn write(response: &Response) -> Result<Vec<u8>> {
    let Body::Bytes(body) = &response.body else {
        return Err(Error::internal("a stream cannot be answered twice"));
    };
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned);
    let headers = response.headers.iter().map(|(name, value)| Ok((name.to_string(), text(value)?)));
    let headers: std::result::Result<_, hyper::header::ToStrError> = headers.collect();
    let headers = headers.map_err(|error| Error::internal(error.to_string()))?;
    let mut bytes = serde_json::to_vec(&Front { status: response.status.as_u16(), headers })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    Ok(bytes)
}

fn read(bytes: &[u8]) -> Result<Response> {
    let odd = || Error::internal("a stored answer cannot be read");
    let end = bytes.iter().position(|it| *it == b'\n').ok_or_else(odd)?;
    let front: Front = serde_json::from_slice(&bytes[..end])?;
    let body = bytes[end + 1..].to_vec();
    let mut headers = HeaderMap::new();
    for (name, value) in front.headers {
        let name = HeaderName::try_from(name).map_err(|_| odd())?;
        headers.append(name, HeaderValue::try_from(value).map_err(|_| odd())?);
    }
    let status = StatusCode::from_u16(front.status).map_err(|_| odd())?;
    let compress = !body.is_empty();
    Ok(Response { status, headers, body: Body::Bytes(body.into()), compress })
}

/// Removes the answers that are too old.
///
/// # Errors
/// When the database cannot be written.
pub fn purge(db: &Db) -> Result<()> {
    db.write(|tx| {
        let before = tx.now.before(KEPT);
        tx.execute("delete from idempotency where created <= ?1", [before])
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back_as_it_was() {
        let body = "{\"a\":\"\\n\"}\n\u{fc}";
        let response = Response::json_text(body.to_owned()).tagged("x-1").unwrap();
        let again = read(&write(&response).unwrap()).unwrap();
        assert_eq!((again.status, &again.headers), (response.status, &response.headers));
        assert!(matches!(again.body, Body::Bytes(bytes) if bytes == body.as_bytes()));
        let empty = read(&write(&Response::no_content()).unwrap()).unwrap();
        assert_eq!(empty.status, StatusCode::NO_CONTENT);
        assert!(!empty.compress);
    }
}

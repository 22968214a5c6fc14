//! `Idempotency-Key`: a repeated POST takes effect once and gets the stored response.
//!
//! The response is stored in the transaction that makes the change, so a crash cannot separate the
//! two. Of two concurrent requests, the later one finds the response of the earlier one. Failed
//! requests are not stored: they change nothing, and the client may retry them. A stored response
//! is only sent after another access check, because the caller may have lost access since.
//!
//! Table: `idempotency`. A response may contain a secret that is shown only once. It is therefore
//! encrypted with a key derived from the server key and the client's key. The database contains
//! neither.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use rusqlite::named_params;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::endpoint::FromRequest;
use super::endpoint::Operation;
use super::request::Request;
use super::response::Body;
use super::response::Response;
use crate::crypto;
use crate::crypto::ServerKey;
use crate::crypto::Sha256Hash;
use crate::db::Db;
use crate::db::Tx;
use crate::db::WriteTx;
use crate::error::Error;
use crate::error::Result;

/// Time for which a response is stored.
pub const RETENTION: Duration = Duration::from_secs(24 * 3600);

/// Name of the task that deletes responses older than [`RETENTION`].
pub const PURGE_TASK: &str = "http.idempotency";

/// Maximum length of a key in characters.
const MAX_KEY_LENGTH: usize = 255;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The value of the header `Idempotency-Key`, if the request has one.
pub struct IdempotencyKey(Option<String>);

impl FromRequest for IdempotencyKey {
    /// Reads the header `Idempotency-Key`, which may be absent.
    ///
    /// # Errors
    /// `InvalidFields` if it occurs twice, or is not 1 to `MAX_KEY_LENGTH` visible ASCII
    /// characters.
    fn from_request(request: &Request) -> Result<Self> {
        let mut values = request.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(first) = values.next() else { return Ok(Self(None)) };
        let is_plain = |text: &&str| {
            (1..=MAX_KEY_LENGTH).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        match (first.to_str().ok().filter(is_plain), values.next()) {
            (Some(key), None) => Ok(Self(Some(key.to_owned()))),
            _ => {
                let text = format!(
                    "must be a single value of 1 to {MAX_KEY_LENGTH} visible ASCII characters"
                );
                Err(Error::invalid_field("Idempotency-Key", text))
            }
        }
    }

    /// Adds the header as an optional parameter to the operation.
    fn describe(operation: &mut Operation<'_>) {
        let parameter = json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH,
                        "pattern": "^[!-~]+$" },
            "description": "For 24 hours, a repeated request with this key gets the same response \
                            and has no further effect",
        });
        if let Some(list) = operation.value["parameters"].as_array_mut() {
            list.push(parameter);
        }
    }
}

/// A request with an idempotency key.
struct KeyedRequest {
    /// Keyed hash of caller, route and key. It is the primary key of the stored response.
    id: Sha256Hash,
    /// Key that encrypts the stored response.
    encryption_key: Sha256Hash,
    /// Hash of query and body, which detects the reuse of a key for another request.
    content_hash: Sha256Hash,
}

/// A request that takes effect only once if it has an idempotency key.
///
/// Use [`run_once`](Self::run_once), or [`stored_response`](Self::stored_response) and
/// [`store_response`](Self::store_response) for work that manages its transactions itself.
pub struct IdempotentRequest(Option<KeyedRequest>);

impl IdempotentRequest {
    /// Returns a text that only requests with the same key, caller, method and path have. None without a
    /// key.
    pub fn id(&self) -> Option<String> {
        self.0.as_ref().map(|keyed| crypto::to_hex(&keyed.id))
    }

    /// Returns a text that only repetitions of this request with the same query and body have. None
    /// without a key.
    pub fn content_id(&self) -> Option<String> {
        let hash = |keyed: &KeyedRequest| crypto::sha256(&[keyed.id, keyed.content_hash].concat());
        self.0.as_ref().map(|keyed| crypto::to_hex(&hash(keyed)))
    }

    /// Returns the stored response if a request with the same key, caller, method and path was
    /// handled within `RETENTION`. Returns None otherwise and without a key. Does not check
    /// access.
    ///
    /// # Errors
    /// `Conflict` if the key was used with another body or query.
    pub fn stored_response(&self, tx: &Tx<'_>) -> Result<Option<Response>> {
        match &self.0 {
            Some(keyed) => find_response(tx, keyed),
            None => Ok(None),
        }
    }

    /// Runs `work` in a write transaction and stores its response in the same transaction.
    ///
    /// If this request was handled before, returns the stored response instead, but only if
    /// `check_access` succeeds: it checks that the caller still has the access that `work`
    /// requires. Without a key, runs `work` each time and stores nothing. An error is not stored.
    ///
    /// # Errors
    /// The errors of `work`, of [`Db::write`] and of [`Self::store_response`]; the errors of
    /// `check_access` if this request was handled before; `Conflict` if the key was used with
    /// another body or query.
    pub fn run_once(
        self,
        db: &Db,
        check_access: impl Fn(&Tx<'_>) -> Result<()> + Send + 'static,
        work: impl Fn(&WriteTx<'_>) -> Result<Response> + Send + 'static,
    ) -> Result<Response> {
        db.write(move |tx| {
            if let Some(response) = self.stored_response(tx)? {
                check_access(tx)?;
                return Ok(response);
            }
            let response = work(tx)?;
            self.store_response(tx, &response)?;
            Ok(response)
        })
    }

    /// Stores the response. Does nothing without a key.
    ///
    /// Call it in the transaction that makes the change.
    ///
    /// # Errors
    /// `Internal` if the response is a stream or has a header that is not visible ASCII, because
    /// these cannot be stored.
    pub fn store_response(&self, tx: &WriteTx<'_>, response: &Response) -> Result<()> {
        match &self.0 {
            Some(keyed) => insert_response(tx, keyed, response),
            None => Ok(()),
        }
    }
}

impl IdempotencyKey {
    /// Binds the key to the method, path, query and body of a request of `caller`, so that other
    /// callers and routes can use the same key. Does not access the database. Without a key, the
    /// result has no effect.
    ///
    /// The key that encrypts the stored response is derived from `server_key`.
    pub fn bind_request(
        &self,
        request: &Request,
        server_key: &ServerKey,
        caller: &str,
    ) -> IdempotentRequest {
        IdempotentRequest(
            self.0.as_ref().map(|key| KeyedRequest::new(request, server_key, caller, key)),
        )
    }
}

impl KeyedRequest {
    /// Derives the id and the encryption key from the caller, the method, the path and `key`, and
    /// the content hash from the query and the body.
    fn new(request: &Request, server_key: &ServerKey, caller: &str, key: &str) -> Self {
        let text = format!("{caller}\n{} {}\n{key}", request.method, request.path);
        let mut content = request.query.clone().into_bytes();
        content.push(b'\n');
        content.extend_from_slice(&request.body);
        Self {
            id: server_key.sign("idempotency id", text.as_bytes()),
            encryption_key: server_key.sign("idempotency answer", text.as_bytes()),
            content_hash: crypto::sha256(&content),
        }
    }
}

/// The first line of a stored response, as JSON. The body follows it.
#[derive(Serialize, Deserialize)]
struct StoredHead {
    status: u16,
    headers: Vec<(String, String)>,
}

/// Returns the stored response, or None if there is none or it is older than [`RETENTION`].
///
/// # Errors
/// `Conflict` if the key was used with another body or query; `Internal` if the response cannot be
/// decrypted or decoded.
fn find_response(tx: &Tx<'_>, keyed: &KeyedRequest) -> Result<Option<Response>> {
    let found: Option<(Sha256Hash, Vec<u8>)> = tx.find(
        "select request, answer from idempotency where key = :key and created > :since",
        named_params! { ":key": keyed.id, ":since": tx.now.saturating_sub(RETENTION) },
        |row| Ok((row.get("request")?, row.get("answer")?)),
    )?;
    let Some((content_hash, encrypted)) = found else { return Ok(None) };
    if content_hash != keyed.content_hash {
        let text = "Idempotency-Key: this key was already used for another request";
        return Err(Error::Conflict(text.to_owned()));
    }
    decode_response(&crypto::decrypt(&keyed.encryption_key, &encrypted)?).map(Some)
}

/// Encrypts and stores a response. Replaces an existing one.
fn insert_response(tx: &WriteTx<'_>, keyed: &KeyedRequest, response: &Response) -> Result<()> {
    let encrypted = crypto::encrypt(&keyed.encryption_key, encode_response(response)?)?;
    // An existing row with this key has expired. Otherwise it would have been the response.
    tx.execute(
        "insert or replace into idempotency (key, request, answer, created)
         values (:key, :request, :answer, :created)",
        named_params! {
            ":key": keyed.id,
            ":request": keyed.content_hash,
            ":answer": encrypted,
            ":created": tx.now,
        },
    )?;
    Ok(())
}

/// Encodes a response for storage: [`StoredHead`] as one line of JSON, then the body.
///
/// # Errors
/// `Internal` if the response is a stream or has a header that is not visible ASCII.
fn encode_response(response: &Response) -> Result<Vec<u8>> {
    let Body::Bytes(body) = &response.body else {
        return Err(Error::internal("a stream cannot be stored for its idempotency key"));
    };
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned);
    let headers = response.headers.iter().map(|(name, value)| Ok((name.to_string(), text(value)?)));
    let headers: std::result::Result<_, hyper::header::ToStrError> = headers.collect();
    let headers = headers.map_err(|error| Error::internal(error.to_string()))?;
    let mut bytes = serde_json::to_vec(&StoredHead { status: response.status.as_u16(), headers })?;
    bytes.push(b'\n');
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// Decodes the bytes of `encode_response`. Sets `compress` if the response has a body.
///
/// # Errors
/// `Internal` if the bytes are invalid.
fn decode_response(bytes: &[u8]) -> Result<Response> {
    let invalid = || Error::internal("a stored response cannot be decoded");
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(invalid)?;
    let head: StoredHead = serde_json::from_slice(&bytes[..end])?;
    let body = bytes[end + 1..].to_vec();
    let mut headers = HeaderMap::new();
    for (name, value) in head.headers {
        let name = HeaderName::try_from(name).map_err(|_| invalid())?;
        headers.append(name, HeaderValue::try_from(value).map_err(|_| invalid())?);
    }
    let status = StatusCode::from_u16(head.status).map_err(|_| invalid())?;
    let compress = !body.is_empty();
    Ok(Response { status, headers, body: Body::Bytes(body.into()), compress })
}

/// Deletes the responses that are older than [`RETENTION`].
///
/// # Errors
/// If the database cannot be written.
pub fn delete_expired(db: &Db) -> Result<()> {
    db.write_with_reserve(|tx| {
        let before = tx.now.saturating_sub(RETENTION);
        tx.execute("delete from idempotency where created <= ?1", [before])
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_id_is_that_of_the_key_and_the_content() {
        let request = |id: u8, content: u8| {
            IdempotentRequest(Some(KeyedRequest {
                id: [id; 32],
                encryption_key: [0; 32],
                content_hash: [content; 32],
            }))
        };
        let first = request(1, 1);
        assert_eq!(first.content_id(), request(1, 1).content_id());
        for other in [request(1, 2), request(2, 1)] {
            assert_ne!(first.content_id(), other.content_id());
        }
        assert_eq!(first.id(), request(1, 2).id());
        assert_eq!(IdempotentRequest(None).content_id(), None);
    }

    #[test]
    fn an_encoded_response_round_trips() {
        let body = "{\"a\":\"\\n\"}\n\u{fc}";
        let response = Response::json_text(body.to_owned()).with_etag("x-1").unwrap();
        let again = decode_response(&encode_response(&response).unwrap()).unwrap();
        assert_eq!((again.status, &again.headers), (response.status, &response.headers));
        assert!(matches!(again.body, Body::Bytes(bytes) if bytes == body.as_bytes()));
        let empty = decode_response(&encode_response(&Response::no_content()).unwrap()).unwrap();
        assert_eq!(empty.status, StatusCode::NO_CONTENT);
        assert!(!empty.compress);
    }
}

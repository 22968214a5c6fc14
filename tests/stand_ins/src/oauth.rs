//! The authorization server that all stand-ins share: codes, tokens, their expiry and rotation.

use std::time::Duration;

use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use serde_json::json;

use crate::http::Request;
use crate::http::Response;

/// The effect of a refresh on the refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// The response has no refresh token; the old one stays valid (Dropbox, Google).
    Stays,
    /// The response has a new one; the old one stays valid (Microsoft).
    NewAndOld,
    /// The response has a new one; the old one is invalid at once (Box, Smartsheet).
    OneUse,
}

/// Rules of a provider.
#[derive(Debug, Clone)]
pub struct Rules {
    pub rotation: Rotation,
    /// Seconds for which a code is valid.
    pub code_lifetime: u64,
    /// Seconds for which an access token is valid.
    pub access_lifetime: u64,
    /// Whether the request for a code must have a challenge.
    pub requires_pkce: bool,
    /// Whether requests send a hash in place of the secret (Smartsheet).
    pub has_hash: bool,
    /// Whether a code without this parameter has no refresh token: `token_access_type=offline` for
    /// Dropbox, `access_type=offline` for Google.
    pub offline_parameter: Option<(&'static str, &'static str)>,
}

/// A code that was sent to the redirect URI.
#[derive(Debug, Clone)]
struct Code {
    text: String,
    redirect_uri: String,
    challenge: Option<String>,
    scope: String,
    expires: u64,
    is_offline: bool,
}

/// A pair of tokens.
#[derive(Debug, Clone)]
pub struct Grant {
    pub access: String,
    /// Second of the clock at which the access token expires.
    pub expires: u64,
    pub refresh: Option<String>,
    pub scope: String,
    pub is_revoked: bool,
}

/// The authorization server of one client.
#[derive(Debug)]
pub struct OAuth {
    pub rules: Rules,
    pub client_id: String,
    pub client_secret: String,
    /// Redirect URIs that are registered. Empty permits all.
    pub redirect_uris: Vec<String>,
    /// Seconds since the start; tests move it.
    pub clock: u64,
    /// Whether the person refuses the access.
    pub refuses: bool,
    /// Scopes that the person grants in place of the requested ones.
    pub granted_scope: Option<String>,
    /// Number of responses of the token endpoint to lose: the tokens change, but the client gets 502.
    pub lost_responses: u32,
    /// Time before responses of the token endpoint.
    pub token_delay: Duration,
    /// Status in place of the next responses of the token endpoint, without any effect.
    pub failures: Vec<u16>,
    pub grants: Vec<Grant>,
    /// Number of successful refreshes.
    pub refreshes: usize,
    codes: Vec<Code>,
    issued: u64,
}

impl OAuth {
    /// Creates the server of the client `client-id` with the secret `client-secret`.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            client_id: "client-id".to_owned(),
            client_secret: "client-secret".to_owned(),
            redirect_uris: Vec::new(),
            clock: 1_000,
            refuses: false,
            granted_scope: None,
            lost_responses: 0,
            token_delay: Duration::ZERO,
            failures: Vec::new(),
            grants: Vec::new(),
            refreshes: 0,
            codes: Vec::new(),
            issued: 0,
        }
    }

    /// Returns a text that was never issued before.
    fn issue(&mut self, kind: &str) -> String {
        self.issued += 1;
        format!("{kind}-{:06}-{}", self.issued, "x".repeat(20))
    }

    /// Adds a pair of tokens as if a person had permitted the access, for clients that start with tokens.
    pub fn grant(&mut self, scope: &str) -> Grant {
        let (access, refresh) = (self.issue("access"), self.issue("refresh"));
        let expires = self.clock + self.rules.access_lifetime;
        let scope = scope.to_owned();
        let grant = Grant { access, expires, refresh: Some(refresh), scope, is_revoked: false };
        self.grants.push(grant.clone());
        grant
    }

    /// Returns the grant of an access token that is valid now.
    pub fn find_access(&self, token: &str) -> Option<&Grant> {
        let clock = self.clock;
        let is_valid = |grant: &&Grant| !grant.is_revoked && grant.expires > clock;
        self.grants.iter().filter(|grant| grant.access == token).find(is_valid)
    }

    /// Returns whether an access token was valid once and has expired.
    pub fn is_expired(&self, token: &str) -> bool {
        self.grants.iter().any(|grant| grant.access == token && grant.expires <= self.clock)
    }

    /// Makes all access tokens expire.
    pub fn expire_access(&mut self) {
        let clock = self.clock;
        self.grants.iter_mut().for_each(|grant| grant.expires = grant.expires.min(clock));
    }

    /// Revokes all grants with this access or refresh token, with all of the same refresh token. Returns
    /// whether there was one.
    pub fn revoke(&mut self, token: &str) -> bool {
        let is_of =
            |grant: &Grant| grant.access == token || grant.refresh.as_deref() == Some(token);
        let Some(found) = self.grants.iter().find(|grant| is_of(grant)).cloned() else {
            return false;
        };
        for grant in &mut self.grants {
            if is_of(grant) || (found.refresh.is_some() && grant.refresh == found.refresh) {
                grant.is_revoked = true;
            }
        }
        true
    }

    /// Handles the page for consent: the person permits at once, and the response redirects to the client.
    pub fn authorize(&mut self, request: &Request) -> Response {
        let parameter = |name: &str| request.parameter(name).unwrap_or_default().to_owned();
        let redirect_uri = parameter("redirect_uri");
        let is_registered =
            self.redirect_uris.is_empty() || self.redirect_uris.contains(&redirect_uri);
        if parameter("client_id") != self.client_id || !is_registered || redirect_uri.is_empty() {
            return Response::text(400, "unknown client or redirect URI");
        }
        let separator = if redirect_uri.contains('?') { '&' } else { '?' };
        let state: String =
            form_urlencoded::byte_serialize(parameter("state").as_bytes()).collect();
        let redirect = |result: &str| {
            Response::redirect(&format!("{redirect_uri}{separator}{result}&state={state}"))
        };
        if parameter("response_type") != "code" {
            return redirect("error=unsupported_response_type");
        }
        let challenge = request.parameter("code_challenge").map(str::to_owned);
        let has_challenge = challenge.is_some() && parameter("code_challenge_method") == "S256";
        if self.rules.requires_pkce && !has_challenge {
            return redirect("error=invalid_request");
        }
        if self.refuses {
            return redirect("error=access_denied");
        }
        let offline = self.rules.offline_parameter;
        let code = Code {
            text: self.issue("code"),
            redirect_uri: redirect_uri.clone(),
            challenge,
            scope: self.granted_scope.clone().unwrap_or_else(|| parameter("scope")),
            expires: self.clock + self.rules.code_lifetime,
            is_offline: offline.is_none_or(|(name, value)| parameter(name) == value),
        };
        let text = code.text.clone();
        self.codes.push(code);
        redirect(&format!("code={text}"))
    }

    /// Handles the token endpoint with the errors of RFC 6749. `form` is that of the request.
    pub fn token(&mut self, request: &Request) -> Response {
        if let Some(status) = self.failures.pop() {
            return Response::json(status, &json!({"error": "temporarily_unavailable"}));
        }
        let form = request.form();
        let field = |name: &str| {
            form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        let refused =
            |code: &str| Response::json(400, &json!({"error": code, "error_description": code}));
        let secret = field("code").or(field("refresh_token")).unwrap_or_default();
        if !self.is_client(
            request,
            field("client_id"),
            field("client_secret"),
            field("hash"),
            secret,
        ) {
            return Response::json(401, &json!({"error": "invalid_client"}));
        }
        let grant = match field("grant_type") {
            Some("authorization_code") => {
                self.exchange(secret, field("redirect_uri"), field("code_verifier"))
            }
            Some("refresh_token") => self.refresh(secret),
            _ => return refused("unsupported_grant_type"),
        };
        let Some((grant, sends_refresh)) = grant else { return refused("invalid_grant") };
        if self.lost_responses > 0 {
            self.lost_responses -= 1;
            return Response::text(502, "the response was lost");
        }
        let mut body = json!({
            "access_token": grant.access,
            "token_type": "bearer",
            "expires_in": grant.expires - self.clock,
        });
        if sends_refresh {
            body["refresh_token"] = grant.refresh.map_or(Value::Null, Value::from);
        }
        if !grant.scope.is_empty() {
            body["scope"] = grant.scope.into();
        }
        Response { delay: self.token_delay, ..Response::json(200, &body) }
    }

    /// Returns whether the request has the credentials of the client.
    fn is_client(
        &self,
        request: &Request,
        id: Option<&str>,
        secret: Option<&str>,
        hash: Option<&str>,
        code: &str,
    ) -> bool {
        if let Some(hash) = hash.filter(|_| self.rules.has_hash) {
            let text = format!("{}|{code}", self.client_secret);
            let digest = digest::digest(&digest::SHA256, text.as_bytes());
            let wanted = crate::http::to_hex(digest.as_ref());
            return id == Some(&self.client_id) && hash == wanted;
        }
        let basic = request.header("authorization").and_then(|value| value.strip_prefix("Basic "));
        if let Some(basic) = basic {
            let wanted = STANDARD.encode(format!("{}:{}", self.client_id, self.client_secret));
            return basic == wanted;
        }
        id == Some(&self.client_id) && secret == Some(&self.client_secret)
    }

    /// Uses up a code. Returns the grant, and whether the response has its refresh token.
    fn exchange(
        &mut self,
        code: &str,
        redirect_uri: Option<&str>,
        verifier: Option<&str>,
    ) -> Option<(Grant, bool)> {
        let index = self.codes.iter().position(|known| known.text == code)?;
        let code = self.codes.remove(index);
        let proof = verifier.map(|verifier| {
            URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
        });
        let is_proved = code.challenge.is_none() || code.challenge == proof;
        if code.expires <= self.clock || redirect_uri != Some(&code.redirect_uri) || !is_proved {
            return None;
        }
        let mut grant = self.grant(&code.scope);
        if !code.is_offline {
            grant.refresh = None;
            if let Some(last) = self.grants.last_mut() {
                last.refresh = None;
            }
        }
        let has_refresh = grant.refresh.is_some();
        Some((grant, has_refresh))
    }

    /// Issues a new access token for a refresh token.
    fn refresh(&mut self, token: &str) -> Option<(Grant, bool)> {
        let is_of = |grant: &Grant| grant.refresh.as_deref() == Some(token);
        let old = self.grants.iter().find(|grant| is_of(grant) && !grant.is_revoked)?.clone();
        self.refreshes += 1;
        let mut grant = self.grant(&old.scope);
        match self.rules.rotation {
            Rotation::Stays => {
                grant.refresh = old.refresh;
                if let Some(last) = self.grants.last_mut() {
                    last.refresh.clone_from(&grant.refresh);
                }
                Some((grant, false))
            }
            Rotation::NewAndOld => Some((grant, true)),
            Rotation::OneUse => {
                self.grants.iter_mut().filter(|grant| is_of(grant)).for_each(|grant| {
                    grant.refresh = None;
                });
                Some((grant, true))
            }
        }
    }
}

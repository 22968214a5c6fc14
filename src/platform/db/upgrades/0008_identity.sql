-- == User provisioning: adds the given name and the family name of managed accounts.

-- Given name and family name at the identity provider, or null.
alter table managed_user add column given_name text;
alter table managed_user add column family_name text;

-- == Second factors of password accounts and their recovery codes.

-- Second factors of password accounts (TOTP, RFC 6238).
create table second_factor (
    user_id   text primary key references user (id) on delete cascade,
    -- Shared secret of 160 bits, encrypted with a key of the user.
    secret    blob not null,
    -- Time from which sign-ins need a code. Null until the user has entered the first code.
    confirmed integer,
    -- Step of the last accepted code, so that a code works once.
    last_step integer not null,
    created   integer not null
) strict, without rowid;

-- Unused recovery codes of second factors, as HMAC with the server key.
create table recovery_code (
    user_id text not null references second_factor (user_id) on delete cascade,
    hash    blob not null,
    primary key (user_id, hash)
) strict, without rowid;

-- == Scopes of API tokens. Those that exist permit everything.

-- The requests that the token permits.
alter table api_token
    add column scope text not null default 'full' check (scope in ('full', 'read', 'write', 'scim'));

-- == Single sign-on with SAML 2.0.

-- Address of a picture of a managed account at the identity provider, or null.
alter table managed_user add column avatar_url text;

-- Time at which a session ends at the latest because the session at the identity provider ends, or
-- null.
alter table session add column latest_end integer;

-- After a change of a role of the user, the next request gets a new cookie. The old one works for a
-- minute more, for requests that were sent before.
alter table session
    add column cookie text not null default 'current'
    check (cookie in ('current', 'outdated', 'replaced'));

-- Identity providers of organizations (SAML 2.0).
create table sso (
    org_id              text primary key references org (id) on delete cascade,
    -- Issuer of the responses.
    entity_id           text not null unique,
    -- One or two certificates in PEM format.
    certificate         text not null,
    sign_in_url         text not null,
    allow_idp_initiated integer not null check (allow_idp_initiated in (0, 1)),
    allow_relink        integer not null check (allow_relink in (0, 1)),
    -- Time of the last successful sign-in or test, or null.
    last_sign_in        integer,
    created             integer not null,
    updated             integer not null
) strict, without rowid;

-- Sent authentication requests without a response.
create table sso_request (
    -- Attribute `ID` of the request.
    id      text primary key,
    org_id  text not null references sso (org_id) on delete cascade,
    -- SHA-256 of the cookie of the browser that began the sign-in.
    browser blob not null,
    -- Path on this server to show after the sign-in.
    target  text not null,
    -- Administrator that tests the settings; null for a sign-in.
    tester  text references user (id) on delete cascade,
    expires integer not null
) strict, without rowid;
create index sso_request_org on sso_request (org_id);
create index sso_request_tester on sso_request (tester) where tester is not null;
create index sso_request_expires on sso_request (expires);

-- Accepted assertions that are still valid, so that each works once.
create table sso_seen (
    org_id       text not null references sso (org_id) on delete cascade,
    assertion_id text not null,
    expires      integer not null,
    primary key (org_id, assertion_id)
) strict, without rowid;
create index sso_seen_expires on sso_seen (expires);

-- One-time codes that end a sign-in in the browser that began it, by the SHA-256 of the code.
create table sso_code (
    hash            blob primary key,
    user_id         text not null references user (id) on delete cascade,
    -- SHA-256 of the cookie of the browser, or null if the identity provider began the sign-in.
    browser         blob,
    target          text not null,
    -- End of the session at the identity provider, or null.
    session_expires integer,
    expires         integer not null
) strict, without rowid;
create index sso_code_user on sso_code (user_id);
create index sso_code_expires on sso_code (expires);

-- The key that signs authentication requests: at most one row.
create table sso_key (
    id          integer primary key check (id = 1),
    -- PKCS #8, encrypted with the server key.
    private_key blob not null,
    -- Certificate in DER format.
    certificate blob not null,
    created     integer not null
) strict;

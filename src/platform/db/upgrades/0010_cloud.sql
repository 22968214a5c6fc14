-- == Connections to cloud storage.

-- Connections of users to their accounts at providers of cloud storage.
create table cloud_connection (
    id             text primary key,
    user_id        text not null references user (id) on delete cascade,
    provider       text not null
                   check (provider in ('box', 'dropbox', 'googledrive', 'onedrive', 'smartsheet')),
    -- Id of the account at the provider.
    account_key    text not null,
    email          text not null,
    title          text not null,
    -- Scopes that the user has granted, separated by spaces. Null if the provider does not tell them.
    scopes         text,
    -- Access token and refresh token, encrypted.
    tokens         blob not null,
    -- Time at which the access token expires.
    access_expires integer not null,
    -- Time at which the provider issued the tokens.
    refreshed      integer not null,
    -- Whether the user must permit the access again.
    needs_reauth   integer not null default 0 check (needs_reauth in (0, 1)),
    created        integer not null,
    unique (user_id, provider, account_key)
) strict;
create index cloud_connection_refreshed on cloud_connection (refreshed) where needs_reauth = 0;

-- Requests for access that wait for the user at the provider.
create table cloud_state (
    -- SHA-256 of the parameter `state`.
    hash     blob primary key,
    user_id  text not null references user (id) on delete cascade,
    -- SHA-256 of the cookie of the browser session that began the request.
    session  blob not null,
    provider text not null,
    -- Path to show afterwards.
    target   text not null,
    expires  integer not null
) strict, without rowid;
create index cloud_state_expires on cloud_state (expires);
create index cloud_state_user on cloud_state (user_id);

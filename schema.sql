-- Schema of a fresh database, in sections by owning part. Only its owner writes a table.
-- Older databases reach it by src/platform/db/upgrades/; a test compares both ways.
-- Rust provides ids and times. Times are milliseconds since 1970 UTC.

-- == platform

-- Facts about this database: `database_id` (UUID), `restore_epoch` (after a restore).
create table meta (
    key   text primary key,
    value text not null
) strict, without rowid;

-- Background tasks. Each row is written in the same transaction as its cause.
create table task (
    id         text primary key,
    name       text not null,
    -- JSON object.
    payload    text not null,
    -- At most one waiting task per name and subject.
    subject    text not null,
    run_at     integer not null,
    attempts   integer not null default 0,
    -- Message of the last failure.
    error      text,
    -- 1 after the last attempt failed: kept for the operator.
    dead       integer not null default 0 check (dead in (0, 1)),
    created    integer not null
) strict;
create unique index task_subject on task (name, subject) where dead = 0;
create index task_due on task (run_at) where dead = 0;

-- Responses to requests with an `Idempotency-Key`, kept for 24 hours.
create table idempotency (
    -- Signature of caller, method, path and key.
    key     blob primary key,
    -- SHA-256 of query and body.
    request blob not null,
    -- Status, headers and body, encrypted because a response may contain a secret.
    answer  blob not null,
    created integer not null
) strict, without rowid;
create index idempotency_created on idempotency (created);

-- == audit

-- Changes of organizations and of what they own, kept for 90 days. Ids grow with time.
create table audit_event (
    id          integer primary key autoincrement,
    org_id      text not null references org (id) on delete cascade,
    created     integer not null,
    -- Dotted word, such as `document.share`.
    action      text not null,
    actor_type  text not null check (actor_type in ('user', 'guest', 'scim', 'system', 'operator')),
    -- Account id, or empty. Name and address are those at the time of the event.
    actor_id    text not null,
    actor_name  text not null,
    actor_email text not null,
    -- Type, id and name of the changed object at the time of the event.
    target_type text not null,
    target_id   text not null,
    target_name text not null,
    ip_address  text not null,
    user_agent  text not null,
    -- JSON object.
    details     text not null
) strict;
create index audit_event_org on audit_event (org_id, created, id);
create index audit_event_action on audit_event (org_id, action, created, id);
create index audit_event_actor on audit_event (org_id, actor_id, created, id);
create index audit_event_target on audit_event (org_id, target_id, action, created);
create index audit_event_created on audit_event (created);

-- == accounts

-- One id space for users and organizations, because both can own nodes.
create table account (
    id      text primary key,
    type    text not null check (type in ('user', 'org')),
    created integer not null
) strict, without rowid;

create table user (
    id             text primary key references account (id),
    email          text not null,
    -- Mail address in lower case; unique.
    email_key      text not null unique,
    -- Slug that also names the account in paths.
    username       text not null unique,
    name           text not null,
    -- Argon2id in PHC format; null without a password.
    password_hash  text,
    operator       integer not null default 0 check (operator in (0, 1)),
    disabled       integer not null default 0 check (disabled in (0, 1)),
    -- JSON layout preset of new documents, or null.
    default_layout text,
    created        integer not null,
    updated        integer not null,
    -- Tag of the language of the pages; null if the browser decides.
    language       text
) strict, without rowid;

-- Time of the last authenticated request of each user, precise to a few minutes.
create table account_activity (
    account   text primary key references account (id) on delete cascade,
    last_seen integer not null
) strict, without rowid;

-- One-time links with which a user sets a password, by the SHA-256 of the token.
create table password_link (
    hash    blob primary key,
    user_id text not null references user (id) on delete cascade,
    -- `account` for a managed account, `reset` for a forgotten password.
    purpose text not null check (purpose in ('account', 'reset')),
    created integer not null,
    expires integer not null
) strict, without rowid;
create index password_link_user on password_link (user_id);
create index password_link_expires on password_link (expires);

-- Personal API tokens, by the SHA-256 of the token.
create table api_token (
    hash    blob primary key,
    id      text not null unique,
    user_id text not null references user (id) on delete cascade,
    name    text not null,
    -- First characters of the token, so that its owner recognizes it.
    hint    text not null,
    created integer not null,
    expires integer,
    -- Time of the last request, precise to a few minutes. Null before the first one.
    last_used integer,
    -- The requests that the token permits.
    scope   text not null default 'full' check (scope in ('full', 'read', 'write', 'scim'))
) strict, without rowid;
create index api_token_user on api_token (user_id, created);

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

-- Browser sessions, by the SHA-256 of the cookie.
create table session (
    hash       blob primary key,
    id         text not null unique,
    user_id    text not null references user (id) on delete cascade,
    created    integer not null,
    -- Time of the last request, precise to a few minutes.
    last_used  integer not null,
    expires    integer not null,
    -- How the user signed in.
    method     text not null check (method in ('password', 'setup', 'invite', 'password_link', 'sso')),
    -- Address of the client that signed in. Empty if unknown.
    ip_address text not null,
    user_agent text not null,
    -- Time at which the session ends at the latest because the session at the identity provider ends,
    -- or null.
    latest_end integer,
    -- After a change of a role of the user, the next request gets a new cookie. The old one works for a
    -- minute more, for requests that were sent before.
    cookie     text not null default 'current' check (cookie in ('current', 'outdated', 'replaced'))
) strict, without rowid;
create index session_user on session (user_id, created);
create index session_expires on session (expires);

-- Kinds of mails about actions of other people that a user does not want.
create table muted_notification (
    user_id text not null references user (id) on delete cascade,
    kind    text not null,
    primary key (user_id, kind)
) strict, without rowid;

-- One-time links that create the first operator, by the SHA-256 of the token.
create table setup_link (
    hash    blob primary key,
    created integer not null,
    expires integer not null
) strict, without rowid;

-- == tree

-- Nodes: documents and folders. The path of a folder is the list of names from the root.
create table node (
    id         text primary key,
    type       text not null check (type in ('document', 'folder')),
    owner      text not null references account (id),
    -- Parent folder; null for the root of the owner.
    parent     text references node (id),
    -- Title of a document, last path segment of a folder.
    title      text not null,
    -- Title without case and accents, for sorting and filtering.
    title_key  text not null,
    created    integer not null,
    updated    integer not null,
    updated_by text not null,
    -- Time of the move to the trash, or null. Nodes below a folder in the trash are in it too.
    deleted    integer,
    -- Root of the move to the trash that included this node: itself or a folder above. Null outside
    -- the trash. `copy:` and an id in the nodes of an unfinished copy with that id, which are hidden.
    trash_root text,
    -- Absolute path of the former folder; only for a node that was itself moved to the trash.
    trash_path text,
    -- Counts every change; part of the entity tag.
    revision   integer not null,
    -- Change number, unique among all nodes; followers such as the search index continue after it.
    change     integer not null,
    -- Size in bytes with content, versions and comments, as counted for the limit of the owner.
    stored_bytes integer not null default 0
) strict;
create unique index node_folder on node (owner, ifnull(parent, ''), title)
    where type = 'folder' and deleted is null;
-- Folders of a folder, by title.
create index node_folders on node (owner, parent, title_key, id, type, deleted)
    where type = 'folder' and deleted is null;
-- Documents of a folder, by time.
create index node_parent on node (parent, type, deleted, updated, id);
create index node_root on node (owner, type, deleted, updated, id, parent) where parent is null;
-- Most recently changed nodes of an account.
create index node_newest on node (owner, type, deleted, updated);
create index node_change on node (change);
create index node_trash on node (trash_root) where trash_root is not null;
-- Trash of an account.
create index node_trashed on node (owner, deleted, id, trash_root) where trash_root = id;
-- Roots in the trash, by former folder and by time.
create index node_trash_path on node (owner, trash_path, title) where trash_path is not null;
create index node_purge on node (deleted) where trash_path is not null;

-- Permanently removed nodes, for followers of the change numbers.
create table gone (
    id     text primary key,
    change integer not null
) strict, without rowid;
create index gone_change on gone (change);

-- Total of `stored_bytes` of the nodes of each account, including those in the trash.
create table storage_usage (
    owner text primary key references account (id) on delete cascade,
    bytes integer not null
) strict, without rowid;

-- == portfolio

create table favorite (
    user_id text not null references user (id) on delete cascade,
    -- UUID of the chart kind.
    kind    text not null,
    created integer not null,
    primary key (user_id, kind)
) strict, without rowid;

create table review (
    kind     text not null,
    user_id  text not null references user (id) on delete cascade,
    rating   integer not null check (rating between 1 and 5),
    feedback text not null,
    public   integer not null check (public in (0, 1)),
    created  integer not null,
    primary key (kind, user_id)
) strict, without rowid;

-- == orgs

create table org (
    id            text primary key references account (id),
    slug          text not null unique,
    name          text not null,
    plan          text not null check (plan in ('team', 'education', 'enterprise')),
    -- Null means unlimited.
    seats         integer check (seats >= 0),
    -- Set by the operator while payment is an issue.
    suspended     integer not null default 0 check (suspended in (0, 1)),
    default_theme text not null default 'light',
    -- JSON object of the settings that differ from their defaults.
    settings      text not null default '{}',
    created       integer not null,
    -- Whether the organization may invite addresses outside its verified domains.
    external_invites integer not null default 1 check (external_invites in (0, 1)),
    -- JSON object with prices and dates of the subscription, or null without one.
    subscription  text
) strict, without rowid;

create table member (
    org_id  text not null references org (id) on delete cascade,
    user_id text not null references user (id) on delete cascade,
    role    text not null check (role in ('admin', 'brand_manager', 'member')),
    created integer not null,
    -- Time at which an API token of the member last provisioned users (SCIM), precise to a few minutes.
    -- Null before the first time.
    scim_used integer,
    primary key (org_id, user_id)
) strict, without rowid;
create index member_user on member (user_id);

create table team (
    id      text primary key,
    org_id  text not null references org (id) on delete cascade,
    name    text not null,
    -- Folder of the team, open to its members and to administrators; null when removed.
    folder  text references node (id) on delete set null,
    created integer not null,
    unique (org_id, name)
) strict, without rowid;
create index team_folder on team (folder);

create table team_member (
    team_id text not null references team (id) on delete cascade,
    user_id text not null references user (id) on delete cascade,
    created integer not null,
    primary key (team_id, user_id)
) strict, without rowid;
create index team_member_user on team_member (user_id);

-- E-mail domains of organizations, in the ASCII form.
create table domain (
    org_id        text not null references org (id) on delete cascade,
    name          text not null,
    status        text not null check (status in ('pending', 'verified', 'failed')),
    -- Text of the TXT record that proves the ownership.
    record_value  text not null,
    -- JSON array of the values that the last lookup found.
    found         text not null default '[]',
    created       integer not null,
    last_checked  integer,
    verified_at   integer,
    -- First daily check without the record, or null.
    missing_since integer,
    -- Time of the mail about the missing record, or null.
    reported      integer,
    primary key (org_id, name)
) strict, without rowid;
create unique index domain_verified on domain (name) where status = 'verified';
create index domain_checked on domain (last_checked) where status = 'verified';

-- Themes of organizations.
create table theme (
    org_id     text not null references org (id) on delete cascade,
    name       text not null,
    -- JSON object.
    content    text not null,
    created    integer not null,
    updated    integer not null,
    updated_by text not null,
    primary key (org_id, name)
) strict;

-- Files of organizations that themes use: images and fonts.
create table asset (
    org_id       text not null references org (id) on delete cascade,
    filename     text not null,
    content_type text not null,
    -- Family name of a font, or null.
    family       text,
    -- Lowest and highest weight of a font from 1 to 1000, and whether it is italic, or null.
    min_weight   integer,
    max_weight   integer,
    italic       integer,
    size         integer not null,
    -- SHA-256 of the body.
    hash         blob not null,
    created      integer not null,
    updated      integer not null,
    -- The last column, because SQLite reads the pages of a body to get at a column after it.
    body         blob not null,
    primary key (org_id, filename)
) strict;

-- == access

-- Access entries: users, teams, addresses and links that may access a node and the nodes below it.
create table access_entry (
    id         text primary key,
    node       text not null references node (id) on delete cascade,
    type       text not null check (type in ('user', 'email', 'link', 'team')),
    mode       text not null check (mode in ('r', 'w')),
    -- For type `user`.
    user_id    text references user (id) on delete cascade,
    -- For type `team`.
    team_id    text references team (id) on delete cascade,
    -- For type `email`: the address as given, and in lower case.
    email      text,
    email_key  text,
    -- For types `link` and `email`: SHA-256 of the token. The server key derives the token from
    -- id and rotation.
    token_hash blob unique,
    rotation   integer not null default 0,
    created    integer not null,
    created_by text not null,
    expires    integer,
    last_used  integer
) strict, without rowid;
create index access_entry_node on access_entry (node);
create index access_entry_user on access_entry (user_id) where user_id is not null;
create index access_entry_team on access_entry (team_id) where team_id is not null;
create index access_entry_email on access_entry (email_key) where email_key is not null;
create index access_entry_by on access_entry (created_by, created);
create unique index access_entry_one on access_entry (node, type, ifnull(user_id, ifnull(team_id, email_key)))
    where type <> 'link';

-- Nodes that a user removed from their shared view although a team still shares them.
create table left_share (
    user_id text not null references user (id) on delete cascade,
    node    text not null references node (id) on delete cascade,
    primary key (user_id, node)
) strict, without rowid;
create index left_share_node on left_share (node);

-- == cloud

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

-- == sync_jobs

-- Sources that keep the data of documents up to date. A document has at most one.
create table sync_job (
    document      text primary key references document (id) on delete cascade,
    -- Different for each job, so that a run of a replaced job stores nothing.
    id            text not null,
    -- The user with the access that the runs have. Null after the account was deleted.
    creator       text references user (id) on delete set null,
    -- Address of the source.
    url           text not null,
    -- JSON object of settings that each run sets, or null.
    settings      text,
    sheet_name    text,
    sheet_id      text,
    -- Seconds between two runs, as the client gave them. 0: only on request.
    interval_sec  real not null,
    -- HH:MM in UTC, or null.
    time_of_day   text,
    -- Sunday is 0.
    day_of_week   integer,
    created       integer not null,
    -- Time shown as that of the next run. Null if the job does not run by itself.
    next_at       integer,
    -- Time from which a thread runs the job: `next_at` and an offset that spreads the load.
    due           integer,
    -- Time of the last successful download.
    downloaded_at integer,
    -- Reason of the last failure. Null after a success.
    error         text,
    -- Whether the job waits for a change of access or of the document, not of the source.
    is_stopped    integer not null default 0 check (is_stopped in (0, 1)),
    -- Number of failures in a row.
    failures      integer not null default 0,
    -- Time of the mail about the present failures. Null if there was none.
    told          integer,
    -- Time of the last mail about failures. Null before the first one.
    mailed        integer,
    -- Entity tag of the last download.
    etag          text,
    -- Revision of the document after the last download. Null before the first one.
    revision      integer,
    -- JSON array with the mapping of the columns in the last run.
    mapping       text,
    -- Name of the worksheet that the last run read. Null for a file without worksheets.
    found_sheet   text,
    -- Whether the file had no other visible worksheet.
    is_only_sheet integer not null default 0 check (is_only_sheet in (0, 1))
) strict;
create index sync_job_due on sync_job (due) where due is not null;
create index sync_job_creator on sync_job (creator);

-- Table that the last successful run of a job prepared: compressed JSON.
create table sync_data (
    document text primary key references sync_job (document) on delete cascade,
    body     blob not null
) strict;

-- == documents

-- Content of a document node except its data. JSON columns contain the text as sent.
create table document (
    id              text primary key references node (id) on delete cascade,
    -- Id of its records in `chunk`: the id of the document at first. Copies have the content of their
    -- source. A document with a shared content gets a new one when its records change.
    content         text not null,
    -- UUID of the chart kind.
    kind            text not null,
    settings        text not null,
    theme           text not null,
    custom_theme    text,
    style           text,
    -- Pre-rendered image that a client supplied, or null.
    svg             text,
    is_public       integer not null check (is_public in (0, 1)),
    schema_version  integer not null,
    record_count    integer not null,
    data_bytes      integer not null,
    -- Number of the newest version; add-record counts too.
    history_version integer not null
) strict;
create index document_kind on document (kind);
-- Few documents are in it, because most are no copies and have their id as content.
create index document_content on document (content) where content <> id;

-- Records of `data` as JSON text, joined by commas, in chunks, so that a change writes one page.
create table chunk (
    content text not null,
    -- Index of the first record of the chunk.
    first   integer not null,
    count   integer not null,
    body    text not null,
    primary key (content, first)
) strict;
-- The last document with a content deletes its chunks. Cascades fire these triggers too, but
-- `replace into document` would not, because `recursive_triggers` is off.
create trigger document_deleted after delete on document
when not exists (select 1 from document where content = old.content and content <> id)
    and not exists (select 1 from document where id = old.content and content = id)
begin
    delete from chunk where content = old.content;
end;
create trigger document_content_changed after update of content on document
when not exists (select 1 from document where content = old.content and content <> id)
    and not exists (select 1 from document where id = old.content and content = id)
begin
    delete from chunk where content = old.content;
end;

-- Origin of a document that is a copy.
create table copy (
    id      text primary key references document (id) on delete cascade,
    -- Original document, which may be gone.
    source  text not null,
    action  text not null check (action in ('fork', 'duplicate')),
    created integer not null
) strict, without rowid;
create index copy_source on copy (source, action);

-- Newest download token per creator and document, so that a repeated request returns it again.
create table download_token (
    document text not null references document (id) on delete cascade,
    -- Access that the token grants: an account id, `~` and the hash of a share token, or `-`.
    maker    text not null,
    -- Content of the token; the server key derives the token from it.
    text     text not null,
    expires  integer not null,
    primary key (document, maker)
) strict, without rowid;
create index download_token_expires on download_token (expires);

-- Versions of a document. The document itself is the content of the newest one. The content of an
-- older one is in `body`. If only records were appended afterwards, `body` is null, and the content
-- is that of the next version with a body (or of the document) with its first `record_count` records.
create table version (
    document     text not null references document (id) on delete cascade,
    -- Counts from 1 in each document.
    number       integer not null,
    -- Times of the first and the last save: saves in quick succession form one version.
    began        integer not null,
    saved        integer not null,
    -- Account id; empty for a guest.
    author       text not null,
    channel      text not null check (channel in ('web', 'api', 'sync', 'restore')),
    title        text not null,
    -- Name given by a person; named versions are kept permanently.
    name         text,
    record_count integer not null,
    -- Content as JSON, compressed by zstd with the content of version `base` as prefix.
    body         blob,
    -- Earlier version with an independent body; null if this body is independent.
    base         integer,
    -- 1 if no later save may be added to this version.
    closed       integer not null check (closed in (0, 1)),
    -- 1 if thinning has considered this version and kept it.
    thinned      integer not null default 0 check (thinned in (0, 1)),
    primary key (document, number)
) strict;
-- Finds the content of a version without a body.
create index version_body on version (document, number) where body is not null;
-- Finds the base of the next body.
create index version_base on version (document, number) where body is not null and base is null;
-- Finds the next versions to thin out, by `began`, which no save changes.
create index version_began on version (began) where thinned = 0;

-- == stars

-- Documents that users have starred.
create table star (
    user_id  text not null references user (id) on delete cascade,
    document text not null references document (id) on delete cascade,
    created  integer not null,
    primary key (user_id, document)
) strict, without rowid;
create index star_document on star (document);

-- == comments

-- Comment threads, each at one position on the canvas of a document.
create table thread (
    id       text primary key,
    document text not null references document (id) on delete cascade,
    -- Account id; the account may be gone.
    author   text not null,
    created  integer not null,
    -- Canvas coordinates, in points.
    x        real not null,
    y        real not null,
    resolved integer not null default 0 check (resolved in (0, 1))
) strict, without rowid;
create index thread_document on thread (document, created, id);

create table comment (
    id      text primary key,
    thread  text not null references thread (id) on delete cascade,
    -- Account id; the account may be gone.
    author  text not null,
    -- JSON array of parts; a mention contains the name at the time of writing.
    content text not null,
    created integer not null,
    -- Time of the last edit, or null.
    updated integer
) strict;
create index comment_thread on comment (thread, created, id);

-- Users who have received, or will receive, a mail because a comment mentions them.
create table mention (
    comment text not null references comment (id) on delete cascade,
    user_id text not null references user (id) on delete cascade,
    primary key (comment, user_id)
) strict, without rowid;
create index mention_user on mention (user_id);

-- == casting

-- Cast sessions: screens that show a document.
create table cast_session (
    id            text primary key,
    document      text not null references document (id) on delete cascade,
    -- SHA-256 of the token, which the server key derives from the id.
    token_hash    blob not null unique,
    -- Name of the screen, given by its creator.
    device_name   text not null,
    -- Account that the screen reads as.
    created_by    text not null references user (id) on delete cascade,
    created       integer not null,
    -- Last activity, precise to a few minutes: the session expires 24 hours later.
    last_activity integer not null,
    -- Time of the revocation, or null.
    revoked       integer,
    -- Time of the document state that the screen displays, or null before its first report.
    drawn         integer
) strict, without rowid;
create index cast_session_document on cast_session (document, created);
create index cast_session_user on cast_session (created_by);
create index cast_session_activity on cast_session (last_activity);

-- Screens that display a pairing code and wait for a user to choose a document.
create table cast_pairing (
    -- Signature of the code with the server key, because a plain hash of few codes is reversible.
    code_hash blob primary key,
    -- SHA-256 of the token with which the screen polls.
    poll_hash blob not null unique,
    created   integer not null,
    expires   integer not null,
    -- Account that entered the code.
    session   text references cast_session (id) on delete cascade
) strict, without rowid;
create index cast_pairing_expires on cast_pairing (expires);
create index cast_pairing_session on cast_pairing (session) where session is not null;

-- == people

-- Accounts that belong to an organization, which manages them.
create table managed_user (
    user_id text primary key references user (id) on delete cascade,
    org_id  text not null references org (id) on delete cascade,
    -- Identifier at the identity provider, or null.
    sso_id  text,
    -- Time of the removal: the account is disabled but can be restored. Null while it is active.
    removed integer,
    -- Whether the operator had disabled the account before its removal.
    was_disabled integer not null default 0 check (was_disabled in (0, 1)),
    created integer not null,
    -- Given name and family name at the identity provider, or null.
    given_name  text,
    family_name text,
    -- Address of a picture of the account at the identity provider, or null.
    avatar_url  text
) strict, without rowid;
create unique index managed_user_sso on managed_user (org_id, sso_id) where sso_id is not null;
create index managed_user_org on managed_user (org_id, created);

-- Open invites to an organization. The server key derives the token from id and rotation.
create table invite (
    id         text primary key,
    org_id     text not null references org (id) on delete cascade,
    -- Address as given, and in lower case.
    email      text not null,
    email_key  text not null,
    role       text not null check (role in ('admin', 'brand_manager', 'member')),
    -- Text that the mail contains.
    message    text not null,
    token_hash blob not null unique,
    -- Number of tokens before the present one.
    rotation   integer not null,
    -- Account id; the account may be gone. Empty for the command line.
    invited_by text not null,
    created    integer not null,
    last_sent  integer not null,
    expires    integer not null,
    unique (org_id, email_key)
) strict, without rowid;
create index invite_email on invite (email_key);
create index invite_expires on invite (expires);

-- Confirmations of seats that were used, by SHA-256, so that each works once.
create table used_confirmation (
    hash    blob primary key,
    expires integer not null
) strict, without rowid;
create index used_confirmation_expires on used_confirmation (expires);

-- == sso

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

-- == me

-- Uploaded avatars of users.
create table avatar (
    user_id text primary key references user (id) on delete cascade,
    -- Square PNG of at most 256 pixels, encoded by the server.
    body    blob not null,
    -- Hash of the body, part of the entity tag.
    tag     text not null
) strict;

-- Version 1, the first released schema.
-- The schema of a fresh database, in sections by owning part. A table is written by its owner only.
-- Older databases get here by src/platform/db/upgrades/; a test compares the two.
-- Ids and times come from the program: times are milliseconds since 1970 UTC.

-- == platform

-- Facts about this database: `database_id` (UUID) so far.
create table meta (
    key   text primary key,
    value text not null
) strict, without rowid;

-- Work to do after a commit; written in the same transaction as its cause.
create table task (
    id         text primary key,
    name       text not null,
    -- JSON.
    payload    text not null,
    -- At most one waiting task for one name and subject.
    subject    text not null,
    run_at     integer not null,
    attempts   integer not null default 0,
    -- Text of the last failure.
    error      text,
    -- Given up after the last attempt: kept for the operator to see.
    dead       integer not null default 0 check (dead in (0, 1)),
    created    integer not null
) strict;
create unique index task_subject on task (name, subject) where dead = 0;
create index task_due on task (run_at) where dead = 0;

-- Answers to requests that came with an `Idempotency-Key`, kept for a day.
create table idempotency (
    -- Signature of caller, method, path and key.
    key     blob primary key,
    -- SHA-256 of query and body.
    request blob not null,
    -- What was answered: status, headers and body, encrypted, for it may hold a secret.
    answer  blob not null,
    created integer not null
) strict, without rowid;
create index idempotency_created on idempotency (created);

-- == accounts

-- One id space for whoever can own things.
create table account (
    id      text primary key,
    type    text not null check (type in ('user', 'org')),
    created integer not null
) strict, without rowid;

create table user (
    id             text primary key references account (id),
    email          text not null,
    -- The address in lower case: one account an address.
    email_key      text not null unique,
    -- The slug under which the account can be named.
    username       text not null unique,
    name           text not null,
    -- Argon2id, PHC form; null while no password is set.
    password_hash  text,
    operator       integer not null default 0 check (operator in (0, 1)),
    disabled       integer not null default 0 check (disabled in (0, 1)),
    -- JSON layout preset of new documents, or null.
    default_layout text,
    created        integer not null,
    updated        integer not null
) strict, without rowid;

-- Personal API tokens, by the SHA-256 of the token.
create table api_token (
    hash    blob primary key,
    id      text not null unique,
    user_id text not null references user (id) on delete cascade,
    name    text not null,
    -- The first characters, for its owner to tell tokens apart.
    hint    text not null,
    created integer not null,
    expires integer
) strict, without rowid;
create index api_token_user on api_token (user_id, created);

-- Sessions of the pages, by the SHA-256 of the cookie.
create table session (
    hash       blob primary key,
    user_id    text not null references user (id) on delete cascade,
    created    integer not null,
    expires    integer not null,
    user_agent text not null
) strict, without rowid;
create index session_user on session (user_id);
create index session_expires on session (expires);

-- One-time links that make the first operator, by the SHA-256 of the link's token.
create table setup_link (
    hash    blob primary key,
    created integer not null,
    expires integer not null
) strict, without rowid;

-- == tree

-- Where documents and folders are. A folder's path is the names from the root down.
create table node (
    id         text primary key,
    type       text not null check (type in ('document', 'folder')),
    owner      text not null references account (id),
    -- The folder it is in; null is the owner's root.
    parent     text references node (id),
    -- Title of a document, last path segment of a folder.
    title      text not null,
    -- The title with case and accents folded: what lists are sorted and filtered by.
    title_key  text not null,
    created    integer not null,
    updated    integer not null,
    updated_by text not null,
    -- In the trash since; null when not. What is below a folder in the trash is in it too.
    deleted    integer,
    -- What was put into the trash and took this along: itself, or a folder above. Null when not in
    -- the trash.
    trash_root text,
    -- Absolute path of the folder from which it was put into the trash: only of a trash root.
    trash_path text,
    -- Counts every change: part of the entity tag.
    revision   integer not null,
    -- Number of the last change among those of all nodes: where whoever keeps a copy goes on.
    change     integer not null
) strict;
create unique index node_folder on node (owner, ifnull(parent, ''), title)
    where type = 'folder' and deleted is null;
-- Pages of a folder's folders, by title.
create index node_folders on node (owner, parent, title_key, id, type, deleted)
    where type = 'folder' and deleted is null;
-- Pages of a folder's documents, by time.
create index node_parent on node (parent, type, deleted, updated, id);
create index node_root on node (owner, type, deleted, updated, id, parent) where parent is null;
-- What changed last among an account's things.
create index node_newest on node (owner, type, deleted, updated);
create index node_change on node (change);
create index node_trash on node (trash_root) where trash_root is not null;
-- Pages of an account's trash.
create index node_trashed on node (owner, deleted, id, trash_root) where trash_root = id;
-- What was put into the trash, by where it was, and by when.
create index node_trash_path on node (owner, trash_path, title) where trash_path is not null;
create index node_purge on node (deleted) where trash_path is not null;

-- Nodes that are gone for good, for whoever keeps a copy.
create table gone (
    id     text primary key,
    change integer not null
) strict, without rowid;
create index gone_change on gone (change);

-- == orgs

create table org (
    id            text primary key references account (id),
    slug          text not null unique,
    name          text not null,
    plan          text not null check (plan in ('team', 'education', 'enterprise')),
    -- Null is unlimited.
    seats         integer check (seats >= 0),
    -- Set by the operator while payment is an issue.
    suspended     integer not null default 0 check (suspended in (0, 1)),
    default_theme text not null default 'light',
    -- JSON object of the settings that differ from their defaults.
    settings      text not null default '{}',
    created       integer not null
) strict, without rowid;

create table member (
    org_id  text not null references org (id) on delete cascade,
    user_id text not null references user (id) on delete cascade,
    role    text not null check (role in ('admin', 'brand_manager', 'member')),
    created integer not null,
    primary key (org_id, user_id)
) strict, without rowid;
create index member_user on member (user_id);

create table team (
    id      text primary key,
    org_id  text not null references org (id) on delete cascade,
    name    text not null,
    -- Its folder, open to its members and the organization's admins only; null when removed.
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

-- == access

-- Who else may read or change a node and what is below it.
create table access_entry (
    id         text primary key,
    node       text not null references node (id) on delete cascade,
    type       text not null check (type in ('user', 'email', 'link', 'team')),
    mode       text not null check (mode in ('r', 'w')),
    -- Of type `user`.
    user_id    text references user (id) on delete cascade,
    -- Of type `team`.
    team_id    text references team (id) on delete cascade,
    -- Of type `email`: the address as it was given, and in lower case.
    email      text,
    email_key  text,
    -- Of types `link` and `email`: SHA-256 of the token, which the server key gives again from id
    -- and rotation.
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

-- What somebody took off his list of things shared with him though a team still shares it.
create table left_share (
    user_id text not null references user (id) on delete cascade,
    node    text not null references node (id) on delete cascade,
    primary key (user_id, node)
) strict, without rowid;
create index left_share_node on left_share (node);

-- == portfolio

create table favorite (
    user_id text not null references user (id) on delete cascade,
    -- The kind's UUID.
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

-- == documents

-- The content of a document node, but for its data. JSON columns hold the text as it was sent.
create table document (
    id              text primary key references node (id) on delete cascade,
    -- The kind's UUID.
    kind            text not null,
    settings        text not null,
    theme           text not null,
    custom_theme    text,
    style           text,
    -- A pre-rendered picture that a client supplied, or null.
    svg             text,
    is_public       integer not null check (is_public in (0, 1)),
    schema_version  integer not null,
    record_count    integer not null,
    data_bytes      integer not null,
    -- Number of the newest version; add-record counts too.
    history_version integer not null
) strict;
create index document_kind on document (kind);

-- The records of `data` as JSON text, joined by commas, in chunks: a change touches one page.
create table chunk (
    document text not null references document (id) on delete cascade,
    -- Index of the chunk's first record.
    first    integer not null,
    count    integer not null,
    body     text not null,
    primary key (document, first)
) strict;

-- How a document came about that is a copy of another.
create table copy (
    id      text primary key references document (id) on delete cascade,
    -- The original, which may be gone.
    source  text not null,
    action  text not null check (action in ('fork', 'duplicate')),
    created integer not null
) strict, without rowid;
create index copy_source on copy (source, action);

-- The newest download token that somebody made for a document: what he is shown again.
create table download_token (
    document text not null references document (id) on delete cascade,
    -- Whose access it lends: an account's id, `~` and the hash of a share link's token, or `-`.
    maker    text not null,
    -- What it says; with the server key, this gives the token again.
    text     text not null,
    expires  integer not null,
    primary key (document, maker)
) strict, without rowid;
create index download_token_expires on download_token (expires);

-- The versions of a document. The newest one's content is the document itself. An older one's is in
-- `body`, or, where nothing but records was appended afterwards, in the next version that has a body
-- (or in the document), of whose records it has the first `record_count`.
create table version (
    document     text not null references document (id) on delete cascade,
    -- Counts from 1 in each document.
    number       integer not null,
    -- When it was saved first and last: saves in quick succession fold into one version.
    began        integer not null,
    saved        integer not null,
    -- Account id; empty for a guest.
    author       text not null,
    channel      text not null check (channel in ('web', 'api', 'sync', 'restore')),
    title        text not null,
    -- Given by a person; such a version is never thinned out.
    name         text,
    record_count integer not null,
    -- zstd of the content as JSON, with the content of version `base` as prefix.
    body         blob,
    -- A version before this one whose body stands for itself; null: this one's does.
    base         integer,
    -- No later save folds into it.
    closed       integer not null check (closed in (0, 1)),
    -- Looked at when it had become old, and kept.
    thinned      integer not null default 0 check (thinned in (0, 1)),
    primary key (document, number)
) strict;
-- Where the content of a version without a body is.
create index version_body on version (document, number) where body is not null;
-- What the next body can be written against.
create index version_base on version (document, number) where body is not null and base is null;
-- What becomes old next. By `began`, which no save changes.
create index version_began on version (began) where thinned = 0;

-- == comments

-- What is said about one place on a document's canvas.
create table thread (
    id       text primary key,
    document text not null references document (id) on delete cascade,
    -- Account id; there may be no such account any more.
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
    -- Account id; there may be no such account any more.
    author  text not null,
    -- JSON array of parts; a mention has the name that was known when it was written.
    content text not null,
    created integer not null,
    -- When it was last edited.
    updated integer
) strict;
create index comment_thread on comment (thread, created, id);

-- Who has been told by mail, or is about to be, that a comment mentions him.
create table mention (
    comment text not null references comment (id) on delete cascade,
    user_id text not null references user (id) on delete cascade,
    primary key (comment, user_id)
) strict, without rowid;
create index mention_user on mention (user_id);

-- == casting

-- Screens that show a document to whoever looks at them.
create table cast_session (
    id            text primary key,
    document      text not null references document (id) on delete cascade,
    -- SHA-256 of the token, which the server key gives again from the id.
    token_hash    blob not null unique,
    -- What its maker calls the screen.
    device_name   text not null,
    -- Whose access it lends.
    created_by    text not null references user (id) on delete cascade,
    created       integer not null,
    -- When the screen was last heard of, to some minutes: it ends a day after that.
    last_activity integer not null,
    -- Ended by a person since.
    revoked       integer,
    -- When the document was changed to the state that the screen has told to show; null before that.
    drawn         integer
) strict, without rowid;
create index cast_session_document on cast_session (document, created);
create index cast_session_user on cast_session (created_by);
create index cast_session_activity on cast_session (last_activity);

-- Screens that show a code and wait for somebody to choose a document for them.
create table cast_pairing (
    -- Signature of the code with the server key: there are few codes, and a plain hash tells them.
    code_hash blob primary key,
    -- SHA-256 of the token by which the screen asks.
    poll_hash blob not null unique,
    created   integer not null,
    expires   integer not null,
    -- Whose code was entered.
    session   text references cast_session (id) on delete cascade
) strict, without rowid;
create index cast_pairing_expires on cast_pairing (expires);
create index cast_pairing_session on cast_pairing (session) where session is not null;

-- == rows

insert into meta values ('database_id', '00000000-0000-4000-8000-000000000001');
insert into account values ('1', 'user', 1000), ('Borg', 'org', 1000);
insert into user values ('1', 'Ann@example.org', 'ann@example.org', 'ann', 'Ann', null, 1, 0, null, 1000, 1000);
insert into org values ('Borg', 'borg', 'Borg', 'team', 5, 0, 'light', '{}', 1000);
insert into member values ('Borg', '1', 'admin', 1000);
insert into node values
    ('f', 'folder', '1', null, 'Folder', 'folder', 1000, 1000, '1', null, null, null, 1, 1),
    ('d', 'document', '1', 'f', 'Chart', 'chart', 1000, 1000, '1', null, null, null, 1, 2);
insert into document values ('d', 'bar', '{}', 'light', null, null, null, 0, 1, 3, 7, 1);
insert into chunk values ('d', 0, 2, '10,20'), ('d', 2, 1, '3');
insert into favorite values ('1', 'bar', 1000);
insert into task values ('t', 'documents.thumbnail', '{}', 'd', 1000, 0, null, 0, 1000);
insert into version values ('d', 1, 1000, 1000, '1', 'api', 'Chart', null, 3, null, null, 1, 0);

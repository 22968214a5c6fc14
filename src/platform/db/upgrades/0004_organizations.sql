-- Adds managed accounts, invites, domains, themes, assets and events of organizations, and the time
-- of the last request of each user.

create table account_activity (
    account   text primary key references account (id) on delete cascade,
    last_seen integer not null
) strict, without rowid;
create table password_link (
    hash    blob primary key,
    user_id text not null references user (id) on delete cascade,
    created integer not null,
    expires integer not null
) strict, without rowid;
create index password_link_user on password_link (user_id);
create index password_link_expires on password_link (expires);

alter table org add column external_invites integer not null default 1 check (external_invites in (0, 1));
alter table org add column subscription text;
create table managed_user (
    user_id text primary key references user (id) on delete cascade,
    org_id  text not null references org (id) on delete cascade,
    sso_id  text,
    removed integer,
    was_disabled integer not null default 0 check (was_disabled in (0, 1)),
    created integer not null
) strict, without rowid;
create unique index managed_user_sso on managed_user (org_id, sso_id) where sso_id is not null;
create index managed_user_org on managed_user (org_id, created);
create table invite (
    id         text primary key,
    org_id     text not null references org (id) on delete cascade,
    email      text not null,
    email_key  text not null,
    role       text not null check (role in ('admin', 'brand_manager', 'member')),
    message    text not null,
    token_hash blob not null unique,
    rotation   integer not null,
    invited_by text not null,
    created    integer not null,
    last_sent  integer not null,
    expires    integer not null,
    unique (org_id, email_key)
) strict, without rowid;
create index invite_email on invite (email_key);
create index invite_expires on invite (expires);
create table used_confirmation (
    hash    blob primary key,
    expires integer not null
) strict, without rowid;
create index used_confirmation_expires on used_confirmation (expires);
create table domain (
    org_id        text not null references org (id) on delete cascade,
    name          text not null,
    status        text not null check (status in ('pending', 'verified', 'failed')),
    record_value  text not null,
    found         text not null default '[]',
    created       integer not null,
    last_checked  integer,
    verified_at   integer,
    missing_since integer,
    reported      integer,
    primary key (org_id, name)
) strict, without rowid;
create unique index domain_verified on domain (name) where status = 'verified';
create index domain_checked on domain (last_checked) where status = 'verified';
create table theme (
    org_id     text not null references org (id) on delete cascade,
    name       text not null,
    content    text not null,
    created    integer not null,
    updated    integer not null,
    updated_by text not null,
    primary key (org_id, name)
) strict;
create table asset (
    org_id       text not null references org (id) on delete cascade,
    filename     text not null,
    content_type text not null,
    family       text,
    min_weight   integer,
    max_weight   integer,
    italic       integer,
    size         integer not null,
    hash         blob not null,
    created      integer not null,
    updated      integer not null,
    body         blob not null,
    primary key (org_id, filename)
) strict;

create table audit_event (
    id          integer primary key autoincrement,
    org_id      text not null references org (id) on delete cascade,
    created     integer not null,
    action      text not null,
    actor_type  text not null check (actor_type in ('user', 'guest', 'scim', 'system', 'operator')),
    actor_id    text not null,
    actor_name  text not null,
    actor_email text not null,
    target_type text not null,
    target_id   text not null,
    target_name text not null,
    ip_address  text not null,
    user_agent  text not null,
    details     text not null
) strict;
create index audit_event_org on audit_event (org_id, created, id);
create index audit_event_action on audit_event (org_id, action, created, id);
create index audit_event_actor on audit_event (org_id, actor_id, created, id);
create index audit_event_target on audit_event (org_id, target_id, action, created);
create index audit_event_created on audit_event (created);

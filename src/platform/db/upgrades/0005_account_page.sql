-- Adds public ids, last uses, methods and addresses of sessions, last uses of API tokens, notification
-- choices, avatars and the purpose of password links.

create table new_session (
    hash       blob primary key,
    id         text not null unique,
    user_id    text not null references user (id) on delete cascade,
    created    integer not null,
    last_used  integer not null,
    expires    integer not null,
    method     text not null check (method in ('password', 'setup', 'invite', 'password_link', 'sso')),
    ip_address text not null,
    user_agent text not null
) strict, without rowid;
-- The id of an old session is a UUID (version 8) made of the first half of its hash, which does not
-- lead back to the cookie. Its last use is known to the day, because the use of a session set the
-- expiry to 30 days later. A session ends 90 days after its begin, as for new sessions.
insert into new_session
select hash,
       substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-8' || substr(digits, 14, 3) || '-8'
           || substr(digits, 18, 3) || '-' || substr(digits, 21, 12),
       user_id, created,
       max(created, expires - 2592000000),
       min(expires, created + 7776000000),
       'password', '', user_agent
from (select *, lower(substr(hex(hash) || '00000000000000000000000000000000', 1, 32)) as digits
      from session);
drop table session;
alter table new_session rename to session;
create index session_user on session (user_id, created);
create index session_expires on session (expires);

alter table api_token add column last_used integer;

create table new_password_link (
    hash    blob primary key,
    user_id text not null references user (id) on delete cascade,
    purpose text not null check (purpose in ('account', 'reset')),
    created integer not null,
    expires integer not null
) strict, without rowid;
insert into new_password_link select hash, user_id, 'account', created, expires from password_link;
drop table password_link;
alter table new_password_link rename to password_link;
create index password_link_user on password_link (user_id);
create index password_link_expires on password_link (expires);

create table muted_notification (
    user_id text not null references user (id) on delete cascade,
    kind    text not null,
    primary key (user_id, kind)
) strict, without rowid;

create table avatar (
    user_id text primary key references user (id) on delete cascade,
    body    blob not null,
    tag     text not null
) strict;

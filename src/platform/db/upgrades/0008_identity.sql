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

-- Adds stars of users on documents.

-- Documents that users have starred.
create table star (
    user_id  text not null references user (id) on delete cascade,
    document text not null references document (id) on delete cascade,
    created  integer not null,
    primary key (user_id, document)
) strict, without rowid;
create index star_document on star (document);

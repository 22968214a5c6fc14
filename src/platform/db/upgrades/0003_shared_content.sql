-- Lets copies of a document share its records: chunks belong to a content instead of a document.

create table new_document (
    id              text primary key references node (id) on delete cascade,
    content         text not null,
    kind            text not null,
    settings        text not null,
    theme           text not null,
    custom_theme    text,
    style           text,
    svg             text,
    is_public       integer not null check (is_public in (0, 1)),
    schema_version  integer not null,
    record_count    integer not null,
    data_bytes      integer not null,
    history_version integer not null
) strict;
insert into new_document
select id, id, kind, settings, theme, custom_theme, style, svg, is_public, schema_version,
       record_count, data_bytes, history_version
from document order by rowid;
drop table document;
alter table new_document rename to document;
create index document_kind on document (kind);
create index document_content on document (content);

-- The rows of `chunk` stay the same: the first column gets another name and loses its foreign key.
-- A rebuild would rewrite almost the whole database.
pragma writable_schema = on;
update sqlite_schema
set sql = 'CREATE TABLE chunk (
    content text not null,
    first   integer not null,
    count   integer not null,
    body    text not null,
    primary key (content, first)
) strict'
where type = 'table' and name = 'chunk';
pragma writable_schema = reset;

create trigger document_deleted after delete on document
when not exists (select 1 from document where content = old.content)
begin
    delete from chunk where content = old.content;
end;
create trigger document_content_changed after update of content on document
when not exists (select 1 from document where content = old.content)
begin
    delete from chunk where content = old.content;
end;

-- Adds the size of the content of each node and the total of each account.

alter table node add column stored_bytes integer not null default 0;

create table storage_usage (
    owner text primary key references account (id) on delete cascade,
    bytes integer not null
) strict, without rowid;

update node set stored_bytes = 1024
    + ifnull((select data_bytes + octet_length(settings) + ifnull(octet_length(style), 0)
                     + ifnull(octet_length(custom_theme), 0) + ifnull(octet_length(svg), 0)
              from document where document.id = node.id), 0)
    + ifnull((select sum(256 + ifnull(octet_length(body), 0))
              from version where version.document = node.id), 0)
    + ifnull((select sum(256) from thread where thread.document = node.id), 0)
    + ifnull((select sum(256 + octet_length(content))
              from thread join comment on comment.thread = thread.id
              where thread.document = node.id), 0);

insert into storage_usage (owner, bytes)
select owner, sum(stored_bytes) from node group by owner;

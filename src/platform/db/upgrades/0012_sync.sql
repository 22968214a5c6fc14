-- Counts the prepared data of sources for the storage limits.

update node
set stored_bytes = stored_bytes + (select length(body) from sync_data where document = node.id)
where id in (select document from sync_data);
update storage_usage
set bytes = bytes + (select sum(length(body))
                     from sync_data join node on node.id = sync_data.document
                     where node.owner = storage_usage.owner)
where owner in (select node.owner from sync_data join node on node.id = sync_data.document);

-- Remembers the worksheet of a source by its name. The next run downloads the file again to learn it.

alter table sync_job add column found_sheet text;
alter table sync_job add column is_only_sheet integer not null default 0 check (is_only_sheet in (0, 1));
update sync_job set etag = null where sheet_id is not null;

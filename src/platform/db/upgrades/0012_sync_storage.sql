-- Counts the prepared data of sources for the storage limits.

update node
set stored_bytes = stored_bytes + (select length(body) from sync_data where document = node.id)
where id in (select document from sync_data);
update storage_usage
set bytes = bytes + (select sum(length(body))
                     from sync_data join node on node.id = sync_data.document
                     where node.owner = storage_usage.owner)
where owner in (select node.owner from sync_data join node on node.id = sync_data.document);

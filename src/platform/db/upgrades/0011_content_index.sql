-- Indexes only the contents of copies. The content of other documents is their id.

drop index document_content;
create index document_content on document (content) where content <> id;

drop trigger document_deleted;
create trigger document_deleted after delete on document
when not exists (select 1 from document where content = old.content and content <> id)
    and not exists (select 1 from document where id = old.content and content = id)
begin
    delete from chunk where content = old.content;
end;
drop trigger document_content_changed;
create trigger document_content_changed after update of content on document
when not exists (select 1 from document where content = old.content and content <> id)
    and not exists (select 1 from document where id = old.content and content = id)
begin
    delete from chunk where content = old.content;
end;

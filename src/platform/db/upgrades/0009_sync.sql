-- == Warning before administrators leave that provision users.

-- Time at which an API token of the member last provisioned users (SCIM), precise to a few minutes. Null
-- before the first time.
alter table member add column scim_used integer;

-- Adds the language that a user has chosen for the pages.

-- Tag of the language of the pages; null if the browser decides.
alter table user add column language text;

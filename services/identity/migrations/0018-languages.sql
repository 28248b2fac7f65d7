-- Up Migration

-- What somebody reads, and is mailed in. Empty until they register on a page or say so.
alter table people add column language text constraint people_language_check check (language in ('en', 'ms'));

-- Down Migration
alter table people drop column language;

-- Up Migration

-- Of the shape of `data`, which each type of event counts for itself.
alter table events add column schema_version smallint not null default 1;

-- Down Migration
alter table events drop column schema_version;

-- Up Migration

-- Since when an event that was put aside waits to be tried again; null while it is only kept.
alter table dead_letters add column retry_at timestamptz;

-- Down Migration
alter table dead_letters drop column retry_at;

-- Up Migration

-- An administrator who wrote it into the conversation of two others, in place of its sender.
alter table messages add column author_id bigint;

-- Down Migration
alter table messages drop column author_id;

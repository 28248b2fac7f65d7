-- Up Migration

-- Files that were sent, and those that are being sent (without a message). Not a projection: they are in no event, so that they can be erased.
create table message_files (
  storage_key uuid primary key,
  message_id bigint unique,
  uploader_id bigint not null,
  -- What the uploader calls it.
  name text not null,
  format text not null check (format in ('webp', 'pdf', 'doc', 'docx')),
  bytes integer not null,
  width_px integer,
  height_px integer,
  created_at timestamptz not null default clock_timestamp()
);
create index message_files_of on message_files (uploader_id) include (bytes);
create index message_files_unsent on message_files (created_at) where message_id is null;

-- Down Migration
drop table message_files;

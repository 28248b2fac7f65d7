-- Up Migration

-- Files of pictures that are being written, until a picture has them. What nobody has by then is what a crash left behind.
create table unclaimed_files (
  storage_key uuid primary key,
  -- When nobody can be writing it any more.
  removable_at timestamptz not null
);

-- Down Migration
drop table unclaimed_files;

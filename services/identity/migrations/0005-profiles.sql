-- Up Migration

-- Which file belongs to the name of somebody's picture or cover photo. `people` has the names.
create table profile_pictures (
  name text primary key,
  user_id bigint not null references people on delete cascade,
  kind text not null check (kind in ('avatar', 'cover')),
  storage_key uuid not null unique,
  width_px integer not null check (width_px > 0),
  unique (user_id, kind)
);

-- Files that belong to nobody: those that are being written, until they belong to somebody, and those whose row is gone.
create table unused_files (
  storage_key uuid primary key,
  -- When they may be removed; of one that is being written, when nobody can be writing it any more.
  removable_at timestamptz not null
);

-- Whatever takes a picture's row away, an erased person included, must not leave the file.
create function note_unused_file() returns trigger language plpgsql as $$
begin
  insert into unused_files (storage_key, removable_at) values (old.storage_key, now())
  on conflict (storage_key) do update set removable_at = excluded.removable_at;
  return null;
end
$$;
create trigger profile_picture_removed after delete on profile_pictures
  for each row execute function note_unused_file();

-- Down Migration
drop table profile_pictures, unused_files;
drop function note_unused_file;

-- Up Migration

-- Everybody as everybody may see them, for the page of their shop. Who was known before these columns were has no
-- `registered_at` until identity is asked. `version` is that of the last event of the person that is in the row.
alter table sellers
  add column shop_name text,
  add column location text,
  add column bio text,
  add column cover_photo text,
  add column is_seller boolean not null default false,
  add column is_email_verified boolean not null default false,
  add column registered_at timestamptz,
  add column version integer not null default 0;

alter table hidden_sellers add column closed_version integer not null default 0;

-- Read models that have been filled with what the stream of events does not hold any more; deleting a row has it filled again.
create table completed_fills (
  name text primary key,
  completed_at timestamptz not null default clock_timestamp()
);

-- Down Migration
drop table completed_fills;
alter table hidden_sellers drop column closed_version;
alter table sellers drop column version, drop column registered_at, drop column is_email_verified, drop column is_seller,
  drop column cover_photo, drop column bio, drop column location, drop column shop_name;

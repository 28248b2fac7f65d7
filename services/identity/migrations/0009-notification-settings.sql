-- Up Migration

-- Which mails somebody wants of those that can be turned off. Without a row: all.
create table notification_settings (
  user_id bigint primary key references people on delete cascade,
  sales boolean not null,
  new_reviews boolean not null,
  low_stock boolean not null,
  updated_at timestamptz not null
);

-- Down Migration
drop table notification_settings;

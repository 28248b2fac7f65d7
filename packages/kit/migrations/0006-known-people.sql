-- Up Migration

-- What is known of people from identity, as everybody may see them. Without a name: somebody who has deleted their account. Each version is that
-- of the newest event in the person's stream that said something of these columns; 0 while identity has said nothing.
create table known_people (
  user_id bigint primary key,
  username text,
  shop_name text,
  location text,
  bio text,
  profile_image text,
  cover_photo text,
  profile_version integer not null default 0,
  is_seller boolean not null default false,
  is_email_verified boolean not null default false,
  registered_at timestamptz,
  is_banned boolean not null default false,
  ban_version integer not null default 0,
  is_closed boolean not null default false,
  is_erased boolean not null default false,
  closing_version integer not null default 0
);
create index known_people_suspended on known_people (user_id) where is_banned or is_closed;

-- Down Migration
drop table known_people;

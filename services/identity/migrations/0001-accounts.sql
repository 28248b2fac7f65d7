-- Up Migration

create sequence user_ids;

-- What the log says about users. Emptied and filled again when it is rebuilt, so nothing may refer to it.
create table users (
  id bigint primary key,
  username text not null,
  is_seller boolean not null,
  is_admin boolean not null,
  is_banned boolean not null default false,
  registered_at timestamptz not null
);
create unique index users_by_username on users (lower(username));

-- What only the person and identity know. It is in no log and no event, so erasing a person is deleting one row.
create table people (
  user_id bigint primary key,
  auth_id uuid not null constraint people_auth_id_key unique,
  email text not null constraint people_email_key unique check (email = lower(email)),
  email_confirmed_at timestamptz,
  first_name text,
  last_name text,
  address text,
  profile_image text,
  avatar_url text,
  cover_photo text,
  shop_name text,
  location text,
  bio text,
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table credentials (
  user_id bigint primary key references people on delete cascade,
  password_hash text not null,
  changed_at timestamptz not null
);

-- The ways in which a person can prove to be themselves; `subject` is their id at that provider.
create table identities (
  id uuid primary key,
  user_id bigint not null references people on delete cascade,
  provider text not null,
  subject text not null,
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider, subject)
);
create index identities_by_user on identities (user_id);

-- A session's refresh tokens are not stored: each is its number, signed with the session's key.
create table sessions (
  id uuid primary key,
  user_id bigint not null references people on delete cascade,
  method text not null,
  authenticated_at timestamptz not null,
  refresh_key text not null,
  refresh_number integer not null check (refresh_number > 0),
  refreshed_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_user on sessions (user_id, refreshed_at);

create table signing_keys (
  purpose text primary key check (purpose in ('application', 'provider')),
  private_jwk jsonb not null,
  created_at timestamptz not null default now()
);

-- Down Migration
drop table signing_keys, sessions, identities, credentials, people, users;
drop sequence user_ids;

-- Up Migration

-- What was mailed to somebody to prove that an address is theirs: as a link, and as a code of six digits. Used ones stay
-- until they expire, so that a link that is opened twice is told from one that never was.
create table one_time_tokens (
  id uuid primary key,
  user_id bigint not null references people on delete cascade,
  kind text not null check (kind in ('signup', 'recovery', 'email_change')),
  -- The address that it was mailed to; of an email change, the new one.
  email text not null check (email = lower(email)),
  -- SHA-256, as the next one.
  token_hash text not null unique,
  code_hash text not null,
  code_tries integer not null default 0,
  -- The flow of the client that asked with PKCE; the table of flows forgets by itself.
  flow_id uuid,
  -- Of a sign-up: the password that its own form had, which is the one that counts once its own link is used.
  password_hash text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_tokens_by_email on one_time_tokens (email, kind, created_at);
create index one_time_tokens_by_user on one_time_tokens (user_id, kind, created_at);
create index one_time_tokens_by_end on one_time_tokens (expires_at);

-- Down Migration
drop table one_time_tokens;

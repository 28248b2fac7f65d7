-- Up Migration

-- What somebody shows besides their password: an authenticator app, or one of the codes that were written down for the day it is lost.
create table factors (
  id uuid primary key,
  user_id bigint not null references people on delete cascade,
  kind text not null check (kind in ('totp', 'recovery_code')),
  friendly_name text not null,
  -- Of an app: what both know, encrypted with the key in signing_keys.
  secret text check ((secret is not null) = (kind = 'totp')),
  -- Of an app: the time step of the code that was used last. That one and those before it count no more.
  used_step bigint not null default 0,
  -- Without it nobody has shown yet that they have it.
  verified_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index factors_by_user on factors (user_id);
create unique index factors_by_name on factors (user_id, friendly_name) where friendly_name <> '';
create unique index factors_recovery on factors (user_id) where kind = 'recovery_code';

create table factor_challenges (
  id uuid primary key,
  factor_id uuid not null references factors on delete cascade,
  expires_at timestamptz not null
);
create index factor_challenges_by_factor on factor_challenges (factor_id);
create index factor_challenges_by_end on factor_challenges (expires_at);

create table recovery_codes (
  factor_id uuid not null references factors on delete cascade,
  -- HMAC with the same key.
  code_hash text not null,
  used_at timestamptz,
  primary key (factor_id, code_hash)
);

-- Which factor was shown in a session, how and when. The factor itself may be gone.
alter table sessions
  add column factor_id uuid,
  add column factor_method text,
  add column factor_at timestamptz;

alter table signing_keys
  drop constraint signing_keys_purpose_check,
  add constraint signing_keys_purpose_check check (purpose in ('application', 'provider', 'factors'));

-- Down Migration
delete from signing_keys where purpose = 'factors';
alter table signing_keys
  drop constraint signing_keys_purpose_check,
  add constraint signing_keys_purpose_check check (purpose in ('application', 'provider'));
alter table sessions drop column factor_id, drop column factor_method, drop column factor_at;
drop table recovery_codes, factor_challenges, factors;

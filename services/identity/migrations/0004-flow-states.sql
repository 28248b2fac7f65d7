-- Up Migration

-- Sign-ins that begin in one request and end in another: at another site, or with a link in a mail. The client that began
-- one holds a secret, whose hash is the challenge; only with that secret the code at the end gives a session.
create table flow_states (
  id uuid primary key,
  kind text not null check (kind in ('oauth', 'signup', 'recovery', 'email_change')),
  code_challenge text not null,
  -- The next three are of sign-ins at another site only.
  provider text,
  redirect_to text,
  -- SHA-256 of what the browser that began it keeps in a cookie.
  browser_hash text,
  user_id bigint references people on delete cascade,
  created_at timestamptz not null,
  -- When the other site's answer came; a second one is refused.
  answered_at timestamptz,
  -- SHA-256 of the code that is exchanged for a session.
  code_hash text unique,
  code_issued_at timestamptz
);
create index flow_states_by_age on flow_states (created_at);
create index flow_states_by_user on flow_states (user_id);

-- Down Migration
drop table flow_states;

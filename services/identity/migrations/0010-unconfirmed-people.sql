-- Up Migration

-- Accounts whose address nobody has confirmed; they go after a week.
create index people_unconfirmed on people (created_at) where email_confirmed_at is null;

-- Down Migration
drop index people_unconfirmed;

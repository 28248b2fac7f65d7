-- Up Migration

-- What a form for a new account said of its person, with the mail that confirms the address: several may have registered with it, and the account is that of
-- the one whose link is opened.
alter table one_time_tokens add column names jsonb;

-- Down Migration
alter table one_time_tokens drop column names;

-- Up Migration

-- The address that somebody registered with and that is another person's: they must look like anybody who has not confirmed theirs.
-- In `email`, which is unique, they have their sign-in alias.
alter table people add column claimed_email text constraint people_claimed_email_check check (claimed_email = lower(claimed_email));
create unique index people_by_claimed_email on people (claimed_email) where claimed_email is not null;

-- Down Migration
alter table people drop column claimed_email;

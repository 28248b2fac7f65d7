-- Up Migration

-- Somebody who has deleted their account is kept without a name: their bids stay, and a late message must not bring the name back.
alter table people alter column username drop not null;

-- Down Migration
delete from people where username is null;
alter table people alter column username set not null;

-- Up Migration

-- Somebody who has deleted their account is kept without a name: their listings may still be looked at by those who dealt
-- with them, and a token that is good for some minutes more must not bring the name back.
alter table sellers alter column username drop not null;

-- Down Migration
delete from sellers where username is null;
alter table sellers alter column username set not null;

-- Up Migration

-- Accounts that are closed and wait to be erased.
create index users_to_erase on users (closed_at) where closed_at is not null and erased_at is null;

-- Down Migration
drop index users_to_erase;

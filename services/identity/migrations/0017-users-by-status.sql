-- Up Migration

-- Administrators look for those who are banned, or not confirmed yet, and are told how many there are.
create index users_by_status on users
  ((case when closed_at is not null then 'closed' when is_banned then 'banned' when not is_verified then 'unconfirmed' else 'active' end), id)
  where erased_at is null;

-- Down Migration
drop index users_by_status;

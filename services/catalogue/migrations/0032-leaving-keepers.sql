-- Up Migration

-- People who have left and whose favourites are not all removed yet: until when those were kept that go. Removing them takes long, since each is counted
-- back on all days since it was kept, so it is done some at a time. Not a projection.
create table leaving_keepers (
  user_id bigint primary key,
  until timestamptz not null
);

-- Down Migration
drop table leaving_keepers;

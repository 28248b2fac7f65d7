-- Up Migration

-- People who are erased and whose conversations were not looked through yet: what nobody is left to read goes, some at a time. Not a projection.
create table erased_readers (
  user_id bigint primary key
);

-- Down Migration
drop table erased_readers;

-- Up Migration

-- People who are erased and whose pictures are not all taken off yet, which is done some at a time. Not a projection.
create table erased_sellers (
  user_id bigint primary key
);

-- Down Migration
drop table erased_sellers;

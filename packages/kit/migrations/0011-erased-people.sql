-- Up Migration

-- People who are erased and about whom there may be words left in the log and in tables, which are blanked some at a time. `noted` is another one each
-- time: whoever was noted again meanwhile is not done yet. Not a projection.
create table erased_people (
  user_id bigint primary key,
  noted bigint not null generated always as identity
);
insert into erased_people (user_id) select user_id from known_people where is_erased order by user_id;

-- Down Migration
drop table erased_people;

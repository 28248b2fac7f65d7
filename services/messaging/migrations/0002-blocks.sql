-- Up Migration

-- Who does not want to be written to by whom. Rebuilt from the log.
create table blocks (
  user_id bigint not null,
  blocked_id bigint not null,
  primary key (user_id, blocked_id)
);

-- Down Migration
drop table blocks;

-- Up Migration

-- When there were attempts, the last ones of a limit that holds in any stretch of time.
alter table shared_limits add column attempts timestamptz[] not null default '{}';

-- Down Migration

alter table shared_limits drop column attempts;

-- Up Migration

-- Sellers whose listings are hidden: banned for as long as the ban lasts, closed for good. Only those who ever were have a row.
-- `ban_version` is that of the event in the person's stream, so that an old event that comes late changes nothing.
create table hidden_sellers (
  user_id bigint primary key,
  is_banned boolean not null default false,
  ban_version integer not null default 0,
  is_closed boolean not null default false
);

-- Down Migration
drop table hidden_sellers;

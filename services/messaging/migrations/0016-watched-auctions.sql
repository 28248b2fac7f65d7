-- Up Migration

-- What people say themselves of which auctions they watch. Whoever bids watches without saying so. Not a projection.
create table auction_watches (
  user_id bigint not null,
  auction_id bigint not null,
  is_watching boolean not null,
  since timestamptz not null,
  primary key (auction_id, user_id)
);
create index auction_watches_of on auction_watches (user_id) where is_watching;

-- The end that whoever watches was told of in time; an end may be put off until the first bid. Not from the log.
alter table auctions add column told_ends_at timestamptz;
create index auctions_ending on auctions (ends_at) where outcome is null;

alter table notices
  drop constraint notices_topic_check,
  add constraint notices_topic_check check (topic in ('auction', 'conversation', 'deal', 'listing', 'favorite')),
  add column price_sen bigint,
  add column former_price_sen bigint;

-- Down Migration
alter table notices
  drop column former_price_sen,
  drop column price_sen,
  drop constraint notices_topic_check;
delete from notices where topic = 'favorite';
alter table notices
  add constraint notices_topic_check check (topic in ('auction', 'conversation', 'deal', 'listing'));
drop index auctions_ending;
alter table auctions drop column told_ends_at;
drop table auction_watches;

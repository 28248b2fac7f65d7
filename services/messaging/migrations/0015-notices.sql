-- Up Migration

-- Auctions as notices need them: from the auction service's log, and made anew from it. `seq` is that of the last bid.
create table auctions (
  id bigint primary key,
  product_id bigint not null,
  seller_id bigint not null,
  ends_at timestamptz not null,
  outcome text check (outcome in ('won', 'no-bids', 'reserve-not-met', 'winner-unavailable', 'cancelled')),
  seq bigint not null default 0,
  leader_id bigint,
  amount_sen bigint
);

create table auction_bidders (
  auction_id bigint not null,
  user_id bigint not null,
  since timestamptz not null,
  primary key (auction_id, user_id)
);

-- What people are told. Of each thing they have one notice, which says the newest and has a new id then; ids are in the order in which they are
-- committed. Not a projection: what was read is in no log, and after some weeks they go.
create sequence notice_ids as bigint;
create table notices (
  user_id bigint not null,
  topic text not null check (topic in ('auction', 'conversation', 'deal', 'listing')),
  topic_id bigint not null,
  id bigint not null,
  kind text not null,
  other_id bigint,
  product_id bigint,
  happened_at timestamptz not null,
  read_at timestamptz,
  primary key (user_id, topic, topic_id)
);
create unique index notices_by_id on notices (user_id, id desc);
create index notices_unread on notices (user_id) where read_at is null;
create index notices_by_age on notices (happened_at);

-- Down Migration
drop table notices, auction_bidders, auctions;
drop sequence notice_ids;

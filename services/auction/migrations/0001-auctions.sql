-- Up Migration
create sequence auction_ids as bigint;

-- One row per auction: what reads need and what an owner loads at takeover. Rebuilt from the log by one command.
-- The free space lets a bid's update stay on its page (a heap-only update), for a bid changes no indexed column.
create table auctions (
  id bigint primary key,
  part smallint not null,
  product_id bigint not null,
  seller_id bigint not null,
  starting_price_sen bigint not null,
  reserve_sen bigint,
  buy_now_sen bigint,
  increment_sen bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  status text not null check (status in ('open', 'ended', 'cancelled')),
  version integer not null,
  bid_count integer not null default 0,
  current_bid_sen bigint,
  current_bidder_id bigint,
  outcome text check (outcome in ('won', 'no-bids', 'reserve-not-met')),
  winner_id bigint,
  opened_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 60);

create unique index auctions_one_open_per_product on auctions (product_id) where status = 'open';
create index auctions_open_by_part on auctions (part) where status = 'open';
create index auctions_by_end on auctions (status, ends_at, id);
create index auctions_by_product on auctions (product_id, id desc);

-- A bidder's own id of a bid counts once per auction (promise P7); bids without one cost nothing here.
create unique index events_bid_id on events (stream, (data ->> 'bidderId'), (data ->> 'bidId'))
  where data ->> 'bidId' is not null;

-- Who may open an auction for a product: taken before the order goes to the owner, so that a batch never meets the unique index above.
create table product_claims (
  product_id bigint primary key,
  auction_id bigint not null,
  claimed_at timestamptz not null
);

-- Who may write a partition's auctions. `epoch` is the fencing token: every batch checks it inside its own transaction.
create table partition_leases (
  part smallint primary key,
  owner text,
  epoch bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
) with (fillfactor = 10);
insert into partition_leases (part) select generate_series(0, 63);

-- The auction processes that are alive, so that each knows its fair share of the partitions.
create table owners (
  instance text primary key,
  seen_at timestamptz not null
) with (fillfactor = 50);

-- Read models of other services' facts.
create table listings (
  product_id bigint primary key,
  seller_id bigint not null,
  listing_type text not null
);
create table people (
  user_id bigint primary key,
  username text not null
);

-- Down Migration
drop table people, listings, owners, partition_leases, product_claims, auctions;
drop index events_bid_id;
drop sequence auction_ids;

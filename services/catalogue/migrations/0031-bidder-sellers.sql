-- Up Migration

-- How often people have bid on auctions of each seller, for the list of suspected bidders, and whose each auction is. A consumer of its own fills
-- both, which begins at the start of the log of auction: bids from before this migration are counted, too, and nothing has to be rebuilt by hand.
create table auction_sellers (
  auction_id bigint primary key,
  seller_id bigint not null
);
create table bidder_sellers (
  bidder_id bigint not null,
  seller_id bigint not null,
  bid_count integer not null,
  last_bid_at timestamptz not null,
  primary key (bidder_id, seller_id)
) with (fillfactor = 80);

-- Down Migration
drop table bidder_sellers, auction_sellers;
delete from consumer_positions where consumer = 'auction-bidders';

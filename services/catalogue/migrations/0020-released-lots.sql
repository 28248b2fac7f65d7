-- Up Migration

-- Auctions that were won and whose sale did not come about: the lot was given up, or called off by its winner. Rebuilt from the log.
create table released_lots (auction_id bigint primary key);
insert into released_lots (auction_id)
  select (data ->> 'auctionId')::bigint from events
   where type = 'ListingReleased' and data ->> 'auctionId' is not null and not (data ->> 'isKept')::boolean
  on conflict do nothing;

-- Down Migration
drop table released_lots;

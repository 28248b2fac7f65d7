-- Up Migration

-- How auctions came out is kept since 0005, and how many bids there were on a day since 0009, of what happened from then on. What happened
-- before is told again by the auction service (its 0006), as far as JetStream goes back; the bids are counted anew with that. Until an
-- auction's end is heard again, its time says that it has ended.
delete from inbox where consumer = 'auction-auctions';
update auction_summaries set closed_as = null
 where closed_as = 'ended' and outcome is null and ends_at > now() - interval '7 days';
update product_days set bids = 0 where bids <> 0;
update seller_days set bids = 0 where bids <> 0;

-- Down Migration

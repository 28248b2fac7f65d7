-- Up Migration

-- What the home page asks for on every visit: the auctions that run, in the order in which they end.
create index auction_summaries_running on auction_summaries (ends_at, auction_id) where closed_as is null;

-- Down Migration
drop index auction_summaries_running;

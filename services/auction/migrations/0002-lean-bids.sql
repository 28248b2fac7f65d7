-- Up Migration

-- What a bid costs Postgres decides how many a hot lot takes. As `json` the data is kept as it was written and only parsed by those who look
-- into it; and the bidder's own id of a bid is found by two plain columns, the random one first because it decides nearly every comparison.
drop index events_bid_id;
alter table events
  alter column data type json using data::json,
  add column bidder_id bigint,
  add column bid_id uuid;
update events set bidder_id = (data ->> 'bidderId')::bigint, bid_id = (data ->> 'bidId')::uuid
  where type = 'BidPlaced' and data ->> 'bidId' is not null;
create unique index events_bid_id on events (bid_id, bidder_id, stream) where bid_id is not null;

-- Down Migration
drop index events_bid_id;
alter table events
  alter column data type jsonb using data::jsonb,
  drop column bidder_id,
  drop column bid_id;
create unique index events_bid_id on events (stream, (data ->> 'bidderId'), (data ->> 'bidId'))
  where data ->> 'bidId' is not null;

-- Up Migration

-- What other services tell is read from the start of their logs, which hold more than was heard: bids and messages are counted anew.
delete from inbox where consumer in ('identity-people', 'auction-auctions', 'messaging-sales');
update product_days set bids = 0, messages = 0 where bids <> 0 or messages <> 0;
update seller_days set bids = 0, messages = 0 where bids <> 0 or messages <> 0;
drop table completed_fills;

-- Down Migration

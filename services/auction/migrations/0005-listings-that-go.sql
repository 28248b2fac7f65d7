-- Up Migration

-- A listing that was taken away is never auctioned again. One that was won is not either, until catalogue says that it came back from that
-- auction: ids of auctions grow, so one number says which of them count no longer.
alter table listings
  add column is_deleted boolean not null default false,
  add column returned_auction_id bigint not null default 0;

-- Down Migration
alter table listings drop column returned_auction_id, drop column is_deleted;

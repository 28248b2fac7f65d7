-- Up Migration

-- What was mailed of the deals of two people: of offers, which a seller makes to whomever they like, one a day at most.
create table deal_pairs (
  seller_id bigint not null,
  buyer_id bigint not null,
  -- The last offer that was mailed to the buyer.
  offered_id bigint,
  offered_at timestamptz,
  -- The buyer has confirmed a purchase of this seller.
  has_bought boolean not null default false,
  primary key (seller_id, buyer_id)
);
create index deal_pairs_by_buyer on deal_pairs (buyer_id);

-- Down Migration
drop table deal_pairs;

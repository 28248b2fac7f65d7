-- Up Migration

-- A bid is its event and nothing else. An open auction's row says what the last event that was no bid has made of it, and how it stands is read
-- from the last bid in the log. When each bid updated the row as well, that was a third of what it cost Postgres.
alter table auctions rename to auction_terms;
update auction_terms terms
   set version = terms.version - terms.bid_count, bid_count = 0, current_bid_sen = null, current_bidder_id = null,
       updated_at = date_trunc('milliseconds', e.recorded_at)
  from events e
 where terms.status = 'open' and terms.bid_count > 0
   and e.stream = 'auction-' || terms.id and e.version = terms.version - terms.bid_count;

-- Auctions as everybody reads them. Bids follow each other: terms are revised before the first one only, and nothing comes after the end.
create view auctions as
select terms.id, terms.part, terms.product_id, terms.seller_id, terms.starting_price_sen, terms.reserve_sen, terms.buy_now_sen,
       terms.increment_sen, terms.starts_at, terms.ends_at, terms.status,
       coalesce(last.version, terms.version) as version,
       coalesce(last.seq, terms.bid_count) as bid_count,
       coalesce(last."amountSen", terms.current_bid_sen) as current_bid_sen,
       coalesce(last."bidderId", terms.current_bidder_id) as current_bidder_id,
       terms.outcome, terms.winner_id, terms.opened_at,
       coalesce(last.at, terms.updated_at) as updated_at
  from auction_terms terms
  left join lateral (
    select e.version, bid.seq, bid."amountSen", bid."bidderId", date_trunc('milliseconds', e.recorded_at) as at
      from events e, json_to_record(e.data) as bid (seq integer, "amountSen" bigint, "bidderId" bigint)
     where terms.status = 'open' and e.stream = 'auction-' || terms.id and e.version > terms.version
     order by e.version desc
     limit 1
  ) last on true;

-- An owner of the version before, which is replaced while others are new already, updates the row with each bid.
create function ignore_standing() returns trigger language plpgsql as $$
begin
  return new;
end $$;
create trigger auctions_of_before instead of update on auctions for each row execute function ignore_standing();

-- Down Migration
update auction_terms terms
   set version = a.version, bid_count = a.bid_count, current_bid_sen = a.current_bid_sen, current_bidder_id = a.current_bidder_id,
       updated_at = a.updated_at
  from auctions a
 where a.id = terms.id and terms.status = 'open';
drop view auctions;
drop function ignore_standing();
alter table auction_terms rename to auctions;

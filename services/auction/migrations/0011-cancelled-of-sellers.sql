-- Up Migration

-- Why a seller has called auctions off is blanked once the seller is erased.
create index auction_terms_cancelled_of_seller on auction_terms (seller_id, id) where status = 'cancelled';

-- Down Migration
drop index auction_terms_cancelled_of_seller;

-- Up Migration

-- What is blanked once somebody is erased: what sellers wrote about winners they have given up on, and what buyers wrote.
create index events_notes_on_winners on events (((data ->> 'buyerId')::bigint), position)
  where type = 'ListingReleased' and data ->> 'note' is not null;
create index reviews_with_words_by_buyer on reviews (buyer_id, id) where comment is not null;
create index reviews_with_words_by_seller on reviews (seller_id, id) where comment is not null;

-- Down Migration
drop index reviews_with_words_by_seller, reviews_with_words_by_buyer, events_notes_on_winners;

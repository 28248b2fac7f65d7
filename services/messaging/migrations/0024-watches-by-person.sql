-- Up Migration

-- What somebody said of auctions goes with them, also that they do not watch one. The index had only what is watched, so all watches of everybody
-- were read for it, and nobody was told anything meanwhile.
create index auction_watches_by_user on auction_watches (user_id);
drop index auction_watches_of;

-- Down Migration
create index auction_watches_of on auction_watches (user_id) where is_watching;
drop index auction_watches_by_user;

-- Up Migration

-- The tables are filled by pages of a log, and each new word at once costs this index five times what all else of a row does. New entries wait in a
-- list, which each search reads through: a short one, so that no search feels it.
alter index known_people_by_search set (fastupdate = on, gin_pending_list_limit = 512);
alter index orders_by_search set (fastupdate = on, gin_pending_list_limit = 512);
alter index listings_by_search set (fastupdate = on, gin_pending_list_limit = 512);
alter index payments_by_search set (fastupdate = on, gin_pending_list_limit = 512);

-- Down Migration
alter index known_people_by_search set (fastupdate = off);
alter index orders_by_search set (fastupdate = off);
alter index listings_by_search set (fastupdate = off);
alter index payments_by_search set (fastupdate = off);

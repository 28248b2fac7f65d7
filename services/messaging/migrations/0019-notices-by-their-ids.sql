-- Up Migration

-- Whoever is told is looked up by the ids of what is new: in the index of each one's notices that is a look at all there are.
create unique index notices_of_id on notices (id);

-- Down Migration
drop index notices_of_id;

-- Up Migration

-- The relay publishes the last seven days again: the catalogue keeps more of them than it did (its 0013). To everybody else they are nothing
-- new. Where services are brought up to date one after the other, the catalogue comes first.
update relay_cursor set stream_created = '';

-- Down Migration

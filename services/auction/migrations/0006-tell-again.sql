-- Up Migration

-- Had the relay publish once more what it has published. Consumers read the log themselves now, so there is nothing to do.

-- Down Migration

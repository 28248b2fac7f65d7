-- Up Migration

-- What files were called on the devices of their sellers outlived the pictures, and the sellers' accounts.
update pictures set image_name = null where removed_at is not null and image_name is not null;

-- Down Migration
-- The names are gone.

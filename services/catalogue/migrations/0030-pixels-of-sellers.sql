-- Up Migration

-- How much is kept of a seller is asked with each upload.
create index pictures_by_seller on pictures (seller_id) include (width_px, height_px) where storage_key is not null;

-- Down Migration
drop index pictures_by_seller;

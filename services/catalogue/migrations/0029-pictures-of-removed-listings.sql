-- Up Migration

-- Listings left all their pictures behind when they were removed. The one that stands for the listing in deals and messages stays, as it does now.
update pictures
   set removed_at = clock_timestamp()
  from products p
 where p.id = pictures.product_id and p.deleted_at is not null and pictures.removed_at is null
   and pictures.name is distinct from coalesce(p.images -> 0 ->> 'imageUrl', p.image_url);

-- Down Migration
-- Their files are gone.

-- Up Migration

-- When products were shown in the first places: a row for each time without a break.
create table boosts (
  product_id bigint not null,
  began_at timestamptz not null,
  -- When it was over, or is to be.
  ends_at timestamptz not null,
  is_over boolean not null default false,
  primary key (product_id, began_at)
);
insert into boosts (product_id, began_at, ends_at, is_over)
select (min(data ->> 'productId'))::bigint, min((data ->> 'featuredAt')::timestamptz),
       coalesce(min(coalesce(data ->> 'unfeaturedAt', data ->> 'removedAt', data ->> 'deletedAt')::timestamptz),
                (array_agg((data ->> 'featuredUntil')::timestamptz order by version desc) filter (where type = 'ListingFeatured'))[1]),
       bool_or(type <> 'ListingFeatured')
  from (select stream, version, type, data,
               count(*) filter (where type <> 'ListingFeatured')
                 over (partition by stream order by version rows between unbounded preceding and 1 preceding) as breaks
          from events
         where type in ('ListingFeatured', 'ListingUnfeatured', 'ListingRemoved', 'ListingDeleted')) told
 group by stream, breaks
having count(*) filter (where type = 'ListingFeatured') > 0;

-- Down Migration
drop table boosts;

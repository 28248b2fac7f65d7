-- Up Migration

-- What was known stands until all that identity's log says has been read.
insert into known_people (user_id, username, shop_name, location, bio, profile_image, cover_photo, is_seller, is_email_verified,
                          registered_at, is_banned, ban_version, is_closed)
select user_id, case when s.user_id is null and not h.is_closed then 'User ' || user_id else s.username end, s.shop_name, s.location,
       s.bio, s.profile_image, s.cover_photo, coalesce(s.is_seller, false), coalesce(s.is_email_verified, false), s.registered_at,
       coalesce(h.is_banned, false), coalesce(h.ban_version, 0), coalesce(h.is_closed, false)
  from sellers s full join hidden_sellers h using (user_id);
drop table sellers, hidden_sellers;
delete from consumer_positions where consumer = 'identity-people';

-- Messages are counted by a consumer of their own from now on.
insert into consumer_positions (consumer, type, tx, position)
select 'messaging-messages', type, tx, position from consumer_positions where consumer = 'messaging-sales' and type = 'MessageSent';

-- Down Migration

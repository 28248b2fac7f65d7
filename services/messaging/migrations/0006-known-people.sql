-- Up Migration

-- What was known stands until all that identity's log says has been read.
insert into known_people (user_id, username, profile_image, is_banned, ban_version, is_closed, is_erased)
select user_id, username, profile_image, is_banned, ban_version, is_closed, is_erased from people;
drop table people;
delete from consumer_positions where consumer = 'identity-people';

-- Down Migration

-- Up Migration

-- When it last changed whether somebody is suspended, whoever writes it: each process keeps those who are in memory.
alter table known_people add column suspension_changed_at timestamptz not null default clock_timestamp();
create index known_people_by_suspension on known_people (suspension_changed_at);
create function note_suspension() returns trigger language plpgsql as $$
begin
  new.suspension_changed_at = clock_timestamp();
  return new;
end $$;
create trigger known_people_suspension before update on known_people for each row
  when (old.is_banned is distinct from new.is_banned or old.is_closed is distinct from new.is_closed)
  execute function note_suspension();

-- What was known stands until all that identity's log says has been read.
insert into known_people (user_id, username, is_banned, ban_version, is_closed)
select user_id, case when p.user_id is null and not s.is_closed then 'User ' || user_id else p.username end,
       coalesce(s.is_banned, false), coalesce(s.ban_version, 0), coalesce(s.is_closed, false)
  from people p full join suspended_people s using (user_id);
drop table people, suspended_people;
delete from consumer_positions where consumer = 'identity-people';

-- What was read of listings says how far auctions of removed ones are withdrawn.
insert into consumer_positions (consumer, type, tx, position)
select 'catalogue-withdrawals', type, tx, position from consumer_positions
 where consumer = 'catalogue-listings' and type in ('ListingRemoved', 'ListingDeleted');

-- Down Migration

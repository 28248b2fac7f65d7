-- Up Migration

-- Why somebody was banned last. It is personal, and what is in the log stays there: it goes with the row of the person.
create table ban_reasons (
  user_id bigint primary key references people on delete cascade,
  reason text not null,
  banned_at timestamptz not null
);
insert into ban_reasons (user_id, reason, banned_at)
select distinct on (p.user_id) p.user_id, e.data ->> 'reason', (e.data ->> 'bannedAt')::timestamptz
  from events e join people p on p.user_id = (e.data ->> 'userId')::bigint
 where e.type = 'UserBanned'
 order by p.user_id, e.version desc;
update events set data = data - 'reason', schema_version = 2 where type = 'UserBanned';

-- Down Migration
update events e
   set data = e.data || jsonb_build_object('reason', coalesce(b.reason, '')), schema_version = 1
  from users u left join ban_reasons b on b.user_id = u.id
 where e.type = 'UserBanned' and u.id = (e.data ->> 'userId')::bigint;
drop table ban_reasons;

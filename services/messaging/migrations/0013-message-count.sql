-- Up Migration

-- Counted with each message, for counting all of somebody's takes longer than finding a page of them.
alter table conversations add column message_count integer not null default 0;
update conversations c
   set message_count = counted.count
  from (select side.user_id, side.other_id, count(*) as count
          from messages m,
               lateral (values (m.sender_id, m.receiver_id), (m.receiver_id, m.sender_id)) as side (user_id, other_id)
         group by 1, 2) counted
 where counted.user_id = c.user_id and counted.other_id = c.other_id;
alter table conversations alter column message_count drop default;

-- The ids of messages are in the order in which they are committed, which a sequence does not give.
drop sequence message_ids;

-- Down Migration
create sequence message_ids as bigint;
select setval('message_ids', greatest((select max(id) from messages), 1));
alter table conversations drop column message_count;

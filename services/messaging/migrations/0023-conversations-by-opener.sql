-- Up Migration

-- How many conversations somebody has begun lately is counted with each message of theirs, while everybody else's wait. Postgres never used this index:
-- both people are the sender in that question, and it does not see that they are the same, so it looked at all conversations of the sender.
-- The old one goes last, so that conversations are read while the new one is made.
create index conversations_begun on conversations (user_id, opened_by, opened_at);
drop index conversations_opened;

-- Down Migration
create index conversations_opened on conversations (opened_by, opened_at) where user_id = opened_by;
drop index conversations_begun;

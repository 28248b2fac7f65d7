-- Up Migration

-- How much somebody has sent lately is counted with each message of theirs.
create index messages_sent_lately on messages (sender_id, sent_at);

-- Down Migration
drop index messages_sent_lately;

-- Up Migration

-- What an event says that was put aside is asked of its log when it is tried again. Those that are being tried keep it: a process of the version
-- before, which reads it here, may be at them.
update dead_letters
   set payload = (replace(payload, '\u0000', '\ufffd')::jsonb || '{"data": null}')::text
 where due_at is null;

-- Down Migration
-- What they said is in their logs.

-- Up Migration

-- Since when somebody is banned, or gone, by identity's events; null where that was told before it was kept.
alter table known_people add column banned_at timestamptz, add column closed_at timestamptz;

-- Down Migration
alter table known_people drop column closed_at, drop column banned_at;

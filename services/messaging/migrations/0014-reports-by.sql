-- Up Migration
create index reports_by on reports (reporter_id);

-- Down Migration
drop index reports_by;

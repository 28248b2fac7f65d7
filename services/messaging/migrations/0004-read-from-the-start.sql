-- Up Migration

-- Who people are and what is listed is read from the start of the logs, which hold more than was heard. Reading it again changes nothing.
delete from inbox where consumer in ('identity-people', 'catalogue-products');
drop table completed_fills;

-- Down Migration

-- Up Migration

-- Since when people are banned or gone is in identity's log: it is read again, which changes nothing else.
delete from consumer_positions
 where consumer = 'identity-people' and type in ('UserBanned', 'UserUnbanned', 'AccountClosed', 'AccountReopened');

-- Down Migration

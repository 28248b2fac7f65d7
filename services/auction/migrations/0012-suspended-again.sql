-- Up Migration

-- Whoever is suspended again before anybody has looked is so since a later time, though in between nothing has changed.
drop trigger known_people_suspension on known_people;
create trigger known_people_suspension before update on known_people for each row
  when ((old.is_banned, old.is_closed, old.banned_at, old.closed_at)
        is distinct from (new.is_banned, new.is_closed, new.banned_at, new.closed_at))
  execute function note_suspension();

-- Down Migration
drop trigger known_people_suspension on known_people;
create trigger known_people_suspension before update on known_people for each row
  when (old.is_banned is distinct from new.is_banned or old.is_closed is distinct from new.is_closed)
  execute function note_suspension();

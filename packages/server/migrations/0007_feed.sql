-- Whoever follows one kind of object reads only its records, however much else has happened since. The position is spelled so
-- that only this index can answer: PostgreSQL, planning for any object, would often walk through all the others by log_position.
CREATE INDEX log_by_object ON log (account, object_id, (position + 0));

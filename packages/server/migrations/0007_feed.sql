-- Whoever follows one kind of object reads only its records, however much else has happened since.
CREATE INDEX log_by_object ON log (account, object_id, position);

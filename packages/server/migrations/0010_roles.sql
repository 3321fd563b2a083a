-- The roles of businesses become searchable: where a user is named is asked for by many requests and must not grow with the
-- businesses. What is kept of older ones is filled in the background; until then they are read through.
postgres: UPDATE attribute SET searchable = nextval('value_id') WHERE object_id = 'biz' AND type = 'objuser' AND searchable = 0;
sqlite: UPDATE attribute SET searchable = id + (SELECT value FROM sequence WHERE kind = 'value')
sqlite:   WHERE object_id = 'biz' AND type = 'objuser' AND searchable = 0;
sqlite: UPDATE sequence SET value = value + (SELECT coalesce(max(id), 0) FROM attribute) WHERE kind = 'value';
UPDATE account SET model_version = model_version + 1;

-- Attributes whose instances are found by value. 0: not searchable; else the number its values are kept under, drawn anew each
-- time it is switched on, so that what an earlier time left behind is never believed.
ALTER TABLE attribute ADD COLUMN searchable {big} NOT NULL DEFAULT 0;
-- 1 once the values of all instances are there; until then only what has changed since, and what has been gone through.
ALTER TABLE attribute ADD COLUMN filled {big} NOT NULL DEFAULT 0;
-- The public id of the last instance that has been gone through.
ALTER TABLE attribute ADD COLUMN filled_to {big} NOT NULL DEFAULT -1;
CREATE INDEX attribute_unfilled ON attribute (id) WHERE searchable <> 0 AND filled = 0;

-- A text has the number 0, a number the text ''. The instance is a row of node or of host: the key tells which.
CREATE TABLE attribute_value (
  key {big} NOT NULL,
  text {text} NOT NULL,
  number {real} NOT NULL,
  instance {big} NOT NULL,
  CONSTRAINT attribute_value_key PRIMARY KEY (key, text, number, instance)
sqlite: ) STRICT, WITHOUT ROWID;
postgres: );
CREATE INDEX attribute_value_of ON attribute_value (instance, key);

-- Keys that no attribute has any more: their values are removed a while later, when nobody who knew them is still reading.
CREATE TABLE dropped_key (
  key {big} PRIMARY KEY,
  dropped_at {big} NOT NULL
);

-- There are no hosts yet, so nothing has to be gone through. The attributes' own ids are keys that differ.
UPDATE attribute SET searchable = id, filled = 1
  WHERE object_id = 'host' AND preset = 1
  AND attribute_id IN ('bk_host_outerip', 'operator', 'bk_asset_id', 'bk_sn', 'bk_host_name');
sqlite: INSERT INTO sequence (kind, value) SELECT 'value', coalesce(max(id), 0) FROM attribute;
postgres: CREATE SEQUENCE value_id;
postgres: SELECT setval('value_id', (SELECT coalesce(max(id), 0) + 1 FROM attribute));

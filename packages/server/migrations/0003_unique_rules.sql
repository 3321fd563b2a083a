-- compatible: yes
-- An older program neither creates rules nor follows them: rules are created when all processes run this release.

-- Unique rules of objects that users have defined. The built-in ones follow from the program.
CREATE TABLE unique_rule (
  id {id},
  account {text} NOT NULL REFERENCES account,
  object_id {text} NOT NULL,
  -- The identifiers of its attributes in order, as JSON.
  attributes {text} NOT NULL,
  -- 1: also for instances without a value of one of them.
  must_check {big} NOT NULL,
  -- The key of its rows in unique_value, drawn anew whenever the attributes change.
  key {big} NOT NULL,
  -- checking, enforced or refused.
  state {text} NOT NULL,
  -- How many existing instances have been checked, and the public id of the last one.
  checked {big} NOT NULL,
  checked_to {big} NOT NULL,
  -- The first duplicates of a refused rule.
  duplicates {text} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT unique_rule_key UNIQUE (account, object_id, attributes),
  CONSTRAINT unique_rule_object FOREIGN KEY (account, object_id) REFERENCES object (account, object_id)
);
CREATE INDEX unique_rule_unchecked ON unique_rule (id) WHERE state = 'checking';

-- The values of instances under a rule, as a digest: no two instances have the same.
CREATE TABLE unique_value (
  key {big} NOT NULL,
  value {text} NOT NULL,
  instance {big} NOT NULL,
  CONSTRAINT unique_value_key PRIMARY KEY (key, value)
sqlite: ) STRICT, WITHOUT ROWID;
postgres: );
CREATE INDEX unique_value_of ON unique_value (instance, key);

-- {big}, {text}, {json} and {id} are replaced by what the engine calls them; a line that starts with an engine's name is for it alone.

CREATE TABLE account (
  name {text} PRIMARY KEY,
  -- This row is the chain's lock: shared by every change, exclusive for a change of levels.
  chain_version {big} NOT NULL,
  model_version {big} NOT NULL
);

CREATE TABLE classification (
  id {id},
  account {text} NOT NULL REFERENCES account,
  classification_id {text} NOT NULL,
  name {text} NOT NULL,
  icon {text} NOT NULL,
  preset {big} NOT NULL,
  CONSTRAINT classification_key UNIQUE (account, classification_id)
);
CREATE UNIQUE INDEX classification_name ON classification (account, name);

CREATE TABLE object (
  id {id},
  account {text} NOT NULL,
  object_id {text} NOT NULL,
  classification_id {text} NOT NULL,
  name {text} NOT NULL,
  icon {text} NOT NULL,
  preset {big} NOT NULL,
  paused {big} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  -- On the main line: the object above, '' for the business. NULL elsewhere.
  above {text},
  CONSTRAINT object_key UNIQUE (account, object_id),
  CONSTRAINT object_classification FOREIGN KEY (account, classification_id)
    REFERENCES classification (account, classification_id)
);
CREATE UNIQUE INDEX object_name ON object (account, name);
-- One object below another: two levels inserted at once cannot fork the chain.
CREATE UNIQUE INDEX object_above ON object (account, above);

CREATE TABLE attribute_group (
  id {id},
  account {text} NOT NULL,
  object_id {text} NOT NULL,
  group_id {text} NOT NULL,
  name {text} NOT NULL,
  position {big} NOT NULL,
  preset {big} NOT NULL,
  CONSTRAINT attribute_group_key UNIQUE (account, object_id, group_id),
  CONSTRAINT attribute_group_object FOREIGN KEY (account, object_id) REFERENCES object (account, object_id)
);

CREATE TABLE attribute (
  id {id},
  account {text} NOT NULL,
  object_id {text} NOT NULL,
  attribute_id {text} NOT NULL,
  name {text} NOT NULL,
  group_id {text} NOT NULL,
  position {big} NOT NULL,
  type {text} NOT NULL,
  options {text} NOT NULL,
  unit {text} NOT NULL,
  placeholder {text} NOT NULL,
  required {big} NOT NULL,
  editable {big} NOT NULL,
  preset {big} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT attribute_group_of FOREIGN KEY (account, object_id, group_id)
    REFERENCES attribute_group (account, object_id, group_id)
);
CREATE UNIQUE INDEX attribute_key ON attribute (account, object_id, attribute_id);

-- Every instance of the main line above the hosts, the businesses included, so that every parent is a foreign key.
CREATE TABLE node (
  id {id},
  account {text} NOT NULL REFERENCES account,
  object_id {text} NOT NULL,
  inst_id {big} NOT NULL,
  -- The business's node; NULL on the business itself.
  business {big} REFERENCES node,
  parent {big} REFERENCES node,
  -- The public ids of the two, so that reading an instance is reading one row. A business has its own id and no parent: 0.
  biz_id {big} NOT NULL,
  parent_id {big} NOT NULL,
  name {text} NOT NULL,
  -- The name with built-in names of all languages made one: what is unique among siblings.
  name_key {text} NOT NULL,
  -- 1 resource pool, idle pool or idle machine; 2 fault machine; 0 what users make.
  built_in {big} NOT NULL,
  attributes {json} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT node_inst UNIQUE (object_id, inst_id),
  CONSTRAINT node_place UNIQUE (id, parent, business)
);
CREATE UNIQUE INDEX node_sibling_name ON node (parent, object_id, name_key);
-- Instances of objects that are not on the main line have no parent: there a name is unique in the account.
CREATE UNIQUE INDEX node_account_name ON node (account, object_id, name_key) WHERE parent IS NULL AND object_id <> 'biz';
CREATE INDEX node_of_business ON node (business, object_id, inst_id);

-- What belongs to a business as a whole. The row is its lock.
CREATE TABLE business (
  node {big} PRIMARY KEY REFERENCES node,
  account {text} NOT NULL REFERENCES account,
  biz_id {big} NOT NULL,
  -- enable, or disabled when archived.
  status {text} NOT NULL,
  -- NULL while archived: names are unique among the living.
  living_name {text},
  -- version counts every change inside the business, tree_version those that show in its tree.
  version {big} NOT NULL,
  tree_version {big} NOT NULL,
  CONSTRAINT business_key UNIQUE (account, biz_id)
);
CREATE UNIQUE INDEX business_living_name ON business (account, living_name);

CREATE TABLE host (
  id {id},
  account {text} NOT NULL REFERENCES account,
  host_id {big} NOT NULL,
  business {big} NOT NULL REFERENCES business,
  attributes {json} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT host_key UNIQUE (host_id),
  CONSTRAINT host_in_business UNIQUE (id, business)
);

-- A host in a module. The composite keys make it impossible to be in modules of two businesses.
CREATE TABLE placement (
  host {big} NOT NULL,
  module {big} NOT NULL,
  set_node {big} NOT NULL,
  business {big} NOT NULL,
  CONSTRAINT placement_key PRIMARY KEY (host, module),
  CONSTRAINT placement_host FOREIGN KEY (host, business) REFERENCES host (id, business),
  CONSTRAINT placement_module FOREIGN KEY (module, set_node, business) REFERENCES node (id, parent, business)
);
CREATE INDEX placement_by_module ON placement (module, host);
CREATE INDEX placement_by_set ON placement (set_node, host);
CREATE INDEX placement_by_business ON placement (business, host);

-- What happened. Audit search, subscriptions and watch all read this one table.
CREATE TABLE log (
  -- Drawn last, with all locks of the change held.
  ticket {big} PRIMARY KEY,
  -- Gapless, in an order in which what a change saw precedes it. NULL until numbered.
  position {big},
  txn_id {text} NOT NULL,
  ordinal {big} NOT NULL,
  account {text} NOT NULL,
  biz_id {big} NOT NULL,
  object_id {text} NOT NULL,
  inst_id {big} NOT NULL,
  operation {big} NOT NULL,
  description {text} NOT NULL,
  operator {text} NOT NULL,
  op_time {big} NOT NULL,
  ext_key {text} NOT NULL,
  request_id {text} NOT NULL,
  -- {"pre": ..., "cur": ...} and the events, as texts: they are hashed as they are stored.
  content {text} NOT NULL,
  events {text} NOT NULL
);
CREATE UNIQUE INDEX log_position ON log (position);
-- Also what decides whether a change whose commit was cut off has happened.
CREATE UNIQUE INDEX log_txn ON log (txn_id, ordinal);
CREATE INDEX log_by_time ON log (account, op_time, ticket);
CREATE INDEX log_by_business ON log (account, biz_id, op_time, ticket);
CREATE INDEX log_by_instance ON log (account, object_id, inst_id, op_time);
postgres: CREATE INDEX log_unnumbered ON log (ticket) WHERE position IS NULL;
postgres: CREATE SEQUENCE log_ticket OWNED BY log.ticket;
postgres: ALTER TABLE log ALTER COLUMN ticket SET DEFAULT nextval('log_ticket');

CREATE TABLE log_head (
  one {big} PRIMARY KEY CHECK (one = 1),
  position {big} NOT NULL,
  sealed {big} NOT NULL,
  -- Records below the floor have been removed by retention.
  floor {big} NOT NULL,
  -- The numbering lease's epoch: a holder that lost the lease finds another number here.
  epoch {big} NOT NULL
);
INSERT INTO log_head (one, position, sealed, floor, epoch) VALUES (1, 0, 0, 1, 0);

CREATE TABLE seal (
  segment {big} PRIMARY KEY,
  first_position {big} NOT NULL,
  last_position {big} NOT NULL,
  last_time {big} NOT NULL,
  previous {text} NOT NULL,
  hash {text} NOT NULL,
  sealed_at {big} NOT NULL
);
CREATE UNIQUE INDEX seal_last ON seal (last_position);

CREATE TABLE lease (
  name {text} PRIMARY KEY,
  holder {text} NOT NULL,
  epoch {big} NOT NULL,
  expires {big} NOT NULL
);
INSERT INTO lease (name, holder, epoch, expires) VALUES ('log', '', 0, 0);

-- Public ids: a sequence for each kind.
sqlite: CREATE TABLE sequence (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
sqlite: INSERT INTO sequence (kind, value) VALUES ('biz', 0), ('set', 0), ('module', 0), ('inst', 0), ('host', 0);
postgres: CREATE SEQUENCE biz_id;
postgres: CREATE SEQUENCE set_id;
postgres: CREATE SEQUENCE module_id;
postgres: CREATE SEQUENCE inst_id;
postgres: CREATE SEQUENCE host_id;

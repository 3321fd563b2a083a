-- Hosts, where they are, and saved queries over them.

-- Every account has a cloud area 0, so public ids are unique in an account and no longer beyond it.
postgres: ALTER TABLE node DROP CONSTRAINT node_inst;
postgres: ALTER TABLE node ADD CONSTRAINT node_inst UNIQUE (account, object_id, inst_id);
-- SQLite cannot drop a constraint: the table is made anew, and what refers to it is checked when the step commits.
sqlite: PRAGMA defer_foreign_keys = ON;
sqlite: DROP TABLE placement;
sqlite: DROP TABLE host;
sqlite: CREATE TEMP TABLE kept AS SELECT * FROM node;
sqlite: DROP TABLE node;
sqlite: CREATE TABLE node (
sqlite:   id INTEGER PRIMARY KEY AUTOINCREMENT,
sqlite:   account TEXT NOT NULL REFERENCES account,
sqlite:   object_id TEXT NOT NULL,
sqlite:   inst_id INTEGER NOT NULL,
sqlite:   business INTEGER REFERENCES node,
sqlite:   parent INTEGER REFERENCES node,
sqlite:   biz_id INTEGER NOT NULL,
sqlite:   parent_id INTEGER NOT NULL,
sqlite:   name TEXT NOT NULL,
sqlite:   name_key TEXT NOT NULL,
sqlite:   built_in INTEGER NOT NULL,
sqlite:   attributes TEXT NOT NULL,
sqlite:   creator TEXT NOT NULL,
sqlite:   create_time INTEGER NOT NULL,
sqlite:   last_time INTEGER NOT NULL,
sqlite:   CONSTRAINT node_inst UNIQUE (account, object_id, inst_id),
sqlite:   CONSTRAINT node_place UNIQUE (id, parent, business)
sqlite: ) STRICT;
sqlite: INSERT INTO node (id, account, object_id, inst_id, business, parent, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
sqlite:   SELECT id, account, object_id, inst_id, business, parent, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time FROM kept;
sqlite: DROP TABLE kept;
sqlite: CREATE UNIQUE INDEX node_sibling_name ON node (parent, object_id, name_key);
sqlite: CREATE UNIQUE INDEX node_account_name ON node (account, object_id, name_key) WHERE parent IS NULL AND object_id <> 'biz';
sqlite: CREATE INDEX node_of_business ON node (business, object_id, inst_id);

INSERT INTO node (account, object_id, inst_id, biz_id, parent_id, name, name_key, built_in, attributes, creator, create_time, last_time)
  SELECT name, 'plat', 0, 0, 0, 'default area', 'default area', 1, '{}', 'system', 0, 0 FROM account;

-- No operation could make a host before this step, so there are none to keep.
postgres: DROP TABLE placement;
postgres: DROP TABLE host;
CREATE TABLE host (
  id {id},
  account {text} NOT NULL REFERENCES account,
  host_id {big} NOT NULL,
  business {big} NOT NULL REFERENCES business,
  -- The cloud area's node and its public id.
  cloud {big} NOT NULL,
  cloud_id {big} NOT NULL,
  -- One address or a comma list of them, each in its canonical spelling.
  inner_ip {text} NOT NULL,
  attributes {json} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT host_key UNIQUE (host_id),
  CONSTRAINT host_in_business UNIQUE (id, business),
  CONSTRAINT host_cloud FOREIGN KEY (cloud) REFERENCES node
);
CREATE INDEX host_by_business ON host (business, host_id);
CREATE INDEX host_by_account ON host (account, host_id);
CREATE INDEX host_by_cloud ON host (cloud, host_id);

-- A host is told from others by its inner addresses in its cloud area.
CREATE TABLE host_ip (
  ip {text} NOT NULL,
  cloud {big} NOT NULL,
  host {big} NOT NULL REFERENCES host,
  CONSTRAINT host_ip_key PRIMARY KEY (ip, cloud)
);
CREATE INDEX host_ip_of ON host_ip (host);

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

CREATE TABLE custom_query (
  id {text} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  business {big} NOT NULL REFERENCES business,
  biz_id {big} NOT NULL,
  name {text} NOT NULL,
  -- As it was sent, byte for byte.
  info {text} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  -- Empty and 0 until the first update.
  modifier {text} NOT NULL,
  last_time {big} NOT NULL
);
CREATE UNIQUE INDEX custom_query_name ON custom_query (business, name);

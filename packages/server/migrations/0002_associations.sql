-- compatible: yes
-- An older program makes no associations, and what it deletes is refused by the foreign keys below while it is associated.

-- Kinds of associations that users have defined. Those of every account follow from the program.
CREATE TABLE association_kind (
  id {big} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  kind {text} NOT NULL,
  name {text} NOT NULL,
  -- How the source is related to the target, and the target to the source, in words.
  source_note {text} NOT NULL,
  target_note {text} NOT NULL,
  direction {text} NOT NULL,
  CONSTRAINT association_kind_key UNIQUE (account, kind)
);

-- Which objects may be associated, and how. Those of the main line follow from the levels.
CREATE TABLE object_association (
  id {big} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  association_id {text} NOT NULL,
  name {text} NOT NULL,
  source_object {text} NOT NULL,
  target_object {text} NOT NULL,
  kind {text} NOT NULL,
  -- 1:1, 1:n or n:n.
  mapping {text} NOT NULL,
  -- none, delete_src or delete_dest.
  on_delete {text} NOT NULL,
  CONSTRAINT object_association_key UNIQUE (account, association_id),
  CONSTRAINT object_association_pair UNIQUE (account, source_object, kind, target_object),
  CONSTRAINT object_association_source FOREIGN KEY (account, source_object) REFERENCES object (account, object_id),
  CONSTRAINT object_association_target FOREIGN KEY (account, target_object) REFERENCES object (account, object_id)
);
CREATE INDEX object_association_of_target ON object_association (account, target_object);
CREATE INDEX object_association_of_kind ON object_association (account, kind);

-- Associated instances. Each end is a node or a host.
CREATE TABLE instance_association (
  id {big} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  association {big} NOT NULL,
  source_id {big} NOT NULL,
  target_id {big} NOT NULL,
  source_node {big},
  source_host {big},
  target_node {big},
  target_host {big},
  -- The mapping as constraints: the source where it may have one target only, the target where it may have one source only.
  single_source {big},
  single_target {big},
  CONSTRAINT instance_association_pair UNIQUE (association, source_id, target_id),
  CONSTRAINT instance_association_of FOREIGN KEY (association) REFERENCES object_association,
  CONSTRAINT instance_association_source_node FOREIGN KEY (source_node) REFERENCES node,
  CONSTRAINT instance_association_source_host FOREIGN KEY (source_host) REFERENCES host,
  CONSTRAINT instance_association_target_node FOREIGN KEY (target_node) REFERENCES node,
  CONSTRAINT instance_association_target_host FOREIGN KEY (target_host) REFERENCES host
);
CREATE UNIQUE INDEX instance_association_single_source ON instance_association (association, single_source);
CREATE UNIQUE INDEX instance_association_single_target ON instance_association (association, single_target);
CREATE INDEX instance_association_by_target ON instance_association (association, target_id);
CREATE INDEX instance_association_by_account ON instance_association (account, id);
CREATE INDEX instance_association_by_source_node ON instance_association (source_node, id) WHERE source_node IS NOT NULL;
CREATE INDEX instance_association_by_source_host ON instance_association (source_host, id) WHERE source_host IS NOT NULL;
CREATE INDEX instance_association_by_target_node ON instance_association (target_node, id) WHERE target_node IS NOT NULL;
CREATE INDEX instance_association_by_target_host ON instance_association (target_host, id) WHERE target_host IS NOT NULL;

-- Kinds that every account has are 1 to 6.
sqlite: INSERT INTO sequence (kind, value) VALUES
sqlite:   ('association_kind', 100), ('object_association', 0), ('instance_association', 0);
postgres: CREATE SEQUENCE association_kind_id;
postgres: ALTER SEQUENCE association_kind_id RESTART WITH 101;
postgres: CREATE SEQUENCE object_association_id;
postgres: CREATE SEQUENCE instance_association_id;

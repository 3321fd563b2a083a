-- compatible: yes
-- The past: versions of stored rows, derived from the log in the background. An older program neither writes nor reads them; what it
-- changes is in the log, too.

-- How far the log has been turned into versions, and which process does. Without a row, or at -1, that has not begun.
CREATE TABLE past_head (
  one {big} PRIMARY KEY CHECK (one = 1),
  position {big} NOT NULL,
  -- Versions that ended up to here have been removed, as retention has removed their records.
  trimmed {big} NOT NULL,
  holder {text} NOT NULL,
  expires {big} NOT NULL
);

CREATE TABLE past_account (
  account {text} PRIMARY KEY,
  -- Which kinds of rows have been copied from the live tables: see areas/history/past/filling.ts.
  stage {big} NOT NULL,
  -- The last row of the stage that has been copied.
  copied_to {big} NOT NULL,
  -- The past is complete from this position on.
  complete_from {big} NOT NULL,
  -- Older records are still being read, from below this position downward; 0 when all have been.
  reading_below {big} NOT NULL,
  -- Where copying began.
  began_at {big} NOT NULL,
  -- Not before this time, in milliseconds since 1970.
  begin_after {big} NOT NULL
);

-- Ids here are derived from public ids: see areas/history/past/codes.ts. A version that has not ended has the largest integer as its end,
-- one whose beginning is not known begins at 0.
CREATE TABLE past_node (
  account {text} NOT NULL,
  id {big} NOT NULL,
  object_id {text} NOT NULL,
  inst_id {big} NOT NULL,
  business {big},
  biz_id {big} NOT NULL,
  parent {big},
  parent_id {big} NOT NULL,
  name {text} NOT NULL,
  name_key {text} NOT NULL,
  built_in {big} NOT NULL,
  attributes {json} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  revision {big} NOT NULL,
  -- Of a business; '' of other nodes.
  status {text} NOT NULL,
  from_position {big} NOT NULL,
  to_position {big} NOT NULL,
  PRIMARY KEY (account, id, to_position)
);
CREATE INDEX past_node_of_business ON past_node (account, business, to_position);
CREATE INDEX past_node_of_object ON past_node (account, object_id, to_position) WHERE business IS NULL;
CREATE INDEX past_node_below ON past_node (account, parent, to_position);

CREATE TABLE past_host (
  account {text} NOT NULL,
  id {big} NOT NULL,
  host_id {big} NOT NULL,
  business {big} NOT NULL,
  biz_id {big} NOT NULL,
  cloud {big} NOT NULL,
  cloud_id {big} NOT NULL,
  inner_ip {text} NOT NULL,
  attributes {json} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  revision {big} NOT NULL,
  from_position {big} NOT NULL,
  to_position {big} NOT NULL,
  PRIMARY KEY (account, id, to_position)
);
CREATE INDEX past_host_of_business ON past_host (account, business, to_position);

-- One row for each module of a host. All of them end when one of them changes.
CREATE TABLE past_placement (
  account {text} NOT NULL,
  host {big} NOT NULL,
  module {big} NOT NULL,
  set_node {big} NOT NULL,
  business {big} NOT NULL,
  biz_id {big} NOT NULL,
  from_position {big} NOT NULL,
  to_position {big} NOT NULL,
  PRIMARY KEY (account, host, to_position, module)
);
CREATE INDEX past_placement_of_module ON past_placement (account, module, to_position);
CREATE INDEX past_placement_of_set ON past_placement (account, set_node, to_position);

-- Rows of all other kinds: the model, saved queries, groups, roles, associations.
CREATE TABLE past_row (
  account {text} NOT NULL,
  kind {text} NOT NULL,
  key {text} NOT NULL,
  content {json} NOT NULL,
  from_position {big} NOT NULL,
  to_position {big} NOT NULL,
  PRIMARY KEY (account, kind, key, to_position)
);

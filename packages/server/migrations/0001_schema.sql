-- compatible: no, it creates the schema
-- {big}, {text}, {json} and {id} are replaced by the types of the engine; a line that starts with an engine's name is for that engine alone.

-- Steps after which programs that do not know them must make no changes. Beside all other steps they go on. See
-- docs/decisions/0019-upgrades-without-a-pause.md.
CREATE TABLE breaking_step (
  number {big} PRIMARY KEY
);

-- The model: accounts, objects and their attributes.

CREATE TABLE account (
  name {text} PRIMARY KEY,
  -- This row is the lock on the chain of levels: shared by every change, exclusive for a change of levels.
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
-- One object below another: two levels inserted concurrently cannot fork the chain.
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
  -- 0: not searchable. Otherwise the number under which its values are kept, drawn anew each time it is switched on, so that values
  -- left from an earlier time are never used.
  searchable {big} NOT NULL DEFAULT 0,
  -- 1 once the values of all instances are kept; until then only those of instances changed since, and of those filled in so far.
  filled {big} NOT NULL DEFAULT 0,
  -- The public id of the last instance that has been filled in.
  filled_to {big} NOT NULL DEFAULT -1,
  CONSTRAINT attribute_group_of FOREIGN KEY (account, object_id, group_id)
    REFERENCES attribute_group (account, object_id, group_id)
);
CREATE UNIQUE INDEX attribute_key ON attribute (account, object_id, attribute_id);
CREATE INDEX attribute_unfilled ON attribute (id) WHERE searchable <> 0 AND filled = 0;

-- Values of searchable attributes. A text has the number 0, a number the text ''. The instance is a row of node or of host, as the key says.
CREATE TABLE attribute_value (
  key {big} NOT NULL,
  text {text} NOT NULL,
  number {real} NOT NULL,
  instance {big} NOT NULL,
  CONSTRAINT attribute_value_key PRIMARY KEY (key, text, number, instance)
sqlite: ) STRICT, WITHOUT ROWID;
postgres: );
CREATE INDEX attribute_value_of ON attribute_value (instance, key);

-- Keys that no attribute has any more. Their values are removed some time later, when no reader that knew them is still running.
CREATE TABLE dropped_key (
  key {big} PRIMARY KEY,
  dropped_at {big} NOT NULL
);

-- The topology and hosts.

-- Every instance of the main line above the hosts, businesses included, so that every parent is a foreign key.
CREATE TABLE node (
  id {id},
  account {text} NOT NULL REFERENCES account,
  object_id {text} NOT NULL,
  inst_id {big} NOT NULL,
  -- The node of the business; NULL on the business itself.
  business {big} REFERENCES node,
  parent {big} REFERENCES node,
  -- The public ids of the two, so that reading an instance is reading one row. A business has its own id and no parent: 0.
  biz_id {big} NOT NULL,
  parent_id {big} NOT NULL,
  name {text} NOT NULL,
  -- The name, with built-in names of all languages mapped to one: what is unique among siblings.
  name_key {text} NOT NULL,
  -- 1 resource pool, idle pool or idle machine; 2 fault machine; 0 what users create.
  built_in {big} NOT NULL,
  attributes {json} NOT NULL,
  creator {text} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  -- How often the instance was changed, its creation included: assigned under the lock that protects it.
  revision {big} NOT NULL DEFAULT 1,
  -- Every account has a cloud area 0, so public ids are unique within an account only.
  CONSTRAINT node_inst UNIQUE (account, object_id, inst_id),
  CONSTRAINT node_place UNIQUE (id, parent, business)
);
CREATE UNIQUE INDEX node_sibling_name ON node (parent, object_id, name_key);
-- Instances of objects beside the main line have no parent: there a name is unique in the account.
CREATE UNIQUE INDEX node_account_name ON node (account, object_id, name_key) WHERE parent IS NULL AND object_id <> 'biz';
CREATE INDEX node_of_business ON node (business, object_id, inst_id);

-- What belongs to a business as a whole. The row is its lock.
CREATE TABLE business (
  node {big} PRIMARY KEY REFERENCES node,
  account {text} NOT NULL REFERENCES account,
  biz_id {big} NOT NULL,
  -- enable, or disabled when archived.
  status {text} NOT NULL,
  -- NULL while archived: names are unique among the others.
  living_name {text},
  -- Stamps of the last change inside the business, and of the last that shows in its tree.
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
  -- The node of the cloud area and its public id.
  cloud {big} NOT NULL,
  cloud_id {big} NOT NULL,
  -- One address or a comma list of them, each in its canonical spelling.
  inner_ip {text} NOT NULL,
  attributes {json} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  revision {big} NOT NULL DEFAULT 1,
  CONSTRAINT host_key UNIQUE (host_id),
  CONSTRAINT host_in_business UNIQUE (id, business),
  CONSTRAINT host_cloud FOREIGN KEY (cloud) REFERENCES node
);
CREATE INDEX host_by_business ON host (business, host_id);
CREATE INDEX host_by_account ON host (account, host_id);
CREATE INDEX host_by_cloud ON host (cloud, host_id);

-- A host is identified by its inner addresses in its cloud area.
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

-- Saved queries.

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
  last_time {big} NOT NULL,
  revision {big} NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX custom_query_name ON custom_query (business, name);

-- Saved queries that subscriptions name, and the members that subscribers know of.
CREATE TABLE query_watch (
  -- Outlives the query until its hosts have left it.
  query {text} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  biz_id {big} NOT NULL,
  -- The last name of the query.
  name {text} NOT NULL,
  -- All log records up to here have been evaluated.
  position {big} NOT NULL,
  -- 1: no subscription names it any more, and its members are being removed.
  ended {big} NOT NULL
);

-- No reference to hosts: one that is deleted has yet to leave.
CREATE TABLE query_member (
  query {text} NOT NULL REFERENCES query_watch,
  host_id {big} NOT NULL,
  CONSTRAINT query_member_key PRIMARY KEY (query, host_id)
);

-- Users, what they keep for themselves, and their privileges.

-- A user who keeps settings, favourites or a history. The row is the lock on all of it.
CREATE TABLE owner (
  account {text} NOT NULL REFERENCES account,
  name {text} NOT NULL,
  CONSTRAINT owner_key PRIMARY KEY (account, name)
);

CREATE TABLE setting (
  setting_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  -- JSON as text: it is answered as it was sent, and its size is the same on both engines.
  kept {text} NOT NULL,
  CONSTRAINT setting_key PRIMARY KEY (account, owner),
  CONSTRAINT setting_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);

-- A host search under a name.
CREATE TABLE favourite (
  id {id},
  favourite_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  name {text} NOT NULL,
  info {text} NOT NULL,
  query_params {text} NOT NULL,
  is_default {big} NOT NULL,
  uses {big} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT favourite_key UNIQUE (favourite_id),
  CONSTRAINT favourite_name UNIQUE (account, owner, name),
  CONSTRAINT favourite_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);

-- The newest host searches of a user.
CREATE TABLE search_history (
  id {id},
  search_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  content {text} NOT NULL,
  create_time {big} NOT NULL,
  CONSTRAINT search_history_key UNIQUE (search_id),
  CONSTRAINT search_history_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);
CREATE INDEX search_history_of_owner ON search_history (account, owner, id);

-- The privileges of a role: users named by the attribute in a business have them there. Lists and maps are JSON in text: they are read
-- whole, and keep their order.
CREATE TABLE role_binding (
  account {text} NOT NULL REFERENCES account,
  object_id {text} NOT NULL,
  attribute_id {text} NOT NULL,
  privileges {text} NOT NULL,
  CONSTRAINT role_binding_key PRIMARY KEY (account, object_id, attribute_id)
);

CREATE TABLE user_group (
  id {id},
  account {text} NOT NULL REFERENCES account,
  group_id {text} NOT NULL,
  name {text} NOT NULL,
  user_list {text} NOT NULL,
  privileges {text} NOT NULL,
  revision {big} NOT NULL DEFAULT 1,
  CONSTRAINT user_group_key UNIQUE (account, group_id)
);
CREATE UNIQUE INDEX user_group_name ON user_group (account, name);

-- The users of user_list, one row each, to find the groups of a user.
CREATE TABLE group_member (
  account {text} NOT NULL,
  user_name {text} NOT NULL,
  user_group {big} NOT NULL REFERENCES user_group,
  CONSTRAINT group_member_key PRIMARY KEY (account, user_name, user_group)
);
CREATE INDEX group_member_of ON group_member (user_group);

-- API tokens. Secrets are random and long, so that a single pass of SHA-256 is enough.
CREATE TABLE token (
  id {id},
  account {text} NOT NULL REFERENCES account,
  user_name {text} NOT NULL,
  -- The label that its owner gave it.
  name {text} NOT NULL,
  secret_hash {text} NOT NULL,
  read_only {big} NOT NULL,
  create_time {big} NOT NULL,
  -- NULL: never.
  expires {big},
  last_used {big},
  revoked {big}
);

-- Browsers that are signed in. The account is created with the first request made in it.
CREATE TABLE session (
  id_hash {text} PRIMARY KEY,
  account {text} NOT NULL,
  user_name {text} NOT NULL,
  expires {big} NOT NULL,
  begun {big} NOT NULL DEFAULT 0,
  -- When the identity provider is asked next whether the session may go on. 0: never.
  renew_at {big} NOT NULL DEFAULT 0,
  -- Encrypted with a key that only the browser has.
  refresh_token {text} NOT NULL DEFAULT ''
);
CREATE INDEX session_by_expiry ON session (expires);

-- Results of requests with an Idempotency-Key, written by the transaction that made the change. A request that makes several changes has
-- a step for each.
CREATE TABLE idempotent_change (
  account {text} NOT NULL,
  user_name {text} NOT NULL,
  key {text} NOT NULL,
  step {big} NOT NULL,
  request_hash {text} NOT NULL,
  result {text} NOT NULL,
  made_at {big} NOT NULL,
  PRIMARY KEY (account, user_name, key, step)
);
CREATE INDEX idempotent_change_by_age ON idempotent_change (made_at);

-- Changes that wait for an account (business 0) or a business alone, until when by the database's clock: others let them go first. Without
-- a foreign key, which would wait for the very lock that is waited for. On SQLite changes queue in the process, and nothing is marked.
CREATE TABLE waiting_change (
  account {text} NOT NULL,
  token {text} NOT NULL,
  until {big} NOT NULL,
  business {big} NOT NULL DEFAULT 0,
  PRIMARY KEY (account, token)
);

-- The log. Audit search, subscriptions and watch all read this one table.

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
  events {text} NOT NULL,
  -- The revision that the change gave the instance (0: it has none), and the caller's reason for the change.
  revision {big} NOT NULL DEFAULT 0,
  reason {text} NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX log_position ON log (position);
-- Also decides whether a change whose commit was cut off has happened.
CREATE UNIQUE INDEX log_txn ON log (txn_id, ordinal);
CREATE INDEX log_by_time ON log (account, op_time, ticket);
CREATE INDEX log_by_business ON log (account, biz_id, op_time, ticket);
CREATE INDEX log_by_instance ON log (account, object_id, inst_id, op_time);
CREATE INDEX log_by_operator ON log (account, operator, op_time, ticket);
-- For readers that follow one kind of object. The position is spelled so that only this index can answer: PostgreSQL, planning for any
-- object, would often walk through all records by log_position.
CREATE INDEX log_by_object ON log (account, object_id, (position + 0));
-- For what was done to a host, by its address. Few records of other objects have a key.
CREATE INDEX log_by_key ON log (account, ext_key, ticket) WHERE ext_key <> '';
-- Keys of several addresses are few, and read through.
CREATE INDEX log_by_keys ON log (account, ticket) WHERE ext_key LIKE '%,%';
postgres: CREATE INDEX log_unnumbered ON log (ticket) WHERE position IS NULL;
postgres: CREATE SEQUENCE log_ticket OWNED BY log.ticket;
postgres: ALTER TABLE log ALTER COLUMN ticket SET DEFAULT nextval('log_ticket');

CREATE TABLE log_head (
  one {big} PRIMARY KEY CHECK (one = 1),
  position {big} NOT NULL,
  sealed {big} NOT NULL,
  -- Records below the floor have been removed by retention.
  floor {big} NOT NULL,
  -- The epoch of the numbering lease: a holder that lost the lease finds another number here.
  epoch {big} NOT NULL,
  -- Records up to this position are counted in log_tally.
  tallied {big} NOT NULL DEFAULT 0,
  -- The time of the newest record. The next one is not earlier, so that the order by time is the order by position.
  time {big} NOT NULL DEFAULT 0,
  -- Seals up to this segment have been sent to the witness.
  witnessed {big} NOT NULL DEFAULT 0
);
INSERT INTO log_head (one, position, sealed, floor, epoch) VALUES (1, 0, 0, 1, 0);

CREATE TABLE seal (
  segment {big} PRIMARY KEY,
  first_position {big} NOT NULL,
  last_position {big} NOT NULL,
  last_time {big} NOT NULL,
  previous {text} NOT NULL,
  hash {text} NOT NULL,
  sealed_at {big} NOT NULL,
  -- The root of a Merkle tree over the records.
  root {text} NOT NULL DEFAULT '',
  -- As they were when it was sealed: the oldest record kept, and how long records are kept.
  floor {big} NOT NULL DEFAULT 0,
  retention_days {big} NOT NULL DEFAULT 0,
  -- The segment with which signing began, the key, and the signature over all other columns; 0 and '' without a key.
  signed_since {big} NOT NULL DEFAULT 0,
  key_id {text} NOT NULL DEFAULT '',
  signature {text} NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX seal_last ON seal (last_position);

-- How many records of each kind a sealed segment holds: ten million are counted without being read.
CREATE TABLE log_tally (
  account {text} NOT NULL,
  segment {big} NOT NULL,
  biz_id {big} NOT NULL,
  object_id {text} NOT NULL,
  operation {big} NOT NULL,
  operator {text} NOT NULL,
  records {big} NOT NULL,
  PRIMARY KEY (account, segment, biz_id, object_id, operation, operator)
);
CREATE INDEX log_tally_segment ON log_tally (segment);

CREATE TABLE lease (
  name {text} PRIMARY KEY,
  holder {text} NOT NULL,
  epoch {big} NOT NULL,
  expires {big} NOT NULL
);
INSERT INTO lease (name, holder, epoch, expires) VALUES ('log', '', 0, 0);

-- The log has gone back to an earlier moment, or must be assumed to have: records after `position` are lost. The newest row also says
-- where the database was last seen, so that a copy that is used elsewhere, or a standby that was promoted, is noticed.
CREATE TABLE history_reset (
  id {id},
  -- Random: processes compare it with the resets that they know of.
  token {text} NOT NULL,
  position {big} NOT NULL,
  time {big} NOT NULL,
  cause {text} NOT NULL,
  -- '' until the first start after it.
  place {text} NOT NULL,
  -- 1 when commits were confirmed by a standby there.
  synchronous {big} NOT NULL
);

-- Subscriptions and their delivery.

CREATE TABLE subscription (
  id {big} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  -- 0 for the events of all businesses.
  biz_id {big} NOT NULL,
  name {text} NOT NULL,
  system_name {text} NOT NULL,
  callback_url {text} NOT NULL,
  confirm_mode {text} NOT NULL,
  confirm_pattern {text} NOT NULL,
  -- Names of events, separated by commas.
  form {text} NOT NULL,
  timeout {big} NOT NULL,
  secret {text} NOT NULL,
  -- The secret before a rotation, which signs too until then.
  old_secret {text} NOT NULL,
  old_until {big} NOT NULL,
  paused {big} NOT NULL,
  -- Counts changes, so that senders know when to read it again.
  version {big} NOT NULL,
  operator {text} NOT NULL,
  last_time {big} NOT NULL,
  revision {big} NOT NULL DEFAULT 1,
  -- The user who defined it last: it is sent what that user may search.
  defined_by {text} NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX subscription_name ON subscription (account, name);

-- The progress of a subscription and its sender. Every write by a sender is conditional on epoch and old position.
CREATE TABLE delivery (
  subscription {big} PRIMARY KEY REFERENCES subscription,
  -- Everything in the log up to here has been sent or set aside.
  position {big} NOT NULL,
  -- Tickets of records that existed when it was subscribed and had no position yet: a JSON array.
  skipped {text} NOT NULL,
  -- Numbers below it are never used again.
  next_distribution {big} NOT NULL,
  -- A row of `sender`, or '' for none.
  owner {text} NOT NULL,
  epoch {big} NOT NULL,
  total {big} NOT NULL,
  failure {big} NOT NULL,
  -- Why it is unreachable; '' when it is not.
  unreachable {text} NOT NULL,
  -- The positions that retention removed before they were sent; 0 and 0 for none.
  lapsed_from {big} NOT NULL,
  lapsed_to {big} NOT NULL,
  -- A record that renames something has one hostidentifier event for each host below it, which may be very many. How many events of the
  -- record behind `position` have been sent or set aside, so that a restart does not begin them anew.
  passed {big} NOT NULL DEFAULT 0
);
CREATE INDEX delivery_owner ON delivery (owner);

-- Events that were rejected: waiting for their next try, or dead letters when due is NULL.
CREATE TABLE undelivered (
  subscription {big} NOT NULL REFERENCES delivery,
  position {big} NOT NULL,
  event {big} NOT NULL,
  distribution_id {big} NOT NULL,
  tries {big} NOT NULL,
  due {big},
  time {big} NOT NULL,
  error {text} NOT NULL,
  -- The instance of the event, such as set/7: later events about the same instance wait for it. '' holds nothing back.
  instance {text} NOT NULL DEFAULT '',
  -- As it was sent: the record of the event may be removed.
  webhook_id {text} NOT NULL DEFAULT '',
  CONSTRAINT undelivered_key PRIMARY KEY (subscription, position, event)
);

-- Ranges of the log that are to be sent again.
CREATE TABLE replay (
  id {id},
  subscription {big} NOT NULL REFERENCES delivery,
  position {big} NOT NULL,
  last_position {big} NOT NULL,
  passed {big} NOT NULL DEFAULT 0
);
CREATE INDEX replay_of_subscription ON replay (subscription, id);

-- The newest pushes. The number is that of the statistics' total.
CREATE TABLE attempt (
  subscription {big} NOT NULL REFERENCES delivery,
  number {big} NOT NULL,
  time {big} NOT NULL,
  position {big} NOT NULL,
  event {big} NOT NULL,
  distribution_id {big} NOT NULL,
  result {text} NOT NULL,
  status {big},
  duration {big} NOT NULL,
  error {text} NOT NULL,
  answer {text} NOT NULL,
  webhook_id {text} NOT NULL DEFAULT '',
  CONSTRAINT attempt_key PRIMARY KEY (subscription, number)
);

-- A process that sends, and until when it is taken to be alive, by the database's clock.
CREATE TABLE sender (
  id {text} PRIMARY KEY,
  expires {big} NOT NULL
);

-- Public ids: a sequence for each kind. `value` numbers the keys of searchable attributes.
sqlite: CREATE TABLE sequence (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
sqlite: INSERT INTO sequence (kind, value) VALUES
sqlite:   ('biz', 0), ('set', 0), ('module', 0), ('inst', 0), ('host', 0), ('value', 0), ('subscription', 0);
postgres: CREATE SEQUENCE biz_id;
postgres: CREATE SEQUENCE set_id;
postgres: CREATE SEQUENCE module_id;
postgres: CREATE SEQUENCE inst_id;
postgres: CREATE SEQUENCE host_id;
postgres: CREATE SEQUENCE value_id;
postgres: CREATE SEQUENCE subscription_id;

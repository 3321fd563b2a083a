-- What a role gives: whoever the attribute names in a business has these privileges there. Lists and maps are JSON in text:
-- they are read whole, and keep their order.
CREATE TABLE role_binding (
  account {text} NOT NULL REFERENCES account,
  object_id {text} NOT NULL,
  attribute_id {text} NOT NULL,
  privileges {text} NOT NULL,
  CONSTRAINT role_binding_key PRIMARY KEY (account, object_id, attribute_id)
);
INSERT INTO role_binding (account, object_id, attribute_id, privileges)
  SELECT name, 'biz', 'bk_biz_maintainer', '["hostupdate","hosttrans","topoupdate","customapi","proconfig"]' FROM account;

CREATE TABLE user_group (
  id {id},
  account {text} NOT NULL REFERENCES account,
  group_id {text} NOT NULL,
  name {text} NOT NULL,
  user_list {text} NOT NULL,
  privileges {text} NOT NULL,
  CONSTRAINT user_group_key UNIQUE (account, group_id)
);
CREATE UNIQUE INDEX user_group_name ON user_group (account, name);

-- The users of user_list, one by one: what finds the groups of a user without looking at the others.
CREATE TABLE group_member (
  account {text} NOT NULL,
  user_name {text} NOT NULL,
  user_group {big} NOT NULL REFERENCES user_group,
  CONSTRAINT group_member_key PRIMARY KEY (account, user_name, user_group)
);
CREATE INDEX group_member_of ON group_member (user_group);

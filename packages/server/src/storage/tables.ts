import type { associations } from '@mainline/contract'
import type { Generated } from 'kysely'

/** Flags are 0 or 1 and times are milliseconds since 1970, because both engines agree on integers. JSON is text. */
export interface Tables {
  account: { name: string; chain_version: number; model_version: number }
  classification: {
    id: Generated<number>
    account: string
    classification_id: string
    name: string
    icon: string
    preset: number
  }
  object: {
    id: Generated<number>
    account: string
    object_id: string
    classification_id: string
    name: string
    icon: string
    preset: number
    paused: number
    creator: string
    create_time: number
    last_time: number
    above: string | null
  }
  attribute_group: {
    id: Generated<number>
    account: string
    object_id: string
    group_id: string
    name: string
    position: number
    preset: number
  }
  attribute: {
    id: Generated<number>
    account: string
    object_id: string
    attribute_id: string
    name: string
    group_id: string
    position: number
    type: string
    options: string
    unit: string
    placeholder: string
    required: number
    editable: number
    preset: number
    creator: string
    create_time: number
    last_time: number
    /** The key of its rows in `attribute_value`; 0 when it is not searchable. */
    searchable: Generated<number>
    filled: Generated<number>
    filled_to: Generated<number>
  }
  attribute_value: { key: number; text: string; number: number; instance: number }
  dropped_key: { key: number; dropped_at: number }
  unique_rule: {
    id: Generated<number>
    account: string
    object_id: string
    attributes: string
    must_check: number
    key: number
    state: string
    checked: number
    checked_to: number
    duplicates: string
    last_time: number
  }
  unique_value: { key: number; value: string; instance: number }
  association_kind: {
    id: number
    account: string
    kind: string
    name: string
    source_note: string
    target_note: string
    direction: associations.KindRecord['direction']
  }
  object_association: {
    id: number
    account: string
    association_id: string
    name: string
    source_object: string
    target_object: string
    kind: string
    mapping: associations.Mapping
    on_delete: associations.Deletion
  }
  instance_association: {
    id: number
    account: string
    association: number
    source_id: number
    target_id: number
    source_node: number | null
    source_host: number | null
    target_node: number | null
    target_host: number | null
    /** The source, if it may have one target only. */
    single_source: number | null
    /** The target, if it may have one source only. */
    single_target: number | null
  }
  node: {
    id: Generated<number>
    account: string
    object_id: string
    inst_id: number
    business: number | null
    biz_id: number
    parent: number | null
    parent_id: number
    name: string
    name_key: string
    built_in: number
    attributes: string
    creator: string
    create_time: number
    last_time: number
    revision: Generated<number>
  }
  business: {
    node: number
    account: string
    biz_id: number
    status: string
    living_name: string | null
    version: number
    tree_version: number
  }
  host: {
    id: Generated<number>
    account: string
    host_id: number
    business: number
    cloud: number
    cloud_id: number
    inner_ip: string
    attributes: string
    create_time: number
    last_time: number
    revision: Generated<number>
  }
  host_ip: { ip: string; cloud: number; host: number }
  custom_query: {
    id: string
    account: string
    business: number
    biz_id: number
    name: string
    info: string
    creator: string
    create_time: number
    modifier: string
    last_time: number
    revision: number
  }
  role_binding: { account: string; object_id: string; attribute_id: string; privileges: string }
  user_group: {
    id: Generated<number>
    account: string
    group_id: string
    name: string
    user_list: string
    privileges: string
    revision: Generated<number>
  }
  group_member: { account: string; user_name: string; user_group: number }
  placement: { host: number; module: number; set_node: number; business: number }
  token: {
    id: Generated<number>
    account: string
    user_name: string
    name: string
    secret_hash: string
    read_only: number
    create_time: number
    expires: number | null
    last_used: number | null
    revoked: number | null
  }
  session: {
    id_hash: string
    account: string
    user_name: string
    expires: number
    begun: Generated<number>
    renew_at: Generated<number>
    refresh_token: Generated<string>
  }
  owner: { account: string; name: string }
  setting: { setting_id: string; account: string; owner: string; kept: string }
  favourite: {
    id: Generated<number>
    favourite_id: string
    account: string
    owner: string
    name: string
    info: string
    query_params: string
    is_default: number
    uses: number
    create_time: number
    last_time: number
  }
  search_history: {
    id: Generated<number>
    search_id: string
    account: string
    owner: string
    content: string
    create_time: number
  }
  log: LogTable
  idempotent_change: {
    account: string
    user_name: string
    key: string
    step: number
    request_hash: string
    result: string
    made_at: number
  }
  log_head: {
    one: number
    position: number
    sealed: number
    floor: number
    epoch: number
    tallied: Generated<number>
    time: Generated<number>
    witnessed: Generated<number>
  }
  log_tally: {
    account: string
    segment: number
    biz_id: number
    object_id: string
    operation: number
    operator: string
    records: number
  }
  seal: {
    segment: number
    first_position: number
    last_position: number
    last_time: number
    previous: string
    hash: string
    sealed_at: number
    /** '' in seals of releases without Merkle trees. */
    root: string
    floor: number
    retention_days: number
    signed_since: number
    key_id: string
    signature: string
  }
  history_reset: {
    id: Generated<number>
    token: string
    position: number
    time: number
    cause: string
    place: string
    synchronous: number
  }
  /** PostgreSQL only; SQLite has one writer at a time. */
  waiting_change: { account: string; token: string; until: number; business: Generated<number> }
  lease: { name: string; holder: string; epoch: number; expires: number }
  subscription: {
    id: number
    account: string
    biz_id: number
    name: string
    system_name: string
    callback_url: string
    confirm_mode: string
    confirm_pattern: string
    form: string
    filter: Generated<string>
    timeout: number
    parallel: Generated<number>
    format: Generated<string>
    batch_max: Generated<number>
    batch_wait_ms: Generated<number>
    secret: string
    old_secret: string
    old_until: number
    paused: number
    version: number
    operator: string
    last_time: number
    revision: Generated<number>
    defined_by: Generated<string>
  }
  delivery: {
    subscription: number
    position: number
    passed: Generated<number>
    settled_ahead: Generated<string>
    skipped: string
    next_distribution: number
    owner: string
    epoch: number
    total: number
    failure: number
    unreachable: string
    lapsed_from: number
    lapsed_to: number
  }
  undelivered: {
    subscription: number
    position: number
    event: number
    distribution_id: number
    tries: number
    due: number | null
    time: number
    error: string
    instance: Generated<string>
    webhook_id: Generated<string>
  }
  replay: {
    id: Generated<number>
    subscription: number
    position: number
    passed: Generated<number>
    settled_ahead: Generated<string>
    last_position: number
  }
  attempt: {
    subscription: number
    number: number
    time: number
    position: number
    event: number
    distribution_id: number
    result: string
    status: number | null
    duration: number
    error: string
    answer: string
    webhook_id: Generated<string>
  }
  sender: { id: string; expires: number }
  query_watch: { query: string; account: string; biz_id: number; name: string; position: number; ended: number }
  query_member: { query: string; host_id: number }
  past_head: { one: number; position: number; trimmed: number; holder: string; expires: number }
  past_account: {
    account: string
    stage: number
    copied_to: number
    complete_from: number
    reading_below: number
    began_at: number
    begin_after: number
  }
  past_node: {
    account: string
    id: number
    object_id: string
    inst_id: number
    business: number | null
    biz_id: number
    parent: number | null
    parent_id: number
    name: string
    name_key: string
    built_in: number
    attributes: string
    creator: string
    create_time: number
    last_time: number
    revision: number
    status: string
    from_position: number
    to_position: number
  }
  past_host: {
    account: string
    id: number
    host_id: number
    business: number
    biz_id: number
    cloud: number
    cloud_id: number
    inner_ip: string
    attributes: string
    create_time: number
    last_time: number
    revision: number
    from_position: number
    to_position: number
  }
  past_placement: {
    account: string
    host: number
    module: number
    set_node: number
    business: number
    biz_id: number
    from_position: number
    to_position: number
  }
  past_row: {
    account: string
    kind: string
    key: string
    content: string
    from_position: number
    to_position: number
  }
  migration: { number: number; name: string; checksum: string; applied_at: number }
  breaking_step: { number: number }
  /** SQLite only; PostgreSQL has sequences of its own. */
  sequence: { kind: string; value: number }
}

export interface LogTable {
  ticket: Generated<number>
  position: Generated<number | null>
  txn_id: string
  ordinal: number
  account: string
  biz_id: number
  object_id: string
  inst_id: number
  operation: number
  description: string
  operator: string
  op_time: number
  ext_key: string
  request_id: string
  content: string
  events: string
  revision: number
  reason: string
}

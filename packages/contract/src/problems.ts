import type { Language } from './language.ts'

/**
 * Every way a request can fail. Codes are stable: never renumbered, never reused. `{holes}` are filled from the details, which the compiler requires
 * by name. Unused here, and kept free for their meaning in the original: 1101013, 1101017, 1101025, 1101033, 1101034, 1110012.
 */
const catalogue = {
  malformedJson: [1199000, 400, 'Deserializing JSON data failed', 'JSON 数据反序列化失败'],
  invalid: [1199006, 400, "'{field}' data parameter verification does not pass", "'{field}' 参数校验不通过"],
  notString: [1199007, 400, "'{field}' must be a string type", "'{field}' 必须是字符串"],
  notInteger: [1199009, 400, "'{field}' parameters must be integral", "'{field}' 必须是整数"],
  unassigned: [1199010, 400, "'{field}' unassigned", "'{field}' 未赋值"],
  unknown: [1199011, 400, "'{field}' the parameter is invalid or does not exist", "'{field}' 参数无效或不存在"],
  duplicate: [1199014, 409, 'duplicated instances exist, {what} duplicated', '存在重复的实例，{what} 重复'],
  outOfBounds: [1199015, 400, 'Data out of bounds', '数据超出范围'],
  patternMismatch: [1199016, 400, 'Field regular check failed', '字段正则校验失败'],
  notFound: [1199019, 404, 'No relevant data found', '没有找到相关数据'],
  notBoolean: [1199025, 400, "'{field}' must be boolean", "'{field}' 必须是布尔值"],
  unauthenticated: [1199027, 401, "'{who}' authorization information query failed", "'{who}' 身份校验失败"],
  tooMany: [1199035, 400, '{what} exceed the limit {limit}', '{what} 超过上限 {limit}'],
  unknownPath: [1199037, 404, 'unknown path or version', '未知的路径或版本'],
  wrongMethod: [1199037, 405, 'unknown path or version', '未知的路径或版本'],
  notFloat: [1199042, 400, "param '{field}' should be a float number", "参数 '{field}' 必须是浮点数"],
  pageLimit: [1199059, 400, 'page limit is exceeded. suggestion 200', '分页数量超过上限，建议 200'],
  malformedRequest: [1199400, 400, 'the request is not valid HTTP', '请求不是有效的 HTTP'],
  requestTimeout: [1199408, 408, 'the request did not arrive in time', '请求未在限定时间内到达'],
  keyRunning: [
    1199409,
    409,
    'a request with this Idempotency-Key is still in progress; retry later',
    '使用该 Idempotency-Key 的请求仍在执行，请稍后重试',
  ],
  undoConflict: [
    1199409,
    409,
    'nothing was undone: {count} records are in conflict with the present; see the list, then repeat with "on_conflict": "skip" or "force"',
    '未做任何撤销：{count} 条记录与现状冲突；请查看列表，再以 "on_conflict": "skip" 或 "force" 重试',
  ],
  recordIncomplete: [
    1199411,
    410,
    'record {position} was written by an earlier release, which did not record everything that is needed to undo it',
    '记录 {position} 由较早的版本写入，未包含撤销所需的全部内容',
  ],
  cursorGone: [
    1199410,
    410,
    'the event log was reset and no longer contains this cursor; reload your data, then resume after position {position} with the returned bk_cursor',
    '事件日志已重置，不再包含该游标；请重新读取数据，再用返回的 bk_cursor 从位置 {position} 之后继续',
  ],
  momentGone: [
    1199410,
    410,
    'the log begins later; the oldest moment that can be read is {time} (position:{position})',
    '日志从更晚的时刻开始；可读取的最早时刻为 {time}（position:{position}）',
  ],
  positionGone: [
    1199410,
    410,
    'position {position} is no longer kept; the oldest moment that can be read is position:{oldest}',
    '位置 {position} 已不再保留；可读取的最早时刻为 position:{oldest}',
  ],
  recordRemoved: [
    1199411,
    410,
    'record {position} was removed by retention; the oldest record that is kept is {oldest}',
    '记录 {position} 已超过保留期限而被清除；现存最早的记录为 {oldest}',
  ],
  noReceipt: [1199424, 409, 'there is no receipt for record {position}', '记录 {position} 没有凭证'],
  revisionMismatch: [
    1199412,
    412,
    'the instance has been changed: its revision is {revision}, not {expected}',
    '实例已被修改：当前版本为 {revision}，而非 {expected}',
  ],
  tooLarge: [1199413, 413, 'the request body is too large', '请求体过大'],
  urlTooLong: [1199414, 414, 'the URL is too long', 'URL 过长'],
  notJson: [1199415, 415, 'the request body is not JSON', '请求体不是 JSON'],
  contentCoding: [1199415, 415, 'the content coding of the body is not supported', '不支持请求体的内容编码'],
  keyReused: [1199422, 422, 'this Idempotency-Key was used for another request', '该 Idempotency-Key 已用于其他请求'],
  tooManyRequests: [1199429, 429, 'too many requests', '请求过多'],
  headersTooLarge: [1199431, 431, 'the URL and the headers are too large together', 'URL 与请求头合计过大'],
  clientGone: [1199499, 499, 'the client closed the connection before the response', '客户端在响应之前关闭了连接'],
  notReady: [1199503, 503, 'the service is not ready', '服务尚未就绪'],
  outcomeUnknown: [1199504, 503, 'the outcome of the change is not known: {txn}', '无法确定变更结果：{txn}'],
  staleCursor: [1103007, 400, 'the cursor is unknown or older than what is kept', '游标未知，或早于保留的数据'],
  internal: [1199999, 500, "'{request}' Internal Server Error", "'{request}' 内部错误"],
  denied: [9900403, 403, 'permission denied: {why}', '没有权限：{why}'],

  setProtected: [1101009, 409, 'Delete set Failed: {why}', '删除集群失败：{why}'],
  modelNotFound: [1101016, 404, 'Query model failed: {why}', '查询模型失败：{why}'],
  attributeNotDeleted: [1101018, 409, 'Failed to delete a model property: {why}', '删除模型属性失败：{why}'],
  attributeGroupNotDeleted: [1101026, 409, 'Failed to delete an attribute group: {why}', '删除属性分组失败：{why}'],
  classificationInUse: [
    1101029,
    409,
    'There is a model under the classification, not allowed to delete',
    '分类下存在模型，不允许删除',
  ],
  hostsUnder: [1101030, 409, 'Having a host under the target', '目标下存在主机'],
  noCloudArea: [1101032, 400, 'cloud area does not exist', '云区域不存在'],
  tooManyLevels: [1101035, 409, 'Business topology level exceeds the limit', '业务拓扑层级超过上限'],
  instanceAssociated: [
    1101036,
    409,
    'the instance is associated with [{what}]; cannot be deleted',
    '实例与 [{what}] 存在关联，不能删除',
  ],
  objectHasInstances: [
    1101037,
    409,
    'the object [{what}] has instances; cannot be deleted',
    '模型 [{what}] 存在实例，不能删除',
  ],
  objectsAssociated: [
    1101038,
    409,
    'the associations {source}->{target} already exist',
    '模型关联 {source}->{target} 已存在',
  ],
  associationInUse: [1101043, 409, 'the association has instances; cannot be deleted', '模型关联已有实例，不能删除'],
  noObjectAssociation: [1101046, 404, 'the object association does not exist', '模型关联不存在'],
  associationFixed: [1101047, 400, "'{field}' of an association cannot be updated", "不能修改关联的 '{field}'"],
  presetAssociationKind: [
    1101051,
    409,
    'a built-in association kind can be neither changed nor deleted',
    '预置的关联类型不能修改或删除',
  ],
  oneToOne: [
    1101052,
    409,
    'an association 1:1 allows one instance at each end; {what} has one already',
    '一对一关联的两端各只能有一个实例，{what} 已有关联',
  ],
  objectAssociated: [
    1101053,
    409,
    'the object is associated with another one by [{what}]; cannot be deleted',
    '模型已通过 [{what}] 与其他模型关联，不能删除',
  ],
  associationKindInUse: [
    1101060,
    409,
    'the association kind is used by [{what}]; cannot be deleted',
    '关联类型已被 [{what}] 使用，不能删除',
  ],
  oneToMany: [
    1101061,
    409,
    'an association 1:n allows one source for each target; {what} has one already',
    '一对多关联中每个目标只能有一个源实例，{what} 已有关联',
  ],
  noTargetInstance: [1101073, 404, 'the target instance {what} does not exist', '目标实例 {what} 不存在'],
  noSourceInstance: [1101074, 404, 'the source instance {what} does not exist', '源实例 {what} 不存在'],
  mainLineKind: [
    1101082,
    400,
    'the kind bk_mainline is reserved for the levels of the main line',
    'bk_mainline 关联类型仅用于主线层级',
  ],
  uniqueViolated: [1101160, 409, 'existing instances violate the unique rule: {what}', '已有实例违反唯一校验：{what}'],
  attributeInUniqueRule: [
    1101165,
    409,
    'the property is used by a unique rule; cannot be deleted',
    '该属性已被唯一校验使用，不能删除',
  ],
  moduleNotFound: [1101080, 400, 'topo module not found', '拓扑模块不存在'],
  businessProtected: [1101081, 409, 'this business may not be deleted', '该业务不允许删除'],
  modelPaused: [1101084, 409, 'the model is paused', '模型已停用'],
  builtInModel: [1001035, 409, 'Prohibition of deleting the built-in model', '禁止删除内置模型'],
  sameNameBelow: [
    1001049,
    409,
    'an instance of the same name exists at this level, deletion failed: {what}',
    '该层级存在同名实例，删除失败：{what}',
  ],
  callbackFailed: [1103004, 502, 'Failed to test callback: {why}', '测试回调失败：{why}'],
  connectionFailed: [1103005, 502, 'Failed to telnet callback: {why}', '测试连通性失败：{why}'],
  hostElsewhere: [1106010, 409, 'the host already belongs to another business', '主机已属于其他业务'],
  hostNotIdle: [1106011, 409, 'The host belongs to a module other than the idle machine', '主机属于空闲机以外的模块'],
  hostNotCreated: [1110004, 400, 'Failed to create host: {why}', '创建主机失败：{why}'],
  hostNotDeleted: [1110006, 409, 'Failed to delete host: {why}', '删除主机失败：{why}'],
  hostNotFound: [1110008, 404, 'The host could not be found', '没有找到主机'],
  hostNotInBusiness: [
    1110023,
    409,
    "Host ID '{host}' does not belong to current business",
    "主机 ID '{host}' 不属于当前业务",
  ],
  filterMissing: [
    1110058,
    400,
    'The object in the parameter is missing a filter such as bk_inst_id',
    '参数中的 object 缺少过滤条件，例如 bk_inst_id',
  ],
  badFile: [1110060, 400, 'the file cannot be imported: {why}', '无法导入该文件：{why}'],
  differs: [1110062, 409, 'it already exists with a different {what}', '已存在，但 {what} 不同'],
  badRow: [1110061, 400, 'the row cannot be imported: {why}', '无法导入该行：{why}'],
} as const satisfies Record<string, readonly [code: number, http: number, en: string, zh: string]>

/** The rule: appended to a problem's text so that the caller can correct the request. */
const rules = {
  oneOf: ['must be one of {values}', '必须是以下之一：{values}'],
  between: ['must be between {min} and {max}', '必须在 {min} 与 {max} 之间'],
  atMost: ['must be at most {max}', '不能大于 {max}'],
  atLeast: ['must be at least {min}', '不能小于 {min}'],
  maxBytes: ["'{field}' may contain at most {max} bytes, got {got}", "'{field}' 最多 {max} 字节，实际 {got}"],
  maxItems: ['at most {max} are allowed', '最多允许 {max} 个'],
  object: ['must be an object', '必须是对象'],
  array: ['must be an array', '必须是数组'],
  pattern: ["'{field}' must match {pattern}", "'{field}' 必须匹配 {pattern}"],
  date: ['must be a date such as 2026-01-31', '必须是日期，例如 2026-01-31'],
  time: [
    'must be a time such as 2026-01-31 08:00:00 or 2026-01-31T08:00:00+08:00',
    '必须是时间，例如 2026-01-31 08:00:00 或 2026-01-31T08:00:00+08:00',
  ],
  moment: [
    'must be a time such as 2026-01-31T08:00:00+08:00, 2026-01-31 08:00:00 or 2026-01-31, a duration back such as -2h or -7d, or position:<n>',
    '必须是时间（例如 2026-01-31T08:00:00+08:00、2026-01-31 08:00:00 或 2026-01-31）、向前的时长（例如 -2h 或 -7d）或 position:<n>',
  ],
  fromAfterTo: ['from must be before to', 'from 必须早于 to'],
  historyOfBusiness: [
    "the history of business {business} needs '{entry}', through a group that names '{user}', or a role in that business",
    "读取业务 {business} 的历史需要通过包含 '{user}' 的用户组获得 '{entry}'，或在该业务中担任角色",
  ],
  narrowByMoments: ['narrow it with from and to', '请用 from 与 to 缩小范围'],
  inFuture: ['it is in the future', '不能是未来的时间'],
  pastBehind: [
    'the past is still being derived from the log; try again in a moment',
    '历史数据仍在从日志中生成，请稍后重试',
  ],
  positionAhead: [
    'position {position} does not exist yet; the newest is {head}',
    '位置 {position} 尚不存在；最新位置为 {head}',
  ],
  oneOfThese: ['give exactly one of {values}', '必须且只能提供以下之一：{values}'],
  laterChange: ['it was changed since; force overwrites the later change', '之后又被修改；force 会覆盖后来的修改'],
  goneSince: ['it was deleted since; undo that deletion first', '之后已被删除；请先撤销该删除'],
  objectAgain: [
    "an object '{object}' was created again since; undo that creation by itself first",
    "之后又创建了模型 '{object}'；请先单独撤销该创建",
  ],
  associatedAgain: ['{holder} has taken its place since; delete that first', '之后已被 {holder} 取代；请先删除该关联'],
  oneLevel: [
    'undo the insertion or removal of one level at a time, with all of its records',
    '每次只能撤销一个层级的插入或删除，且须包含其全部记录',
  ],
  levelInUse: ['{what} has come to depend on the levels as they are now', '{what} 已依赖于当前的层级'],
  notUndoable: ['records of this kind cannot be undone', '此类记录不能撤销'],
  objectGone: ["the object '{object}' no longer exists", "模型 '{object}' 已不存在"],
  parentGone: ['{parent} no longer exists; undo its deletion, too', '{parent} 已不存在；请一并撤销其删除'],
  nameTaken: [
    "the name '{name}' is now used by {holder}; rename that first",
    "名称 '{name}' 已被 {holder} 使用；请先重命名",
  ],
  valuesTaken: [
    '{holder} has the same {attributes} now, which a unique rule keeps apart; change that first',
    '{holder} 现在具有相同的 {attributes}，唯一校验不允许重复；请先修改',
  ],
  valuesEqual: [
    'another instance that returns has the same {attributes}, which a unique rule keeps apart',
    '另一个同时恢复的实例具有相同的 {attributes}，唯一校验不允许重复',
  ],
  stillInside: ['{what} is still inside; it would be lost', '其中仍有 {what}，撤销会使其丢失'],
  notSealedYet: [
    'it is not sealed yet; records are sealed after about a minute, so ask again later',
    '该记录尚未封存；记录约一分钟后封存，请稍后重试',
  ],
  auditOfBusiness: [
    "record {position} is about business {business}; '{entry}' is needed, through a group that names '{user}', or a role in that business",
    "记录 {position} 属于业务 {business}；需要通过包含 '{user}' 的用户组获得 '{entry}'，或在该业务中担任角色",
  ],
  subscriptions: ['subscriptions', '订阅数'],
  customQueries: ['custom queries', '自定义查询数'],
  userGroups: ['user groups', '用户组数'],
  classifications: ['classifications', '模型分类数'],
  objects: ['objects', '模型数'],
  attributes: ['attributes', '属性数'],
  attributeGroups: ['attribute groups', '属性分组数'],
  uniqueRules: ['unique rules', '唯一校验数'],
  associationKinds: ['association kinds', '关联类型数'],
  objectAssociations: ['associations of objects', '模型关联数'],
  otherObjects: ['other objects in condition', 'condition 中其他模型数'],
  favorites: ['favorites', '收藏数'],
  recordsToRead: ['records to scan', '需要扫描的记录数'],
  narrowByTime: [
    'narrow the search by op_time, bk_biz_id, operator or op_target (without $regex)',
    '请用 op_time、bk_biz_id、operator 或 op_target（不含正则）缩小查询范围',
  ],
  timePair: ['must be empty, or contain a start time and an end time', '必须为空，或包含开始时间与结束时间'],
  timezone: ['must be a time zone such as Asia/Shanghai', '必须是时区，例如 Asia/Shanghai'],
  operator: ['the operator must be one of {values}', '运算符必须是以下之一：{values}'],
  regex: ['must be a valid RE2 regular expression: {why}', '必须是有效的 RE2 正则表达式：{why}'],
  text: ['must be text without NUL or invalid characters', '不能包含 NUL 或无效字符'],
  depth: ['may be nested at most {max} levels deep', '嵌套最多 {max} 层'],
  sameAsPath: ['must equal the {value} in the path', '必须与路径中的 {value} 一致'],
  parent: ['must be an instance of {object} in business {business}', '必须是业务 {business} 中 {object} 的实例'],
  attribute: ["'{object}' has no such attribute", "'{object}' 没有该属性"],
  attributeId: [
    'must start with a lowercase letter and contain only lowercase letters, digits and _, at most {max} characters',
    '必须以小写字母开头，只能包含小写字母、数字和下划线，最多 {max} 个字符',
  ],
  reserved: ['{value} is a reserved word', '{value} 是系统保留字'],
  cascadeEnd: [
    'only instances of objects outside the main line, and no hosts, can be deleted with another instance',
    '只有主线以外的模型实例（不含主机）可以随另一端删除',
  ],
  unchangeable: ['cannot be changed', '不能修改'],
  preset: ['it is built in', '它是内置的'],
  holdsAttributes: ['it still contains the attributes {values}', '其中仍有属性 {values}'],
  noOption: ['must be empty for the type {type}', '类型 {type} 的该项必须为空'],
  distinct: ['{value} is duplicated', '{value} 重复'],
  oneDefault: ['only one may be the default', '只能有一个默认值'],
  minAboveMax: ['min must not be above max', 'min 不能大于 max'],
  presetChoice: ['the built-in choice {value} cannot be removed', '不能删除内置选项 {value}'],
  tooLongToSearch: ['values of type {type} are too long to be indexed', '{type} 类型的值过长，不能建立索引'],
  foundAnyway: ['it is always indexed, so this cannot be switched', '该属性始终有索引，无需设置'],
  sendAsJson: [
    'the Content-Type is {type}; send application/json (curl: --json)',
    'Content-Type 为 {type}，请使用 application/json（curl 可用 --json）',
  ],
  sentTwice: ['was sent under two spellings with different values', '以两种写法发送且取值不同'],
  supported: ['only /api/v3 is served', '仅支持 /api/v3'],
  allowed: ['allowed here: {methods}', '此处允许：{methods}'],
  administratorOnly: ['only administrators may do this', '仅管理员可以执行'],
  needsRole: [
    "'{user}' needs '{privilege}' in business {business}, granted by its roles {roles}; none of them lists '{user}'",
    "需要业务 {business} 的 '{privilege}'，可通过其角色 {roles} 获得；这些角色均未包含 '{user}'",
  ],
  needsBinding: [
    "'{user}' needs '{privilege}' in business {business}, but no role grants it; an administrator can bind it to a role that lists '{user}'",
    "需要业务 {business} 的 '{privilege}'，但它未绑定到任何角色；管理员可将其绑定到包含 '{user}' 的角色",
  ],
  needsAll: [
    "to change the role members of business {business}, '{user}' needs {privileges} there, granted by its roles; missing: {missing}",
    "修改业务 {business} 的角色成员，需要通过其角色获得 {privileges}；'{user}' 缺少 {missing}",
  ],
  needsSomewhere: [
    "'{user}' needs '{privilege}' in the business concerned, granted by one of its roles, and does not have it in any business",
    "需要通过角色获得相关业务的 '{privilege}'；'{user}' 在任何业务中都没有该权限",
  ],
  needsGroup: [
    "'{user}' needs '{entry}', granted by a user group; ask an administrator to add '{user}' to such a group",
    "'{user}' 需要通过用户组获得 '{entry}'；请联系管理员将 '{user}' 加入相应的用户组",
  ],
  needsAction: [
    "'{user}' needs '{action}' on '{object}' (model_config), granted by a user group; ask an administrator to add '{user}' to such a group",
    "'{user}' 需要通过用户组获得 '{object}' 的 '{action}'（model_config）；请联系管理员将 '{user}' 加入相应的用户组",
  ],
  needsEither: ['{one}; or {other}', '{one}；或者 {other}'],
  onlyOneself: ["only '{user}' and administrators may do this", "仅 '{user}' 本人与管理员可以执行"],
  onlyMembers: [
    'only members of the group and administrators may do this; ask an administrator to be added to the group',
    '仅该用户组的成员与管理员可以执行；请联系管理员加入该用户组',
  ],
  isAdministrator: ["'{user}' is an administrator", "'{user}' 是管理员"],
  openToAll: ['any authenticated caller may do this', '任何通过身份验证的调用者都可以执行'],
  holdsByRole: [
    "{roles} of business {business} lists '{user}' and grants {privileges}",
    "业务 {business} 的角色 {roles} 包含 '{user}'，并授予 {privileges}",
  ],
  holdsByRoleOfGroup: [
    "{roles} of business {business} lists {groups}, a group that includes '{user}', and grants {privileges}",
    "业务 {business} 的角色 {roles} 列出了 '{user}' 所在的用户组 {groups}，并授予 {privileges}",
  ],
  holdsByGroup: [
    "the group '{group}' includes '{user}' and grants {what}",
    "用户组 '{group}' 包含 '{user}'，并授予 {what}",
  ],
  isOneself: ["'{user}' may read their own privileges", "'{user}' 可以查询本人的权限"],
  isMember: ["the group '{group}' includes '{user}'", "用户组 '{group}' 包含 '{user}'"],
  seesOwn: ["the result is limited to businesses where a role lists '{user}'", "结果仅包含有角色列出 '{user}' 的业务"],
  nearest: ['the closest known names are {values}', '最接近的名称是 {values}'],
  sameTwice: ['was sent in two places with different values', '在两处发送且取值不同'],
  otherAccount: [
    "the caller belongs to supplier account '{account}' and may not use another one",
    "调用者属于开发商账号 '{account}'，不能使用其他账号",
  ],
  readOnly: ['the token is read-only, but this operation writes', '该令牌为只读，而此操作会修改数据'],
  sendBearer: [
    "send a valid 'Authorization: Bearer <{what}>' header",
    "请发送有效的 'Authorization: Bearer <{what}>' 请求头",
  ],
  behindProxy: [
    'the caller must be identified by the BK_User header of a trusted proxy',
    '调用者必须由受信任代理的 BK_User 请求头指定',
  ],
  signInAgain: ['the login was not completed; start again at /login', '登录未完成，请从 /login 重新开始'],
  afterSeconds: [
    'too many failed logins from this address; retry in {seconds} s',
    '该地址的身份验证失败次数过多，请在 {seconds} 秒后重试',
  ],
  providerAway: ['the identity provider does not respond', '身份提供方没有响应'],
  foreignOrigin: ['cross-site requests from {origin} are rejected', '拒绝来自 {origin} 的跨站请求'],
  unlistedHost: [
    '{host} is not a host name of this server; send requests to the host of MAINLINE_URL or one of MAINLINE_ALLOWED_HOSTS',
    '{host} 不是本服务的名称；请求须发往 MAINLINE_URL 的主机或 MAINLINE_ALLOWED_HOSTS 之一',
  ],
  oneHost: ['the request has {count} Host headers; send exactly one', '请求含有 {count} 个 Host 请求头，应只有一个'],
  transferCoding: [
    "the transfer coding '{coding}' is not supported; send 'chunked' alone, with HTTP/1.1, or a Content-Length",
    "不支持传输编码 '{coding}'；请仅使用 'chunked'（HTTP/1.1）或 Content-Length",
  ],
  foreignHost: [
    '{host} is not a loopback address; open identity mode serves this machine only',
    '{host} 不是本机地址；开放身份模式仅供本机访问',
  ],
  levelParent: ['must be biz or a user-defined level of the main line', '必须是 biz 或主线上的自定义层级'],
  notALevel: ["'{object}' is not a level of the main line", "'{object}' 不是主线层级"],
  lettersOnly: ['may contain letters only', '只能包含字母'],
  groupId: [
    'may contain letters, digits, _ and - only, at most {max} characters',
    '只能包含字母、数字、_ 和 -，最多 {max} 个字符',
  ],
  ownMove: [
    'host cannot be moved to the idle or fault module this way; use /hosts/modules/idle or /hosts/modules/fault',
    '不能用此接口将主机转移到空闲机或故障机模块；请使用 /hosts/modules/idle 或 /hosts/modules/fault',
  ],
  maxCharacters: ["'{field}' may contain at most {max} characters", "'{field}' 最多 {max} 个字符"],
  depthOfTree: ['must be -1 or a non-negative integer', '必须是 -1 或非负整数'],
  internalSet: ['the idle pool is built in', '空闲机池是内置集群'],
  internalModule: ['the idle and the fault module are built in', '空闲机与故障机是内置模块'],
  noObject: ["object '{object}' does not exist", "模型 '{object}' 不存在"],
  ownOperations: ["'{object}' has dedicated operations; use those", "'{object}' 有专用的接口，请使用专用接口"],
  hostCalled: ['bk_host_id {host}', 'bk_host_id {host}'],
  notInPool: [
    'host {host} is not in the resource pool; return it to the pool first (hosts/modules/resource)',
    '主机 {host} 不在资源池中，请先归还资源池（hosts/modules/resource）',
  ],
  address: ['{value} is not an IPv4 or IPv6 address', '{value} 不是 IPv4 或 IPv6 地址'],
  builtInAlone: [
    'the idle or fault module cannot be combined with other modules',
    '空闲机或故障机模块不能与其他模块同时指定',
  ],
  rowNumber: ['{value} is not a row number', '{value} 不是行号'],
  infoText: ['must be JSON text with the key condition: {why}', '必须是包含 condition 的 JSON 文本：{why}'],
  infoValues: ['the values in info', '查询定义中的值'],
  onlyById: ['after can only be used when sorting by bk_host_id', 'after 只能在按 bk_host_id 排序时使用'],
  notUtf8: ['the body is not UTF-8', '请求体不是 UTF-8'],
  noneOf: ["'{value}' is not one of {values}", "'{value}' 不是以下之一：{values}"],
  listed: ["'{value}': {why}", "'{value}'：{why}"],
  coding: [
    '{coding}; send the body uncompressed, without Content-Encoding',
    '{coding}；请发送未压缩的请求体，不要带 Content-Encoding',
  ],
  atMostCharacters: ['at most {max} characters, got {got}', '最多 {max} 个字符，实际 {got}'],
  atMostBytes: ['at most {max} bytes', '最多 {max} 字节'],
  patternTooLong: ['the pattern is longer than {max} characters', '正则表达式超过 {max} 个字符'],
  patternTooLarge: ['the pattern is too complex', '正则表达式过于复杂'],
  patternsTooLarge: ['the patterns together are too complex', '所有正则表达式合计过于复杂'],
  patternTooLargeForText: [
    'the pattern is too complex for a text of {length} characters; use a simpler pattern',
    '对于 {length} 个字符的文本，该正则表达式过于复杂，请使用更简单的正则表达式',
  ],
  patternTooSlow: [
    'matching took more than {seconds} s of CPU time; use a simpler pattern, or narrow the search by other conditions',
    '匹配占用的 CPU 时间超过 {seconds} 秒，请使用更简单的正则表达式，或用其他条件缩小查询范围',
  ],
  valuesTooSlow: [
    'checking the values of this request against the attribute pattern takes too long; send fewer values, or simplify the pattern',
    '按属性的正则表达式校验本次请求的取值耗时过长，请减少数量或简化该正则表达式',
  ],
  callerMatching: [
    'this caller has used up its CPU quota for pattern matching; retry in {seconds} s',
    '该调用者用于正则匹配的 CPU 配额已用完，请在 {seconds} 秒后重试',
  ],
  timesUnder: ["'{name}' appears {count} times under '{parent}'", "'{name}' 在 '{parent}' 下出现 {count} 次"],
  columns: ['columns', '列数'],
  rows: ['rows', '行数'],
  cells: ['cells (rows times columns)', '单元格数（行数乘列数）'],
  hosts: ['hosts', '主机数'],
  business: ['business', '业务'],
  cloudArea: ['cloud area', '云区域'],
  model: ['object', '模型'],
  attributeCalled: ['attribute', '属性'],
  query: ['query', '查询'],
  value: ['{value} is not valid here', '{value} 在此无效'],
  upgraded: [
    'the database schema has been upgraded to version {found}, but this program supports {known}; restart it with the newer release',
    '数据库已升级到结构版本 {found}，本程序仅支持 {known}，请使用新版本重启',
  ],
  webhookSecret: [
    'must be whsec_ followed by {least} to {most} bytes in base64',
    '必须是 whsec_ 加上 base64 编码的 {least} 至 {most} 个字节',
  ],
  discardRange: [
    'send both from_position and to_position, or neither to discard all dead letters',
    '请同时发送 from_position 与 to_position；都不发送则丢弃全部死信',
  ],
  replayRange: [
    'send dead_letters: true, or from_position with to_position, or both of these, or from_time with to_time',
    '请发送 dead_letters: true，或 from_position 与 to_position，或以上两者，或 from_time 与 to_time',
  ],
  savedQuery: [
    'must be customquery: followed by the id of a saved query of this business (of any business for business 0)',
    '必须是 customquery: 加本业务（业务 0 时为任一业务）中已保存查询的 id',
  ],
  followedQuery: ['a saved query can be watched only while a subscription uses it', '仅当有订阅引用该查询时才能监听'],
  eventField: [
    'must be changed, before.<field> or after.<field>, with a field of the named events; the nearest are {values}',
    '必须是 changed，或以 before. 或 after. 开头的所选事件的字段；最接近的是 {values}',
  ],
  changedField: ['no field of the named events; the nearest are {values}', '不是所选事件的字段；最接近的是 {values}'],
  noPattern: [
    'patterns are not available in filters of events, each of which is tested against every event; use {values}',
    '事件过滤条件不支持正则表达式，因为每个事件都要逐一判断；请使用 {values}',
  ],
  didYouMean: ['did you mean one of {values}?', '您是否想用：{values}'],
  confirmTooSlow: [
    'matching {pattern} took more than {maxMs} ms of CPU time; use a simpler confirm_pattern',
    '匹配 {pattern} 占用的 CPU 时间超过 {maxMs} 毫秒，请使用更简单的 confirm_pattern',
  ],
  callbackUrl: [
    'must be an http or https URL such as https://example.com/events',
    '必须是 http 或 https 地址，例如 https://example.com/events',
  ],
  addressForbidden: ['callbacks to {address} are not allowed', '不允许回调 {address}'],
  hostForbidden: ['callbacks to {host} ({address}) are not allowed', '不允许回调 {host}（{address}）'],
  callbackRefused: ['{host} refused the connection', '{host} 拒绝连接'],
  callbackTimeout: ['no complete response from {host} within {seconds} s', '{host} 未在 {seconds} 秒内返回完整响应'],
  callbackNoConnection: ['connecting to {host} timed out', '连接 {host} 超时'],
  callbackUnknownHost: ['the host name {host} cannot be resolved', '无法解析主机名 {host}'],
  callbackTls: ['no trusted TLS connection to {host}: {code}', '无法与 {host} 建立可信的 TLS 连接：{code}'],
  callbackReset: ['{host} closed the connection before the response was complete', '{host} 在响应完成前关闭了连接'],
  callbackNoRoute: ['{host} is unreachable (no route)', '无法连接 {host}（没有路由）'],
  callbackGarbled: ['the response of {host} is not HTTP: {code}', '{host} 的响应不是 HTTP：{code}'],
  answeredAway: ['the receiver responded with {status}', '接收方返回状态码 {status}'],
  answeredUnconfirmed: [
    'the receiver responded with {status}, which does not match {mode} {pattern}',
    '接收方返回状态码 {status}，不符合 {mode} {pattern}',
  ],
  pausedBy: ['paused by {user}', '已由 {user} 暂停'],
  eventsWithheld: [
    "events of {objects} are not sent: '{user}', who defined the subscription, may not search them",
    "不发送 {objects} 的事件：订阅的定义者 '{user}' 无权查询它们",
  ],
  lapsedRecords: [
    'records {from} to {to} were removed by retention before they could be sent',
    '第 {from} 至 {to} 条记录在发送之前已超过保留期限而被清除',
  ],
  fileType: [
    'the Content-Type is {type}; send the file itself as {types} (curl: --data-binary @FILE -H "Content-Type: ...")',
    'Content-Type 为 {type}；请以 {types} 直接发送文件（curl 可用 --data-binary @FILE -H "Content-Type: ..."）',
  ],
  fileEmpty: ['it is empty', '文件为空'],
  fileText: ['its encoding is neither UTF-8 nor GBK', '其编码既不是 UTF-8 也不是 GBK'],
  fileQuote: ['the quote opened in line {line} is never closed', '第 {line} 行的引号没有闭合'],
  fileXml: [
    'the XML of its sheet is not valid; save it again with a spreadsheet program, or as CSV',
    '工作表的 XML 无效；请用电子表格软件重新保存，或另存为 CSV',
  ],
  fileCut: ['it is damaged or truncated', '文件损坏或不完整'],
  fileTooLarge: ['it is too large when unpacked; split it', '解压后过大，请拆分文件'],
  fileDates: [
    'it uses the 1904 date system; save it with the 1900 date system, or as CSV',
    '文件使用 1904 日期系统；请改用 1900 日期系统保存，或另存为 CSV',
  ],
  fileSheet: ['it contains no sheet', '其中没有工作表'],
  fileOldExcel: [
    'it is an .xls file or is encrypted; save it as .xlsx without a password, or as CSV',
    '文件为旧版工作簿或已加密；请另存为未加密的 .xlsx 或 CSV',
  ],
  fileNoColumn: [
    'the first row must contain the column names, including {column}; found {found}',
    '首行必须是列名，且包含 {column}；实际为 {found}',
  ],
  fileTwice: ['the column {column} is duplicated', '列 {column} 重复'],
  columnUnknown: [
    'column {column} is unknown; did you mean one of {values}?',
    '未知的列 {column}；您是否想用：{values}',
  ],
  cellError: ['cell {cell} contains the error {value}', '单元格 {cell} 是错误值 {value}'],
  cellFormula: [
    'cell {cell} contains a formula without a stored value; formulas are not evaluated, so save the value',
    '单元格 {cell} 是没有保存结果的公式；系统不计算公式，请保存为值',
  ],
  rowTooLong: [
    'the row has {cells} cells, but the file has {columns} columns',
    '该行有 {cells} 个单元格，而文件只有 {columns} 列',
  ],
  rowTwice: ['it duplicates row {row}', '与第 {row} 行重复'],
  pathUnknown: ['{path} does not exist in this business', '本业务中没有 {path}'],
  pathNoParent: [
    'its parent {path} does not exist in the business or in an earlier row of the file',
    '上级 {path} 不存在：业务中没有，文件前面的行中也没有',
  ],
  pathDepth: [
    'a path must have 1 to {most} names; this one has {names}',
    '路径必须包含 1 至 {most} 个名称，此处为 {names} 个',
  ],
  pathToModule: ['hosts can only be placed in modules; {path} is not a module', '主机只能放在模块中；{path} 不是模块'],
  pathBuiltIn: ['{path} is built in', '{path} 是内置的'],
  columnOfOther: ['{column} does not apply to {object}; leave it empty', '{column} 不适用于 {object}，请留空'],
  cellTooLong: ['a cell may contain at most {max} characters', '单元格最多 {max} 个字符'],
  importsBusy: [
    'an import of this caller is running and {most} more are waiting; retry when one has finished',
    '该调用者已有一个文件正在导入、{most} 个正在等待，请稍后重试',
  ],
  wholeFile: [
    'atomic imports and dry runs of a whole file start at the first row; omit this parameter',
    '原子导入或整体试运行必须从第一行开始，请去掉该参数',
  ],
  estateKind: ['{value} is not a record kind of an estate file', '{value} 不是数据文件中的记录类型'],
  estateVersion: ['this program reads estate files of version {known}', '本程序支持的数据文件版本为 {known}'],
  noSuchName: ["{what} '{name}' does not exist", "没有名为 '{name}' 的{what}"],
  diskFull: ['the storage disk is full', '存储所在磁盘已满'],
  diskFailing: ['the storage disk cannot be written', '存储所在磁盘无法写入'],
  damaged: [
    'the database file is damaged, so writes are rejected; see the server log for the remedy',
    '数据库文件已损坏，拒绝所有写入；处理办法见服务日志',
  ],
  writtenByOther: [
    'another program has written to the database file, so writes are rejected; see the server log for the remedy',
    '其他程序写入了数据库文件，拒绝所有写入；处理办法见服务日志',
  ],
  fileReplaced: [
    'the database file was replaced or removed, so writes are rejected; see the server log for the remedy',
    '数据库文件已被替换或删除，拒绝所有写入；处理办法见服务日志',
  ],
  oneInstance: ['it applies to requests that change exactly one instance', '仅适用于只修改一个实例的请求'],
  revisionTag: ['must be a quoted revision such as "3"', '必须是带引号的版本号，例如 "3"'],
  printableKey: ['must be 1 to 128 printable ASCII characters', '必须是 1 至 128 个可打印的英文字母、数字或符号'],
  notForImports: [
    'imports do not accept it: an import is idempotent, repeating it leaves existing rows unchanged',
    '导入不接受该请求头：导入是幂等的，重复导入时已存在的行保持不变',
  ],
  percentEncoded: ['must be percent-encoded UTF-8', '必须是百分号编码的 UTF-8'],
  busy: ['the queue for expensive reads is full; retry shortly', '大查询队列已满，请稍后重试'],
  overloaded: ['the server is overloaded; retry shortly', '服务过载，请稍后重试'],
  waitedTooLong: ['waiting for the storage timed out; retry shortly', '存储繁忙，等待超时，请稍后重试'],
  callerBodies: [
    'the request bodies of one caller may use at most {max} bytes of memory; wait for the responses to earlier requests',
    '同一调用者的请求体合计最多占用 {max} 字节内存，请等待先前的请求完成',
  ],
  tooManyValues: ['it contains more than {max} values', '其中的值超过 {max} 个'],
  noBody: ['this path does not accept a body', '该路径不接受请求体'],
  callerRate: ['a caller may send at most {most} requests per second', '每个调用者每秒最多 {most} 个请求'],
  callerRequests: ['a caller may have at most {most} concurrent requests', '每个调用者最多同时 {most} 个请求'],
} as const satisfies Record<string, readonly [en: string, zh: string]>

type Catalogue = typeof catalogue
type Rules = typeof rules
type Holes<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never
type Filling<Text extends string> = { [Hole in Holes<Text>]: string | number | Rule }

export type ProblemKind = keyof Catalogue
type RuleKind = keyof Rules

/** A rule with its holes filled, in both languages. */
export type Rule = readonly [en: string, zh: string]
type RuleDetails<Kind extends RuleKind> = Filling<Rules[Kind][0]>
type Details<Kind extends ProblemKind> = Filling<Catalogue[Kind][2]> & {
  rule?: Rule
  data?: unknown
  /** When to retry, in seconds. */
  retryAfter?: number
  /** All rejected values of the field, for callers that can retry without them. */
  values?: readonly string[]
}
type Demanded<T> = Record<never, never> extends T ? [details?: T] : [details: T]

/** A name in a request may be as long as its body, and the message is also logged. */
const longestDetail = 1_000

function shortened(text: string): string {
  if (text.length <= longestDetail) return text
  return `${text.slice(0, longestDetail).replace(/[\ud800-\udbff]$/, '')}… (${text.length})`
}

/** A detail may itself be a rule, which is then translated. */
const fill = (text: string, details: Record<string, unknown>, language: 0 | 1) =>
  text.replace(/\{(\w+)\}/g, (_, hole: string) => {
    const value = details[hole]
    return Array.isArray(value) ? value[language] : shortened(String(value))
  })

export function rule<Kind extends RuleKind>(kind: Kind, ...[details]: Demanded<RuleDetails<Kind>>): Rule {
  const [en, zh] = rules[kind]
  return [fill(en, details ?? {}, 0), fill(zh, details ?? {}, 1)]
}

const join = ([en, zh]: Rule, [moreEn, moreZh]: Rule): Rule => [`${en} ${moreEn}`, `${zh} ${moreZh}`]

/** A failure reported to the caller. Any other thrown error is a defect. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: number
  readonly status: number
  readonly retryAfter: number | undefined
  /** The `data` of the error response: null, unless the operation says otherwise. */
  readonly data: unknown
  /** The rejected part of the request, if it was one part. */
  readonly field: string | undefined
  readonly values: readonly string[]
  readonly #details: Record<string, unknown>
  readonly #texts: Record<Language, string>

  constructor(kind: ProblemKind, details: Record<string, unknown>) {
    const [code, status, en, zh] = catalogue[kind]
    const hint = details.rule as Rule | undefined
    const texts = {
      en: fill(en, details, 0) + (hint ? `: ${hint[0]}` : ''),
      'zh-cn': fill(zh, details, 1) + (hint ? `：${hint[1]}` : ''),
    }
    super(texts.en)
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.status = status
    this.retryAfter = details.retryAfter as number | undefined
    this.data = details.data ?? null
    this.field = details.field as string | undefined
    this.values = (details.values as string[] | undefined) ?? []
    this.#details = details
    this.#texts = texts
  }

  /** The same problem, with the path of the value. */
  at(path: string): Problem {
    const { field, rule: hint } = this.#details as { field?: string; rule?: Rule }
    if (field === undefined) return this
    const here = [shortened(field), shortened(field)] as const
    return new Problem(this.kind, { ...this.#details, field: path, rule: hint ? join(here, hint) : here })
  }

  text(language: Language): string {
    return this.#texts[language]
  }
}

/** `throw problem('duplicate', { what: 'bk_set_name' })`: kind and details are type-checked together. */
export function problem<Kind extends ProblemKind>(kind: Kind, ...[details]: Demanded<Details<Kind>>): Problem {
  return new Problem(kind, details ?? {})
}

/** The whole catalogue, for the API document. */
export const listProblems = () =>
  Object.entries(catalogue).map(([kind, [code, status, en, zh]]) => ({
    kind: kind as ProblemKind,
    code,
    status,
    en,
    zh,
  }))

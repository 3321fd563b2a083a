import type { Language } from './language.ts'

/**
 * Every way a request can fail. The codes are a promise: never renumbered, never reused.
 * `{holes}` are filled from the details, which the compiler demands by name.
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
  tooLarge: [1199413, 413, 'the request body is too large', '请求体过大'],
  urlTooLong: [1199414, 414, 'the URL is too long', 'URL 过长'],
  notJson: [1199415, 415, 'the request body is not JSON', '请求体不是 JSON'],
  contentCoding: [1199415, 415, 'the content coding of the body is not supported', '不支持请求体的内容编码'],
  tooManyRequests: [1199429, 429, 'too many requests', '请求过多'],
  headersTooLarge: [1199431, 431, 'the URL and the headers are too large together', 'URL 与请求头合计过大'],
  notReady: [1199503, 503, 'the service is not ready', '服务尚未就绪'],
  outcomeUnknown: [1199504, 503, 'the outcome of the change is not known: {txn}', '无法确定变更结果：{txn}'],
  staleCursor: [1103007, 400, 'the cursor is unknown or older than what is kept', '游标未知，或早于保留的数据'],
  internal: [1199999, 500, "'{request}' Internal Server Error", "'{request}' 内部错误"],
  denied: [9900403, 403, 'permission denied: {why}', '没有权限：{why}'],

  setProtected: [1101009, 409, 'Delete set Failed: {why}', '删除集群失败：{why}'],
  modelNotCreated: [1101013, 400, 'Failed to create model: {why}', '创建模型失败：{why}'],
  modelNotFound: [1101016, 404, 'Query model failed: {why}', '查询模型失败：{why}'],
  attributeNotCreated: [1101017, 400, 'Failed to create a model property: {why}', '创建模型属性失败：{why}'],
  attributeNotDeleted: [1101018, 409, 'Failed to delete a model property: {why}', '删除模型属性失败：{why}'],
  attributeGroupNotCreated: [1101025, 400, 'Failed to create an attribute group: {why}', '创建属性分组失败：{why}'],
  attributeGroupNotDeleted: [1101026, 409, 'Failed to delete an attribute group: {why}', '删除属性分组失败：{why}'],
  classificationInUse: [
    1101029,
    409,
    'There is a model under the classification, not allowed to delete',
    '分类下存在模型，不允许删除',
  ],
  hostsUnder: [1101030, 409, 'Having a host under the target', '目标下存在主机'],
  noCloudArea: [1101032, 400, 'cloud area does not exist', '云区域不存在'],
  businessQueryFailed: [1101033, 400, 'query business failed, {why}', '查询业务失败，{why}'],
  moduleQueryFailed: [1101034, 400, 'query module failed, {why}', '查询模块失败，{why}'],
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
  hostField: [1110012, 400, 'The check of the host field failed: {why}', '主机字段校验失败：{why}'],
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
  badFile: [1110060, 400, 'the file cannot be taken: {why}', '无法使用该文件：{why}'],
  differs: [1110062, 409, 'it is there already and differs in {what}', '已存在，且 {what} 不同'],
  badRow: [1110061, 400, 'the row cannot be taken: {why}', '无法使用该行：{why}'],
} as const satisfies Record<string, readonly [code: number, http: number, en: string, zh: string]>

/** What would be right: appended to a problem's text so that the caller can mend the request. */
const rules = {
  oneOf: ['must be one of {values}', '必须是以下之一：{values}'],
  between: ['must be between {min} and {max}', '必须在 {min} 与 {max} 之间'],
  atMost: ['must be at most {max}', '不能大于 {max}'],
  atLeast: ['must be at least {min}', '不能小于 {min}'],
  maxBytes: ["'{field}' may hold at most {max} bytes, got {got}", "'{field}' 最多 {max} 字节，实际 {got}"],
  maxItems: ['at most {max} are allowed', '最多允许 {max} 个'],
  object: ['must be an object', '必须是对象'],
  array: ['must be an array', '必须是数组'],
  pattern: ["'{field}' must match {pattern}", "'{field}' 必须匹配 {pattern}"],
  date: ['must be a date such as 2026-01-31', '必须是日期，例如 2026-01-31'],
  time: [
    'must be a time such as 2026-01-31 08:00:00 or 2026-01-31T08:00:00+08:00',
    '必须是时间，例如 2026-01-31 08:00:00 或 2026-01-31T08:00:00+08:00',
  ],
  recordsToRead: ['the records that have to be read one by one', '需要逐条读取的记录'],
  narrowByTime: [
    'narrow them by op_time, bk_biz_id, operator or op_target, without a pattern',
    '请用 op_time、bk_biz_id、operator 或 op_target（不含正则）缩小范围',
  ],
  timePair: ['must be empty or hold a start and an end time', '必须为空，或包含开始与结束时间'],
  timezone: ['must be a time zone such as Asia/Shanghai', '必须是时区，例如 Asia/Shanghai'],
  operator: ['the operator must be one of {values}', '运算符必须是以下之一：{values}'],
  regex: ['must be a regular expression of RE2: {why}', '必须是 RE2 正则表达式：{why}'],
  text: ['must be text without NUL and without broken characters', '不能包含 NUL 或无效字符'],
  depth: ['may be nested at most {max} deep', '嵌套最多 {max} 层'],
  sameAsPath: ['must equal the {value} of the path', '必须与路径中的 {value} 一致'],
  parent: ['must be an instance of {object} in business {business}', '必须是业务 {business} 中 {object} 的实例'],
  attribute: ["'{object}' has no such attribute", "'{object}' 没有该属性"],
  attributeId: [
    'must start with a small letter and hold only small letters, digits and _, at most {max}',
    '必须以小写字母开头，只能包含小写字母、数字和下划线，最多 {max} 个字符',
  ],
  reserved: ['{value} is a word of the service itself', '{value} 是系统保留字'],
  unchangeable: ['cannot be changed', '不能修改'],
  preset: ['it is built in', '它是内置的'],
  holdsAttributes: ['it still holds {values}', '其中仍有属性 {values}'],
  noOption: ['must be empty for the type {type}', '类型 {type} 的该项必须为空'],
  distinct: ['{value} is there twice', '{value} 重复'],
  oneDefault: ['only one may be the default', '只能有一个默认值'],
  minAboveMax: ['min must not be above max', 'min 不能大于 max'],
  presetChoice: ['the built-in choice {value} cannot be removed', '不能删除内置选项 {value}'],
  tooLongToSearch: ['a {type} is too long to be found by its value', '{type} 类型的值过长，不能按值检索'],
  foundAnyway: ['its instances are found by it in any case', '总是可以按该属性检索，无需开启'],
  sendAsJson: [
    'it was sent as {type}; send it as application/json (curl --json does)',
    '收到的类型是 {type}；请以 application/json 发送（curl 可用 --json）',
  ],
  sentTwice: ['was sent in two spellings that differ', '以两种写法发送且取值不同'],
  supported: ['only /api/v3 is served', '仅支持 /api/v3'],
  allowed: ['allowed here: {methods}', '此处允许：{methods}'],
  administratorOnly: ['only administrators may do this', '仅管理员可以执行'],
  needsRole: [
    "'{privilege}' is needed in business {business}, through one of its roles {roles}; none of them names '{user}'",
    "需要业务 {business} 的 '{privilege}'，可通过其角色 {roles} 获得；这些角色均未包含 '{user}'",
  ],
  needsBinding: [
    "'{privilege}' is needed in business {business}, and is bound to no role; an administrator can bind it to one that names '{user}'",
    "需要业务 {business} 的 '{privilege}'，但它未绑定到任何角色；管理员可将其绑定到包含 '{user}' 的角色",
  ],
  needsAll: [
    "to say who holds the roles of business {business}, all of {privileges} are needed there, through its roles; '{user}' lacks {missing}",
    "修改业务 {business} 的角色成员，需要通过其角色获得 {privileges}；'{user}' 缺少 {missing}",
  ],
  needsSomewhere: [
    "'{privilege}' is needed in the business concerned, through one of its roles; '{user}' has it in no business",
    "需要通过角色获得相关业务的 '{privilege}'；'{user}' 在任何业务中都没有该权限",
  ],
  needsGroup: [
    "'{entry}' is needed, through a group that names '{user}'; administrators look after groups",
    "需要通过包含 '{user}' 的用户组获得 '{entry}'；用户组由管理员维护",
  ],
  needsAction: [
    "'{action}' of '{object}' is needed (model_config), through a group that names '{user}'; administrators look after groups",
    "需要通过包含 '{user}' 的用户组获得 '{object}' 的 '{action}'（model_config）；用户组由管理员维护",
  ],
  needsEither: ['{one}; or else {other}', '{one}；或者 {other}'],
  onlyOneself: ["only '{user}' and administrators may do this", "仅 '{user}' 本人与管理员可以执行"],
  onlyMembers: [
    'only members of the group and administrators may do this; administrators look after groups',
    '仅该用户组的成员与管理员可以执行；用户组由管理员维护',
  ],
  isAdministrator: ["'{user}' is an administrator", "'{user}' 是管理员"],
  openToAll: ['any identified caller may do this', '任何已识别的调用者都可以执行'],
  holdsByRole: [
    "{roles} of business {business} names '{user}' and has {privileges}",
    "业务 {business} 的角色 {roles} 包含 '{user}'，并拥有 {privileges}",
  ],
  holdsByGroup: ["the group '{group}' names '{user}' and has {what}", "用户组 '{group}' 包含 '{user}'，并拥有 {what}"],
  isOneself: ["'{user}' asks about '{user}'", "'{user}' 查询的是本人"],
  isMember: ["the group '{group}' names '{user}'", "用户组 '{group}' 包含 '{user}'"],
  seesOwn: ["the businesses where a role names '{user}' are shown", "仅显示有角色包含 '{user}' 的业务"],
  nearest: ['the nearest are {values}', '最接近的是 {values}'],
  sameTwice: ['was sent in two places that differ', '在两处发送且取值不同'],
  otherAccount: [
    "the caller belongs to supplier account '{account}' and may not name another",
    "调用者属于开发商账号 '{account}'，不能使用其他账号",
  ],
  readOnly: ['the token is read-only, and this operation changes something', '该令牌为只读，而此操作会产生变更'],
  sendBearer: [
    "send 'Authorization: Bearer <{what}>' with a valid one",
    "请发送有效的 'Authorization: Bearer <{what}>'",
  ],
  behindProxy: [
    'callers are named by the BK_User header of a listed proxy, and by nobody else',
    '调用者只能由受信任代理的 BK_User 请求头指定',
  ],
  signInAgain: ['the login was not completed; start again at /login', '登录未完成，请从 /login 重新开始'],
  afterSeconds: [
    'too many bad credentials came from this address; try again in {seconds} s',
    '该地址发送了过多无效凭据，请在 {seconds} 秒后重试',
  ],
  providerAway: ['the identity provider does not answer', '身份提供方没有响应'],
  foreignOrigin: ['requests from pages of {origin} are not served', '不接受来自 {origin} 页面的请求'],
  foreignHost: [
    '{host} is not this machine; open identity serves this machine only',
    '{host} 不是本机；开放身份模式仅服务本机',
  ],
  levelParent: ['must be biz or a user-defined level of the main line', '必须是 biz 或主线上的自定义层级'],
  notALevel: ["'{object}' is not a level of the main line", "'{object}' 不是主线层级"],
  lettersOnly: ['may hold letters only', '只能包含字母'],
  maxCharacters: ["'{field}' may hold at most {max} characters", "'{field}' 最多 {max} 个字符"],
  depthOfTree: ['must be -1 or a whole number from 0', '必须是 -1 或不小于 0 的整数'],
  internalSet: ['the idle pool is built in', '空闲机池是内置集群'],
  internalModule: ['the idle and the fault module are built in', '空闲机与故障机是内置模块'],
  noObject: ["there is no object '{object}'", "模型 '{object}' 不存在"],
  ownOperations: ["'{object}' has operations of its own", "'{object}' 有专用的接口"],
  hostCalled: ['bk_host_id {host}', 'bk_host_id {host}'],
  notInPool: [
    'host {host} is not in the resource pool; give it back first (hosts/modules/resource)',
    '主机 {host} 不在资源池中，请先上交（hosts/modules/resource）',
  ],
  address: ['{value} is no IPv4 or IPv6 address', '{value} 不是 IPv4 或 IPv6 地址'],
  builtInAlone: [
    'the idle or the fault module excludes all others; name it alone',
    '空闲机或故障机模块不能与其他模块同时指定',
  ],
  rowNumber: ['{value} is no row number', '{value} 不是行号'],
  infoText: ['must be JSON text with the key condition: {why}', '必须是包含 condition 的 JSON 文本：{why}'],
  onlyById: ['after goes with the order of bk_host_id alone', 'after 只能与按 bk_host_id 排序一起使用'],
  notUtf8: ['the body is not UTF-8', '请求体不是 UTF-8'],
  noneOf: ["'{value}' is none of {values}", "'{value}' 不是以下之一：{values}"],
  listed: ["'{value}': {why}", "'{value}'：{why}"],
  coding: [
    '{coding}; send the body as it is, without Content-Encoding',
    '{coding}；请发送未压缩的请求体，不要带 Content-Encoding',
  ],
  atMostCharacters: ['at most {max} characters, got {got}', '最多 {max} 个字符，实际 {got}'],
  atMostBytes: ['at most {max} bytes', '最多 {max} 字节'],
  patternTooLong: ['it is longer than {max}', '长度超过 {max}'],
  patternTooLarge: ['it is too large', '规模过大'],
  patternsTooLarge: ['the patterns are too large together', '所有正则表达式合计规模过大'],
  timesUnder: ["'{name}' {count} times under '{parent}'", "'{name}' 在 '{parent}' 下出现 {count} 次"],
  columns: ['columns', '列数'],
  rows: ['rows', '行数'],
  hosts: ['hosts', '主机数'],
  business: ['business', '业务'],
  cloudArea: ['cloud area', '云区域'],
  model: ['object', '模型'],
  attributeCalled: ['attribute', '属性'],
  query: ['query', '查询'],
  value: ['{value} is not valid here', '{value} 在此无效'],
  upgraded: [
    'the database has been upgraded to schema {found}; this program knows {known}, restart it with the newer release',
    '数据库已升级到结构版本 {found}，本程序仅支持 {known}，请使用新版本重启',
  ],
  webhookSecret: [
    'must be whsec_ and {least} to {most} bytes in base64',
    '必须是 whsec_ 加上 base64 编码的 {least} 至 {most} 个字节',
  ],
  replayRange: [
    'send dead_letters: true, from_position and to_position, both of them, or from_time and to_time',
    '请发送 dead_letters: true，或 from_position 与 to_position，或两者一起，或 from_time 与 to_time',
  ],
  savedQuery: [
    'it must be customquery: and the id of a saved query of this business, or of any for business 0',
    '应为 customquery: 加本业务（业务 0 时为任一业务）中已保存查询的 id',
  ],
  followedQuery: ['a query is watched while a subscription names it', '仅当有订阅引用该查询时才能监听'],
  didYouMean: ['did you mean one of {values}?', '您是否想用：{values}'],
  callbackUrl: [
    'must be an http or https URL such as https://example.com/events',
    '必须是 http 或 https 地址，例如 https://example.com/events',
  ],
  addressForbidden: ['callbacks may not go to {address}', '回调不允许发往 {address}'],
  hostForbidden: ['callbacks may not go to {host}, which is {address}', '回调不允许发往 {host}，其地址为 {address}'],
  callbackRefused: ['{host} refuses the connection', '{host} 拒绝连接'],
  callbackTimeout: ['no whole answer from {host} within {seconds} s', '{host} 未在 {seconds} 秒内完整应答'],
  callbackNoConnection: ['{host} does not take the connection in time', '连接 {host} 超时'],
  callbackUnknownHost: ['the name {host} cannot be resolved', '无法解析主机名 {host}'],
  callbackTls: ['no trusted TLS connection to {host}: {code}', '无法与 {host} 建立可信的 TLS 连接：{code}'],
  callbackReset: ['{host} closed the connection before it had answered', '{host} 在应答完成前关闭了连接'],
  callbackNoRoute: ['there is no way to {host}', '无法到达 {host}'],
  callbackGarbled: ['what {host} answered is not HTTP: {code}', '{host} 的应答不是 HTTP：{code}'],
  answeredAway: ['it answered {status}', '应答的状态码为 {status}'],
  answeredUnconfirmed: [
    'it answered {status}, which does not meet {mode} {pattern}',
    '应答的状态码为 {status}，不符合 {mode} {pattern}',
  ],
  pausedBy: ['paused by {user}', '已由 {user} 暂停'],
  lapsedRecords: [
    'records {from} to {to} were removed by retention before they could be sent',
    '第 {from} 至 {to} 条记录在发送之前已超过保留期限而被清除',
  ],
  fileType: [
    'it was sent as {type}; send the file itself as {types} (curl: --data-binary @FILE -H "Content-Type: ...")',
    '收到的类型是 {type}；请以 {types} 直接发送文件（curl 可用 --data-binary @FILE -H "Content-Type: ..."）',
  ],
  fileEmpty: ['it is empty', '文件为空'],
  fileText: ['its text is neither UTF-8 nor GBK', '其文本既不是 UTF-8 也不是 GBK'],
  fileQuote: ['the quote that begins in line {line} is never closed', '第 {line} 行的引号没有闭合'],
  fileXml: ['its sheet is not what spreadsheets write', '工作表内容不是电子表格所生成的格式'],
  fileCut: ['it is damaged or has been cut off', '文件损坏或不完整'],
  fileTooLarge: ['unpacked it is too large', '解压后过大'],
  fileDates: [
    'it counts its days from 1904; save it with the other date system, or as CSV',
    '它使用 1904 日期系统；请改用另一日期系统，或另存为 CSV',
  ],
  fileSheet: ['it has no sheet', '其中没有工作表'],
  fileOldExcel: [
    'it is an old or an encrypted workbook; save it as .xlsx without a password, or as CSV',
    '它是旧版或加密的工作簿；请另存为不加密的 .xlsx 或 CSV',
  ],
  fileNoColumn: [
    'the first row must name the columns, {column} among them; it names {found}',
    '首行必须是列名，且包含 {column}；实际为 {found}',
  ],
  fileTwice: ['the column {column} is there twice', '列 {column} 重复'],
  columnUnknown: [
    'there is no column {column}; did you mean one of {values}?',
    '没有列 {column}；您是否想用：{values}',
  ],
  cellError: ['cell {cell} holds the error {value}', '单元格 {cell} 是错误值 {value}'],
  cellFormula: [
    'cell {cell} holds a formula without a value; formulas are not worked out',
    '单元格 {cell} 是没有结果的公式；系统不计算公式',
  ],
  rowTooLong: ['it has {cells} cells for {columns} columns', '该行有 {cells} 个单元格，而列只有 {columns} 个'],
  rowTwice: ['row {row} is the same one', '与第 {row} 行重复'],
  pathUnknown: ['there is no {path} in this business', '本业务中没有 {path}'],
  pathNoParent: [
    'there is no {path} to put it under, neither before nor above it in the file',
    '没有可作为上级的 {path}，此前与文件前文中均不存在',
  ],
  pathDepth: ['a path has 1 to {most} names, here {names}', '路径包含 1 至 {most} 个名称，此处为 {names}'],
  pathToModule: ['a host stands in modules; {path} is none', '主机应位于模块中；{path} 不是模块'],
  pathBuiltIn: ['{path} is built in', '{path} 是内置的'],
  columnOfOther: ['{column} says nothing of a {object}; leave it empty', '{column} 不适用于 {object}，请留空'],
  importsBusy: [
    '{most} files are being taken in already, try again when one is done',
    '已有 {most} 个文件正在导入，请稍后重试',
  ],
  wholeFile: [
    'what is taken or tried out as a whole begins at the first row; leave it out',
    '整体导入或整体试运行必须从第一行开始，请去掉该参数',
  ],
  estateKind: ['there is nothing called {value} in an estate', '数据中没有 {value} 这种记录'],
  estateVersion: ['this program reads version {known} of estates', '本程序读取的数据版本为 {known}'],
  noSuchName: ["there is no {what} called '{name}'", "没有名为 '{name}' 的 {what}"],
  diskFull: ['the disk of the storage is full', '存储所在磁盘已满'],
  diskFailing: ['the disk of the storage cannot be written', '存储所在磁盘无法写入'],
  damaged: [
    'the database file is damaged, so changes are refused; the log of the server says what to do',
    '数据库文件已损坏，拒绝所有变更；处理办法见服务日志',
  ],
  writtenByOther: [
    'another program has written to the database file, so changes are refused; the log of the server says what to do',
    '其他程序写入了数据库文件，拒绝所有变更；处理办法见服务日志',
  ],
  fileReplaced: [
    'the database file was replaced or removed, so changes are refused; the log of the server says what to do',
    '数据库文件已被替换或删除，拒绝所有变更；处理办法见服务日志',
  ],
  busy: ['the queue of heavy reads is full, try again shortly', '大查询队列已满，请稍后重试'],
  overloaded: ['more is asked than can be done, try again shortly', '请求超出处理能力，请稍后重试'],
  waitedTooLong: ['the storage was busy for too long, try again shortly', '存储繁忙，等待超时，请稍后重试'],
  callerRate: ['one caller may send {most} requests a second', '每个调用者每秒最多 {most} 个请求'],
  callerRequests: ['one caller may have {most} of them under way at once', '每个调用者同时最多 {most} 个请求'],
} as const satisfies Record<string, readonly [en: string, zh: string]>

type Catalogue = typeof catalogue
type Rules = typeof rules
type Holes<Text extends string> = Text extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never
type Filling<Text extends string> = { [Hole in Holes<Text>]: string | number | Rule }

export type ProblemKind = keyof Catalogue
export type RuleKind = keyof Rules

/** A rule with its holes filled, in both languages. */
export type Rule = readonly [en: string, zh: string]
type RuleDetails<Kind extends RuleKind> = Filling<Rules[Kind][0]>
type Details<Kind extends ProblemKind> = Filling<Catalogue[Kind][2]> & {
  rule?: Rule
  data?: unknown
  /** When to try again, in seconds. */
  retryAfter?: number
  /** All that was refused in the field, for whoever can do without it. */
  values?: readonly string[]
}
type Demanded<T> = Record<never, never> extends T ? [details?: T] : [details: T]

/** A detail may itself be a rule: then each language gets its own words. */
const fill = (text: string, details: Record<string, unknown>, language: 0 | 1) =>
  text.replace(/\{(\w+)\}/g, (_, hole: string) => {
    const value = details[hole]
    return String(Array.isArray(value) ? value[language] : value)
  })

export function rule<Kind extends RuleKind>(kind: Kind, ...[details]: Demanded<RuleDetails<Kind>>): Rule {
  const [en, zh] = rules[kind]
  return [fill(en, details ?? {}, 0), fill(zh, details ?? {}, 1)]
}

const join = ([en, zh]: Rule, [moreEn, moreZh]: Rule): Rule => [`${en} ${moreEn}`, `${zh} ${moreZh}`]

/** A refusal the caller is told about. Anything else that is thrown is a defect of ours. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: number
  readonly status: number
  readonly retryAfter: number | undefined
  /** What a failure answers with besides its text; nothing, unless the operation says otherwise. */
  readonly data: unknown
  /** What of the request was refused, where one part of it was. */
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

  /** The same problem, told of the place where the value was found. */
  at(path: string): Problem {
    const { field, rule: hint } = this.#details as { field?: string; rule?: Rule }
    if (field === undefined) return this
    const here = [field, field] as const
    return new Problem(this.kind, { ...this.#details, field: path, rule: hint ? join(here, hint) : here })
  }

  text(language: Language): string {
    return this.#texts[language]
  }
}

/** `throw problem('duplicate', { what: 'bk_set_name' })`: the kind and its details are checked together. */
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

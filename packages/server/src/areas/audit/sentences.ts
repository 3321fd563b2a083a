// What a change did, as a sentence in the caller's language.
import { type Language, operationTypes } from '@mainline/contract'
import { type Model, objectName } from '../model/index.ts'

/** Records of one object with one operation. */
export interface CountedRecords {
  readonly object: string
  readonly operation: number
  readonly records: number
  /** Of the first of them. */
  readonly names: readonly string[]
  /** Of hosts that were all moved the same way. */
  readonly route?: string | undefined
}

/** Groups that a sentence names; further ones are counted. */
const maxGroups = 3
const maxNames = 3

const verbs: Readonly<Record<number, readonly [en: string, zh: string]>> = {
  [operationTypes.add]: ['created', '创建'],
  [operationTypes.update]: ['updated', '更新'],
  [operationTypes.delete]: ['deleted', '删除'],
  [operationTypes.transfer]: ['moved', '移动'],
}

/** Kinds of records that are no objects of the model. */
const kinds: Readonly<Record<string, readonly [singular: string, plural: string, zh: string]>> = {
  userapi: ['saved query', 'saved queries', '自定义查询'],
  usergroup: ['user group', 'user groups', '用户组'],
  privilege: ['privilege', 'privileges', '权限'],
  model: ['model definition', 'model definitions', '模型定义'],
  subscription: ['subscription', 'subscriptions', '订阅'],
  instassociation: ['association', 'associations', '实例关联'],
  history: ['log', 'logs', '日志'],
}

const plurals: Readonly<Record<string, readonly [singular: string, plural: string]>> = {
  biz: ['business', 'businesses'],
  set: ['set', 'sets'],
  module: ['module', 'modules'],
  host: ['host', 'hosts'],
}

/** `deleted set winter-sale, deleted 40 modules`; with `isUndo`, that it undid another change. */
export function sentenceOf(
  groups: readonly CountedRecords[],
  model: Model,
  language: Language,
  isUndo: boolean,
): string {
  const isEnglish = language === 'en'
  const told = groups
    .slice(0, maxGroups)
    .map((group) => (isEnglish ? inEnglish(group, model) : inChinese(group, model)))
  const rest = groups.slice(maxGroups).reduce((sum, { records }) => sum + records, 0)
  if (rest > 0) told.push(isEnglish ? `${rest} more records` : `另有 ${rest} 条记录`)
  const sentence = told.join(isEnglish ? ', ' : '，')
  if (!isUndo) return sentence
  return isEnglish ? `undo: ${sentence}` : `撤销：${sentence}`
}

const verbOf = (operation: number, language: 0 | 1) =>
  (verbs[operation] ?? verbs[operationTypes.update] ?? ['', ''])[language]

function inEnglish({ object, operation, records, names, route }: CountedRecords, model: Model): string {
  const [singular, plural] = kinds[object] ?? plurals[object] ?? ofObject(object, model)
  const verb = verbOf(operation, 0)
  const what = records === 1 ? `${verb} ${singular} ${names[0] ?? ''}`.trimEnd() : `${verb} ${records} ${plural}`
  return what + details(records, names, route, ': ', ', ', '…')
}

function inChinese({ object, operation, records, names, route }: CountedRecords, model: Model): string {
  const known = model.objects.get(object)
  const noun = kinds[object]?.[2] ?? (known ? objectName(known, 'zh-cn') : object)
  const verb = verbOf(operation, 1)
  const what = records === 1 ? `${verb}${noun} ${names[0] ?? ''}`.trimEnd() : `${verb} ${records} 个${noun}`
  return what + details(records, names, route, '：', '、', '…')
}

function ofObject(object: string, model: Model): readonly [string, string] {
  const known = model.objects.get(object)
  const name = known ? objectName(known, 'en') : object
  return [name, `instances of ${name}`]
}

/** Where hosts were moved, or what is called how, unless that is told already. */
function details(
  records: number,
  names: readonly string[],
  route: string | undefined,
  colon: string,
  comma: string,
  more: string,
): string {
  if (route !== undefined) return colon + route
  const known = names.filter((name) => name !== '')
  if (records === 1 || known.length === 0) return ''
  const listed = known.slice(0, maxNames).join(comma)
  return colon + listed + (records > Math.min(known.length, maxNames) ? `${comma}${more}` : '')
}

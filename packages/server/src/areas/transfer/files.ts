// Exports and templates.
import type { Language } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import type { Caller } from '../../http/route.ts'
import { type Format, type Page, writeSheet } from '../../sheets/index.ts'
import type { Storage } from '../../storage/index.ts'
import { neighboursOf, planSearch, readHostQuery, showHost, walkHosts } from '../hosts/index.ts'
import { attributeName, type Model, modelAt, objectName, objectOf, shownWord, wordsOf } from '../model/index.ts'
import { type Business, placesOf, showNode, writePath } from '../topology/index.ts'
import { type Column, pathColumn } from './columns.ts'
import { hostColumns } from './hosts.ts'
import { topologyColumns } from './topology.ts'

export type SheetKind = 'hosts' | 'topology'

const identityColumns = 2

/** The header of a file: identifying columns first, then the placement, then the rest. */
function layoutOf(kind: SheetKind, model: Model): { columns: Column[]; header: string[]; at: number } {
  const columns = kind === 'hosts' ? hostColumns(model) : topologyColumns(model)
  const at = kind === 'hosts' ? identityColumns : 0
  return { columns, header: columns.map(({ id }) => id).toSpliced(at, 0, pathColumn), at }
}

/** Reads hosts page by page, so that memory does not grow with their number. */
export async function* hostFile(
  storage: Storage,
  { account, language }: Caller,
  zone: Zone,
  business: Business,
): AsyncGenerator<unknown[][]> {
  const model = await modelAt(storage.read, account, business.modelVersion)
  const { columns, header, at } = layoutOf('hosts', model)
  yield [header]
  const placed = await placesOf(storage.heavy, business.node, { internal: true, language })
  const paths = new Map(placed.map(({ node, path }) => [node.id, writePath(path)]))
  const query = readHostQuery([], { model, zone, path: 'condition', kinds: [], strict: false })
  const plan = await planSearch(storage, { account, model, business: business.node, query, order: [] })
  const object = objectOf(model, 'host')
  const wanted = columns.map(({ id }) => id)
  for await (const hosts of walkHosts(storage, plan)) {
    const { modules } = await neighboursOf(storage.heavy, hosts, (kind) => kind === 'module')
    yield hosts.map((host) => {
      const record = showHost(object, host, { language, zone }, wanted)
      const where = (modules.get(host.id) ?? []).map((module) => paths.get(module.id) ?? '')
      return wanted.map((id) => record[id]).toSpliced(at, 0, where.join('|'))
    })
  }
}

const rowsAtOnce = 500

export async function* topologyFile(
  storage: Storage,
  { account, language }: Caller,
  zone: Zone,
  business: Business,
): AsyncGenerator<unknown[][]> {
  const model = await modelAt(storage.read, account, business.modelVersion)
  const { columns, header } = layoutOf('topology', model)
  yield [header]
  const placed = await placesOf(storage.heavy, business.node, { internal: false, language })
  for (let from = 0; from < placed.length; from += rowsAtOnce) {
    yield placed.slice(from, from + rowsAtOnce).map(({ node, path }) => {
      const record = showNode(objectOf(model, node.object_id), node, { language, zone })
      const cells = columns.map(({ object, attribute }) => (object === node.object_id ? record[attribute.id] : ''))
      return [writePath(path), ...cells]
    })
  }
}

const words = {
  path: {
    hosts: {
      en: 'Where it stands: names from below the business to the module with / between; several with | between',
      'zh-cn': '所在位置：从业务之下到模块的名称，以 / 分隔；多个以 | 分隔',
    },
    topology: {
      en: 'Names from below the business to the instance, with / between',
      'zh-cn': '从业务之下到该实例的名称，以 / 分隔',
    },
  },
  required: { en: 'required', 'zh-cn': '必填' },
  sheet: { en: 'columns', 'zh-cn': '列说明' },
} as const

/** A header without rows. CSV has a second line that describes the columns, which imports skip; XLSX has a second sheet. */
export function templateFile(kind: SheetKind, model: Model, language: Language, format: Format) {
  const { columns, header, at } = layoutOf(kind, model)
  const about = columns.map((column) => describe(model, column, language))
  const place = {
    id: pathColumn,
    name: words.path[kind][language],
    type: '',
    required: kind === 'topology',
    options: '',
  }
  const all = about.toSpliced(at, 0, place)
  const note = ({ name, required, options }: (typeof all)[number]) =>
    [name + (required ? ` (${words.required[language]})` : ''), options].filter(Boolean).join(': ')
  const notes = all.map((each, index) => (index === 0 ? `# ${note(each)}` : note(each)))
  const guide = all.map((each) => [
    each.id,
    each.name,
    each.type,
    each.required ? words.required[language] : '',
    each.options,
  ])
  const pages: [Page, Page] = [
    { name: kind, rows: [format === 'csv' ? [header, notes] : [header]] },
    { name: words.sheet[language], rows: [guide] },
  ]
  return writeSheet(format, pages)
}

function describe(model: Model, { id, attribute, object }: Column, language: Language) {
  const own = attributeName(attribute, language)
  const choice = (choiceId: string, stored: string) =>
    `${choiceId} ${shownWord(wordsOf.choice(attribute.object, attribute.id, choiceId), stored, language)}`
  return {
    id,
    name: object === undefined ? own : `${objectName(objectOf(model, object), language)}: ${own}`,
    type: String(attribute.type),
    required: attribute.required,
    options: attribute.choices.map((each) => choice(each.id, each.name)).join(', '),
  }
}

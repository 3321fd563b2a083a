import { Problem, problem, rule } from '@mainline/contract'
import type { Row, Sheet } from '../../platform/sheets/index.ts'
import type { Tx } from '../../platform/storage/index.ts'
import {
  type Editor,
  type HostRow,
  readAddresses,
  refuseMixed,
  type Spot,
  settleRows,
  spotsCalled,
} from '../hosts/index.ts'
import { type Attributes, type Model, modelIn, objectOf, systemFields } from '../model/index.ts'
import { findAtPaths, joinBusiness, objectsOf, type Path, pathKey, readPaths, writePath } from '../topology/index.ts'
import { attributesOf, type Column, readCells, readColumns } from './columns.ts'
import type { Fate, Job } from './run.ts'

/** Who a host is, first; then the rest. */
const identity = ['bk_host_innerip', 'bk_cloud_id']

export function hostColumns(model: Model): Column[] {
  const { attributes } = objectOf(model, 'host')
  const own = attributes.filter(({ id }) => !systemFields.has(id)).map((attribute) => ({ id: attribute.id, attribute }))
  const rank = ({ id }: Column) => (identity.includes(id) ? identity.indexOf(id) : identity.length)
  return own.toSorted((one, other) => rank(one) - rank(other))
}

export interface HostLine {
  readonly number: number
  readonly sent: Attributes
  readonly paths: readonly Path[]
  readonly wrong?: Problem | undefined
}

/** The rows of a file as hosts of a business. */
export function hostJob(model: Model, sheet: Sheet, bizId: number, editor: Editor): Job<HostLine> {
  const reading = readColumns(sheet, hostColumns(model), 'bk_host_innerip')
  const first = new Map<string, number>()
  const rows = sheet.rows.map((row): HostLine => {
    const sent = attributesOf(readCells(reading, row.cells))
    const text = reading.path === undefined ? '' : (row.cells[reading.path] ?? '')
    const paths = text.trim() === '' ? [] : readPaths(text)
    return { number: row.number, sent, paths, wrong: unreadable(row) ?? repeated(row.number, sent, first) }
  })
  return { rows, connected: false, apply: (tx, some) => settleLines(tx, bizId, some, editor) }
}

export const unreadable = ({ wrong }: Row) => wrong && problem('badRow', { why: wrong })

/** In the whole file, so that it does not depend on which rows are taken in together. */
function repeated(number: number, sent: Attributes, first: Map<string, number>): Problem | undefined {
  try {
    const cloud = Number(sent.bk_cloud_id ?? 0)
    const names = readAddresses('bk_host_innerip', String(sent.bk_host_innerip ?? '')).map((ip) => `${cloud} ${ip}`)
    const before = names.map((name) => first.get(name)).find((row) => row !== undefined)
    if (before !== undefined) return problem('badRow', { why: rule('rowTwice', { row: before }) })
    for (const name of names) first.set(name, number)
    return undefined
  } catch (error) {
    // It names no host, and is refused for that when its turn comes.
    if (error instanceof Problem) return undefined
    throw error
  }
}

export async function settleLines(
  tx: Tx,
  bizId: number,
  rows: readonly HostLine[],
  editor: Editor,
): Promise<Map<number, Fate>> {
  const business = await joinBusiness(tx, bizId, () => problem('notFound'))
  const model = await modelIn(tx)
  const fates = new Map<number, Fate>()
  const spotsAt = await findSpots(tx, model, business, rows)
  const settled: HostRow[] = []
  for (const { number, sent, paths, wrong } of rows) {
    try {
      if (wrong) throw wrong
      settled.push({ number: String(number), sent, spots: paths.length === 0 ? undefined : spotsAt(paths) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      fates.set(number, { outcome: 'failed', problem: error })
    }
  }
  for (const [number, fate] of await settleRows(tx, business, settled, editor)) {
    fates.set(Number(number), fate.outcome === 'failed' ? fate : { outcome: fate.outcome, id: fate.hostId })
  }
  return new Map(rows.map(({ number }) => [number, fates.get(number) as Fate]))
}

/** The modules that paths lead to. */
async function findSpots(tx: Tx, model: Model, business: number, rows: readonly HostLine[]) {
  const paths = rows.flatMap((row) => (row.wrong ? [] : row.paths))
  const nodes = await findAtPaths(tx, model, business, paths)
  const modules = [...nodes.values()].filter((node) => node.object_id === 'module').map((node) => node.inst_id)
  const spots = new Map((await spotsCalled(tx, business, modules)).map((spot) => [spot.module_id, spot]))
  return (wanted: readonly Path[]): Spot[] => {
    const found = wanted.map((path) => {
      const node = nodes.get(pathKey(model, path))
      const shown = writePath(path).slice(0, 300)
      if (objectsOf(model, path)[path.length - 1] !== 'module') {
        throw problem('badRow', { why: rule('pathToModule', { path: shown }) })
      }
      if (!node) throw problem('badRow', { why: rule('pathUnknown', { path: shown }) })
      return spots.get(node.inst_id) as Spot
    })
    const distinct = [...new Set(found)]
    refuseMixed(distinct)
    return distinct
  }
}

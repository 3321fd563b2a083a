import { Problem, problem, rule } from '@mainline/contract'
import { inTurns } from '../../common/concurrency/turns.ts'
import { present } from '../../common/present.ts'
import type { Row, Sheet } from '../../sheets/index.ts'
import type { Tx } from '../../storage/index.ts'
import {
  type Editor,
  type HostRow,
  matchRows,
  readAddresses,
  refuseMixed,
  type Spot,
  spotsCalled,
} from '../hosts/index.ts'
import { type Attributes, type Model, modelIn, objectOf, systemFields } from '../model/index.ts'
import { findAtPaths, joinBusiness, objectsOf, type Path, pathKey, readPaths, writePath } from '../topology/index.ts'
import { attributesOfRow, type Column, readCells, readColumns } from './columns.ts'
import type { Job, RowResult } from './run.ts'

/** The columns that identify a host come first. */
const identityFields = ['bk_host_innerip', 'bk_cloud_id']

export function hostColumns(model: Model): Column[] {
  const { attributes } = objectOf(model, 'host')
  const own = attributes.filter(({ id }) => !systemFields.has(id)).map((attribute) => ({ id: attribute.id, attribute }))
  const rank = ({ id }: Column) => (identityFields.includes(id) ? identityFields.indexOf(id) : identityFields.length)
  return own.toSorted((one, other) => rank(one) - rank(other))
}

interface HostLine {
  readonly number: number
  readonly sent: Attributes
  readonly paths: readonly Path[]
  readonly wrong?: Problem | undefined
}

/** The rows of a file as hosts of a business. */
export async function hostJob(model: Model, sheet: Sheet, bizId: number, editor: Editor): Promise<Job<HostLine>> {
  const reading = readColumns(sheet, hostColumns(model), 'bk_host_innerip')
  const first = new Map<string, number>()
  const rows: HostLine[] = []
  await inTurns(sheet.rows, (row) => {
    const sent = attributesOfRow(readCells(reading, row.cells))
    const text = reading.path === undefined ? '' : (row.cells[reading.path] ?? '')
    const paths = text.trim() === '' ? [] : readPaths(text)
    rows.push({ number: row.number, sent, paths, wrong: unreadable(row) ?? repeated(row.number, sent, first) })
  })
  return { rows, dependent: false, apply: (tx, some) => settleLines(tx, bizId, some, editor) }
}

export const unreadable = ({ wrong }: Row) => wrong && problem('badRow', { why: wrong })

/** Checked over the whole file, so that the result does not depend on batches. */
function repeated(number: number, sent: Attributes, first: Map<string, number>): Problem | undefined {
  try {
    const cloud = Number(sent.bk_cloud_id ?? 0)
    const names = readAddresses('bk_host_innerip', String(sent.bk_host_innerip ?? '')).map((ip) => `${cloud} ${ip}`)
    const before = names.map((name) => first.get(name)).find((row) => row !== undefined)
    if (before !== undefined) return problem('badRow', { why: rule('rowTwice', { row: before }) })
    for (const name of names) first.set(name, number)
    return undefined
  } catch (error) {
    // The row has no valid address, and is refused for that later.
    if (error instanceof Problem) return undefined
    throw error
  }
}

export async function settleLines(
  tx: Tx,
  bizId: number,
  rows: readonly HostLine[],
  editor: Editor,
): Promise<Map<number, RowResult>> {
  const business = await joinBusiness(tx, bizId, () => problem('notFound'))
  const model = await modelIn(tx)
  const results = new Map<number, RowResult>()
  const spotsAt = await findModules(tx, model, business, rows)
  const settled: HostRow[] = []
  for (const { number, sent, paths, wrong } of rows) {
    try {
      if (wrong) throw wrong
      settled.push({ number: String(number), sent, spots: paths.length === 0 ? undefined : spotsAt(paths) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      results.set(number, { outcome: 'failed', problem: error })
    }
  }
  for (const [number, result] of await matchRows(tx, business, settled, editor)) {
    results.set(Number(number), result.outcome === 'failed' ? result : { outcome: result.outcome, id: result.hostId })
  }
  return new Map(rows.map(({ number }) => [number, present(results.get(number))]))
}

/** The modules at these paths. */
async function findModules(tx: Tx, model: Model, business: number, rows: readonly HostLine[]) {
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
      return present(spots.get(node.inst_id))
    })
    const distinct = [...new Set(found)]
    refuseMixed(distinct)
    return distinct
  }
}

import { Problem, problem, rule } from '@mainline/contract'
import { inTurns } from '../../common/concurrency/turns.ts'
import { first, present } from '../../common/present.ts'
import type { Sheet } from '../../sheets/index.ts'
import type { Tx } from '../../storage/index.ts'
import type { Editor } from '../hosts/index.ts'
import {
  type Attributes,
  checkNew,
  type Model,
  modelIn,
  nameField,
  type ObjectModel,
  objectOf,
  type Showing,
  takenRules,
  uniqueTaken,
} from '../model/index.ts'
import {
  createInstances,
  findAtPaths,
  holdBusiness,
  idField,
  type NodeRules,
  objectsBelow,
  objectsOf,
  type Path,
  pathKey,
  readPath,
  updateInstance,
  writePath,
} from '../topology/index.ts'
import { attributesOfRow, type Column, pathColumn, readCells, readColumns } from './columns.ts'
import { unreadable } from './hosts.ts'
import type { Job, RowResult } from './run.ts'

/** The attributes of every level, set and module, without names: the last name of the path is the instance's. */
export const topologyColumns = (model: Model): Column[] =>
  objectsBelow(model, 'biz').flatMap((object) =>
    objectOf(model, object)
      .attributes.filter(({ id }) => id !== nameField(object))
      .map((attribute) => ({ id: `${object}.${attribute.id}`, attribute, object })),
  )

interface TopologyLine {
  readonly number: number
  readonly path: Path
  readonly key: string
  readonly sent: Attributes
  readonly object: string
  readonly wrong?: Problem | undefined
}

/** The rows of a file as instances of a business's main line. */
export async function topologyJob(
  model: Model,
  sheet: Sheet,
  bizId: number,
  { showing }: Editor,
): Promise<Job<TopologyLine>> {
  const reading = readColumns(sheet, topologyColumns(model), pathColumn)
  const first = new Map<string, number>()
  const rows: TopologyLine[] = []
  await inTurns(sheet.rows, (row) => {
    const path = readPath(row.cells[reading.path ?? -1] ?? '')
    const key = pathKey(model, path)
    const object = objectsOf(model, path)[path.length - 1] ?? ''
    const said = readCells(reading, row.cells)
    const other = said.find(({ column }) => column.object !== object)?.column
    const before = first.get(key)
    if (before === undefined) first.set(key, row.number)
    const wrong =
      unreadable(row) ??
      badPath(model, path, object) ??
      (before === undefined ? undefined : problem('badRow', { why: rule('rowTwice', { row: before }) })) ??
      (other && problem('badRow', { why: rule('columnOfOther', { column: other.id, object }) }))
    rows.push({ number: row.number, path, key, sent: attributesOfRow(said), object, wrong })
  })
  return { rows, dependent: true, apply: (tx, some) => importTopologyLines(tx, bizId, some, showing) }
}

export function badPath(model: Model, path: Path, object: string): Problem | undefined {
  if (path.some((name) => name === '')) return problem('unassigned', { field: pathColumn })
  if (object !== '') return undefined
  const most = objectsBelow(model, 'biz').length
  return problem('badRow', { why: rule('pathDepth', { most, names: path.length }) })
}

export const kindOf = (object: string): NodeRules => ({
  object,
  builtIn: () => problem('setProtected', { why: rule('internalSet') }),
  noParent: () => problem('notFound'),
})

export const importTopologyLines = (tx: Tx, bizId: number, rows: readonly TopologyLine[], showing: Showing) =>
  new TopologyBatch(tx, bizId, showing).run(rows)

/** Writes a batch of rows in one change. Rows with the same parent are created together, from the top down. */
class TopologyBatch {
  readonly #tx: Tx
  readonly #bizId: number
  readonly #showing: Showing
  readonly #results = new Map<number, RowResult>()
  /** Public ids by path, of existing and created instances. */
  readonly #ids = new Map<string, number>()

  constructor(tx: Tx, bizId: number, showing: Showing) {
    this.#tx = tx
    this.#bizId = bizId
    this.#showing = showing
  }

  async run(rows: readonly TopologyLine[]): Promise<Map<number, RowResult>> {
    const tx = this.#tx
    const business = await holdBusiness(tx, this.#bizId, { tree: false })
    const model = await modelIn(tx)
    const nodes = await findAtPaths(
      tx,
      model,
      business,
      rows.map((row) => row.path),
    )
    this.#ids.set(pathKey(model, []), this.#bizId)
    for (const [key, node] of nodes) this.#ids.set(key, node.inst_id)

    const coming = new Set(this.#ids.keys())
    const fresh: TopologyLine[] = []
    for (const row of rows) {
      await this.#unlessWrong(row, async () => {
        const object = this.#fit(model, row, coming)
        const node = nodes.get(row.key)
        if (node?.built_in) throw problem('badRow', { why: rule('pathBuiltIn', { path: writePath(row.path) }) })
        if (node) return this.#update(row, node.inst_id)
        checkNew(object, named(row), this.#showing.zone)
        coming.add(row.key)
        fresh.push(row)
      })
    }
    await this.#create(model, fresh)
    return new Map(rows.map(({ number }) => [number, present(this.#results.get(number))]))
  }

  async #unlessWrong(row: TopologyLine, work: () => Promise<void>): Promise<void> {
    try {
      if (row.wrong) throw row.wrong
      await work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#results.set(row.number, { outcome: 'failed', problem: error })
    }
  }

  /** The parent must exist, or be created by an earlier row. */
  #fit(model: Model, { path, object: id }: TopologyLine, coming: ReadonlySet<string>): ObjectModel {
    const object = objectOf(model, id)
    if (object.paused) throw problem('modelPaused')
    const above = path.slice(0, -1)
    if (!coming.has(pathKey(model, above))) {
      throw problem('badRow', { why: rule('pathNoParent', { path: writePath(above).slice(0, 300) }) })
    }
    return object
  }

  async #update({ number, object, sent }: TopologyLine, id: number): Promise<void> {
    const changed = await updateInstance(this.#tx, kindOf(object), { bizId: this.#bizId, id }, sent, this.#showing)
    this.#results.set(number, { outcome: changed ? 'updated' : 'unchanged', id })
  }

  async #create(model: Model, rows: readonly TopologyLine[]): Promise<void> {
    const byDepth = rows.toSorted((one, other) => one.path.length - other.path.length)
    for (const [above, all] of Map.groupBy(byDepth, (row) => pathKey(model, row.path.slice(0, -1)))) {
      const { object, path } = first(all)
      const parentId = this.#ids.get(above)
      if (parentId === undefined) {
        // Its row was refused.
        const why = rule('pathNoParent', { path: writePath(path.slice(0, -1)).slice(0, 300) })
        for (const { number } of all)
          this.#results.set(number, { outcome: 'failed', problem: problem('badRow', { why }) })
        continue
      }
      const siblings = await this.#free(objectOf(model, object), all)
      if (siblings.length === 0) continue
      const place = { bizId: this.#bizId, parentId }
      const made = await createInstances(this.#tx, kindOf(object), place, siblings.map(named), this.#showing)
      for (const [index, record] of made.entries()) {
        const { number, key } = present(siblings[index])
        const id = Number(record[idField(object)])
        this.#ids.set(key, id)
        this.#results.set(number, { outcome: 'created', id })
      }
    }
  }

  /** Rows whose values no other instance has under a unique rule. */
  async #free(object: ObjectModel, rows: readonly TopologyLine[]): Promise<TopologyLine[]> {
    const candidates = rows.map((row) => ({ attributes: checkNew(object, named(row), this.#showing.zone) }))
    const taken = await takenRules(this.#tx, object, candidates)
    return rows.filter(({ number }, index) => {
      const unique = taken[index]
      if (unique) this.#results.set(number, { outcome: 'failed', problem: uniqueTaken(unique) })
      return !unique
    })
  }
}

const named = ({ object, path, sent }: TopologyLine): Attributes => ({ ...sent, [nameField(object)]: path.at(-1) })

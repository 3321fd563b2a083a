import { Problem, problem, rule } from '@mainline/contract'
import type { Sheet } from '../../platform/sheets/index.ts'
import type { Tx } from '../../platform/storage/index.ts'
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
} from '../model/index.ts'
import {
  below,
  createInstances,
  findAtPaths,
  holdBusiness,
  idField,
  type Kind,
  objectsOf,
  type Path,
  pathKey,
  readPath,
  updateInstance,
  writePath,
} from '../topology/index.ts'
import { attributesOf, type Column, pathColumn, readCells, readColumns } from './columns.ts'
import { unreadable } from './hosts.ts'
import type { Fate, Job } from './run.ts'

/** The attributes of every level, set and module; what an instance is called is the end of its path. */
export const topologyColumns = (model: Model): Column[] =>
  below(model, 'biz').flatMap((object) =>
    objectOf(model, object)
      .attributes.filter(({ id }) => id !== nameField(object))
      .map((attribute) => ({ id: `${object}.${attribute.id}`, attribute, object })),
  )

export interface TopologyLine {
  readonly number: number
  readonly path: Path
  readonly key: string
  readonly sent: Attributes
  readonly object: string
  readonly wrong?: Problem | undefined
}

/** The rows of a file as instances of a business's main line. */
export function topologyJob(model: Model, sheet: Sheet, bizId: number, { showing }: Editor): Job<TopologyLine> {
  const reading = readColumns(sheet, topologyColumns(model), pathColumn)
  const first = new Map<string, number>()
  const rows = sheet.rows.map((row): TopologyLine => {
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
    return { number: row.number, path, key, sent: attributesOf(said), object, wrong }
  })
  return { rows, connected: true, apply: (tx, some) => growLines(tx, bizId, some, showing) }
}

export function badPath(model: Model, path: Path, object: string): Problem | undefined {
  if (path.some((name) => name === '')) return problem('unassigned', { field: pathColumn })
  if (object !== '') return undefined
  const most = below(model, 'biz').length
  return problem('badRow', { why: rule('pathDepth', { most, names: path.length }) })
}

export const kindOf = (object: string): Kind => ({
  object,
  builtIn: () => problem('setProtected', { why: rule('internalSet') }),
  noParent: () => problem('notFound'),
})

export const growLines = (tx: Tx, bizId: number, rows: readonly TopologyLine[], showing: Showing) =>
  new Growing(tx, bizId, showing).run(rows)

/** Rows in one change. Those of one parent are created together, from the top down. */
class Growing {
  readonly #tx: Tx
  readonly #bizId: number
  readonly #showing: Showing
  readonly #fates = new Map<number, Fate>()
  /** Public ids by path, of what is there and of what has been created. */
  readonly #ids = new Map<string, number>()

  constructor(tx: Tx, bizId: number, showing: Showing) {
    this.#tx = tx
    this.#bizId = bizId
    this.#showing = showing
  }

  async run(rows: readonly TopologyLine[]): Promise<Map<number, Fate>> {
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
    return new Map(rows.map(({ number }) => [number, this.#fates.get(number) as Fate]))
  }

  async #unlessWrong(row: TopologyLine, work: () => Promise<void>): Promise<void> {
    try {
      if (row.wrong) throw row.wrong
      await work()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#fates.set(row.number, { outcome: 'failed', problem: error })
    }
  }

  /** Its parent must be there, or come before it. */
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
    this.#fates.set(number, { outcome: changed ? 'updated' : 'unchanged', id })
  }

  async #create(model: Model, rows: readonly TopologyLine[]): Promise<void> {
    const byDepth = rows.toSorted((one, other) => one.path.length - other.path.length)
    for (const [above, siblings] of Map.groupBy(byDepth, (row) => pathKey(model, row.path.slice(0, -1)))) {
      const [{ object }] = siblings as [TopologyLine]
      const place = { bizId: this.#bizId, parentId: this.#ids.get(above) as number }
      const made = await createInstances(this.#tx, kindOf(object), place, siblings.map(named), this.#showing)
      for (const [index, record] of made.entries()) {
        const { number, key } = siblings[index] as TopologyLine
        const id = record[idField(object)] as number
        this.#ids.set(key, id)
        this.#fates.set(number, { outcome: 'created', id })
      }
    }
  }
}

const named = ({ object, path, sent }: TopologyLine): Attributes => ({ ...sent, [nameField(object)]: path.at(-1) })

import { Problem, problem, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import { type Tx, together } from '../../../storage/index.ts'
import { Violation } from '../../../storage/violation.ts'
import { type Attributes, modelIn, type ObjectModel, objectOf, takenRules, uniqueTaken } from '../../model/index.ts'
import { builtIn } from '../../topology/index.ts'
import { readAddresses } from '../address.ts'
import { builtInSpot, relocate, type Spot, settled, spotsOf } from '../placement/placement.ts'
import { type Host, holdHosts } from '../rows.ts'
import { findAreas } from './areas.ts'
import { candidateOf, changesOf, checkHost, cloudIdOf, type Editor, type Rewrite, rewriteHosts } from './change.ts'
import { insertHosts, newHost } from './insert.ts'

/** A host as described by one row of a request, with the number of the row. */
export interface HostRow {
  readonly number: string
  readonly sent: Attributes
  /** The modules to place it in. Undefined: a new host becomes idle, an existing one stays where it is. */
  readonly spots?: readonly Spot[] | undefined
}

/** The result of a row. */
export type HostRowResult =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly hostId: number }
  /** `known`: the host exists already. */
  | { readonly outcome: 'failed'; readonly problem: Problem; readonly known: boolean }

/** A host of this change was concurrently deleted or has got other addresses. */
class Overtaken extends Error {}

/** Such a change is repeated, and so is one during which the same host was added or the area was deleted: the repetition sees it. */
const mostAttempts = 5
const isOvertaken = (error: unknown) =>
  error instanceof Overtaken ||
  (error instanceof Violation && (error.constraint === 'host_ip_key' || error.constraint === 'host_cloud'))

export async function unlessOvertaken<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change()
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt >= mostAttempts) throw problem('duplicate', { what: 'bk_host_innerip' })
    }
  }
}

/** Adds hosts to a business that this change has locked in shared mode, and updates existing ones; reports the result of every row. */
export const matchRows = (tx: Tx, business: number, rows: readonly HostRow[], editor: Editor) =>
  new Settling(tx, business, editor).run(rows)

interface Readable extends HostRow {
  readonly given: Attributes
  readonly addresses: readonly string[]
}

interface Identified extends Readable {
  readonly cloud: number
  readonly cloudId: number
}

/** One attempt. Rows with an error are taken out step by step; the remaining rows are written. */
class Settling {
  readonly #tx: Tx
  readonly #business: number
  readonly #editor: Editor
  readonly #fates = new Map<string, HostRowResult>()

  constructor(tx: Tx, business: number, editor: Editor) {
    this.#tx = tx
    this.#business = business
    this.#editor = editor
  }

  async run(sent: readonly HostRow[]): Promise<Map<string, HostRowResult>> {
    const object = objectOf(await modelIn(this.#tx), 'host')
    const { rows, known, idle } = await this.#found(this.#readable(object, sent))
    const fresh = rows.filter((row) => this.#hostsOf(row, known).length === 0)
    await this.#insert(object, await this.#free(object, this.#checked(object, fresh)), idle)
    await this.#rewrite(object, rows, known)
    return this.#fates
  }

  #fail(number: string, error: unknown, known = false): [] {
    if (!(error instanceof Problem)) throw error
    this.#fates.set(number, { outcome: 'failed', problem: error, known })
    return []
  }

  /** Rows with valid attributes and addresses. */
  #readable(object: ObjectModel, rows: readonly HostRow[]): Readable[] {
    return rows.flatMap((row) => {
      try {
        const given = checkHost(object, row.sent, this.#editor.showing.zone)
        if (typeof given.bk_host_innerip !== 'string') throw problem('unassigned', { field: 'bk_host_innerip' })
        return { ...row, given, addresses: readAddresses('bk_host_innerip', given.bk_host_innerip) }
      } catch (error) {
        return this.#fail(row.number, error)
      }
    })
  }

  /** Rows that identify their host, the existing hosts, and the default modules of new ones. */
  async #found(rows: readonly Readable[]) {
    const areaIds = rows.map(({ given }) => cloudIdOf(given))
    const idle = rows.some((row) => !row.spots)
      ? builtInSpot(this.#tx, this.#business, builtIn.idle).then((spot) => [spot])
      : Promise.resolve([])
    const [areas, known, idleSpots] = await together(findAreas(this.#tx, areaIds), this.#known(rows), idle)
    return { rows: this.#identified(rows, areas), known, idle: idleSpots }
  }

  /** Rows that identify their host by addresses and an existing cloud area. */
  #identified(rows: readonly Readable[], areas: ReadonlyMap<number, number>): Identified[] {
    const taken = new Set<string>()
    return rows.flatMap((row) => {
      const cloudId = cloudIdOf(row.given)
      const cloud = areas.get(cloudId)
      try {
        if (cloud === undefined) throw problem('noCloudArea', { rule: rule('value', { value: cloudId }) })
        const names = row.addresses.map((ip) => `${cloud} ${ip}`)
        if (names.some((name) => taken.has(name))) throw problem('duplicate', { what: 'bk_host_innerip' })
        for (const name of names) taken.add(name)
        return { ...row, cloud, cloudId }
      } catch (error) {
        return this.#fail(row.number, error)
      }
    })
  }

  /** Existing hosts by area and address. */
  async #known(rows: readonly Readable[]): Promise<Map<string, number>> {
    const addresses = [...new Set(rows.flatMap((row) => row.addresses))]
    const found = await this.#tx
      .selectFrom('host_ip')
      .innerJoin('host', 'host.id', 'host_ip.host')
      .select(['host_ip.ip', 'host_ip.cloud', 'host.host_id'])
      .where((eb) => this.#tx.dialect.among(eb.ref('host_ip.ip'), addresses, 'text'))
      .execute()
    return new Map(found.map((row) => [`${row.cloud} ${row.ip}`, row.host_id]))
  }

  #hostsOf(row: Identified, known: ReadonlyMap<string, number>): number[] {
    const ids = row.addresses.map((ip) => known.get(`${row.cloud} ${ip}`)).filter((id) => id !== undefined)
    return [...new Set(ids)]
  }

  #checked(object: ObjectModel, rows: readonly Identified[]): Identified[] {
    return rows.flatMap((row) => {
      try {
        return { ...row, given: newHost(object, row.given, this.#editor.showing.zone) }
      } catch (error) {
        return this.#fail(row.number, error)
      }
    })
  }

  /** Rows whose values no other host has under a unique rule. */
  async #free(object: ObjectModel, rows: readonly Identified[]): Promise<Identified[]> {
    const candidates = rows.map(({ given, addresses, cloudId }) => ({
      attributes: { ...given, bk_host_innerip: addresses.join(','), bk_cloud_id: cloudId },
    }))
    const taken = await takenRules(this.#tx, object, candidates)
    return rows.filter((row, index) => {
      const rule = taken[index]
      if (rule) this.#fail(row.number, uniqueTaken(rule))
      return !rule
    })
  }

  async #insert(object: ObjectModel, rows: readonly Identified[], idle: readonly Spot[]): Promise<void> {
    const hosts = await insertHosts(
      this.#tx,
      object,
      rows.map((row) => ({ ...row, spots: row.spots ?? idle })),
      this.#editor.showing,
    )
    for (const [index, { host_id }] of hosts.entries()) {
      this.#fates.set(present(rows[index]?.number), { outcome: 'created', hostId: host_id })
    }
  }

  async #rewrite(object: ObjectModel, rows: readonly Identified[], known: ReadonlyMap<string, number>): Promise<void> {
    const found = await this.#rewritable(rows, known)
    const { meant, changes } = await this.#freeChanges(object, found)
    const edited = new Set(changes.map(({ host }) => host.host_id))
    const why = edited.size > 0 ? await this.#editor.lacks(this.#tx, [...edited]) : undefined
    const kept = meant.filter(({ row, host }) => {
      const refused = why !== undefined && edited.has(host.host_id)
      if (refused) this.#fail(row.number, problem('denied', { why }), true)
      return !refused
    })
    if (!why) await rewriteHosts(this.#tx, object, changes)
    // A host that is also moved gets one more revision.
    const rewritten = new Map(why ? [] : changes.map(({ host, after }) => [host.id, after]))
    const moved = await this.#move(kept.map((each) => ({ ...each, host: rewritten.get(each.host.id) ?? each.host })))
    const changed = new Set([...(why ? [] : edited), ...moved])
    for (const { row, host } of kept) {
      const outcome = changed.has(host.host_id) ? 'updated' : 'unchanged'
      this.#fates.set(row.number, { outcome, hostId: host.host_id })
    }
  }

  /** The rows of hosts that stay unique, with their changes. */
  async #freeChanges(object: ObjectModel, found: readonly Kept[]) {
    const changes = await changesOf(this.#tx, object, found, this.#editor.showing)
    const taken = await takenRules(this.#tx, object, changes.map(candidateOf))
    const rules = new Map(changes.map(({ host }, index) => [host.id, taken[index]]))
    const isFree = ({ host }: { readonly host: Host }) => rules.get(host.id) === undefined
    for (const { row, host } of found) {
      const rule = rules.get(host.id)
      if (rule) this.#fail(row.number, uniqueTaken(rule), true)
    }
    return { meant: found.filter(isFree), changes: changes.filter(isFree) }
  }

  /** Existing hosts can be updated only in their current business. */
  async #rewritable(rows: readonly Identified[], known: ReadonlyMap<string, number>): Promise<Kept[]> {
    const ids = rows.map((row) => this.#hostsOf(row, known))
    const wanted = [...new Set(ids.flat())]
    const held = wanted.length === 0 ? [] : await holdHosts(this.#tx, wanted)
    const hosts = new Map(held.map((host) => [host.host_id, host]))
    const meant = new Set<number>()
    return rows.flatMap((row, index) => {
      const [id, another] = present(ids[index])
      if (id === undefined) return []
      try {
        if (another !== undefined || meant.has(id)) throw problem('duplicate', { what: 'bk_host_innerip' })
        meant.add(id)
        const host = hosts.get(id)
        if (!host || !isStillMeant(row, host)) throw new Overtaken()
        if (host.business !== this.#business) throw problem('hostElsewhere', { rule: rule('hostCalled', { host: id }) })
        return { row, host, given: row.given }
      } catch (error) {
        return this.#fail(row.number, error, true)
      }
    })
  }

  async #move(kept: readonly Kept[]): Promise<number[]> {
    const moving = kept.filter(({ row }) => row.spots !== undefined)
    if (moving.length === 0) return []
    const from = await spotsOf(
      this.#tx,
      moving.map(({ host }) => host.id),
    )
    return relocate(
      this.#tx,
      moving.map(({ host, row }) => ({ host, from: from.get(host.id) ?? [], to: settled([], row.spots ?? []) })),
    )
  }
}

interface Kept extends Rewrite {
  readonly row: Identified
}

const isStillMeant = (row: Identified, host: Host) =>
  host.cloud === row.cloud && host.inner_ip.split(',').some((ip) => row.addresses.includes(ip))

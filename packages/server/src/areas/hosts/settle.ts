import { Problem, problem, rule } from '@mainline/contract'
import type { Tx } from '../../platform/storage/index.ts'
import { Violation } from '../../platform/storage/violation.ts'
import { type Attributes, modelIn, type ObjectModel, objectOf } from '../model/index.ts'
import { builtIn } from '../topology/index.ts'
import { readAddresses } from './address.ts'
import { findAreas } from './areas.ts'
import { changesOf, checkHost, cloudIdOf, type Editor, type Rewrite, rewriteHosts } from './change.ts'
import { insertHosts, newHost } from './insert.ts'
import { builtInSpot, relocate, type Spot, settled, spotsOf } from './placement.ts'
import { type Host, holdHosts } from './rows.ts'

/** A host as somebody describes it, by the number of the row it came in. */
export interface HostRow {
  readonly number: string
  readonly sent: Attributes
  /** Where it is to stand. Undefined: a new one stands idle, one that is there already stays. */
  readonly spots?: readonly Spot[] | undefined
}

/** What became of a row. */
export type Fate =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly hostId: number }
  /** `known` tells that the host is there already. */
  | { readonly outcome: 'failed'; readonly problem: Problem; readonly known: boolean }

/** A host that this change means has just been deleted or given other addresses by another change. */
class Overtaken extends Error {}

/** Such a change is made anew, as is one before which another added the same host or deleted the area: it then sees that. */
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

/** Adds hosts to a business that this change has joined, and updates those that are there already; tells every row's fate. */
export const settleRows = (tx: Tx, business: number, rows: readonly HostRow[], editor: Editor) =>
  new Settling(tx, business, editor).run(rows)

interface Identified extends HostRow {
  readonly given: Attributes
  readonly addresses: readonly string[]
  readonly cloud: number
  readonly cloudId: number
}

/** One attempt. Rows fall out as something is found wrong with them; what is left at the end is written. */
class Settling {
  readonly #tx: Tx
  readonly #business: number
  readonly #editor: Editor
  readonly #fates = new Map<string, Fate>()

  constructor(tx: Tx, business: number, editor: Editor) {
    this.#tx = tx
    this.#business = business
    this.#editor = editor
  }

  async run(sent: readonly HostRow[]): Promise<Map<string, Fate>> {
    const object = objectOf(await modelIn(this.#tx), 'host')
    const rows = await this.#identified(object, sent)
    const known = await this.#known(rows)
    const fresh = rows.filter((row) => this.#hostsOf(row, known).length === 0)
    await this.#insert(object, this.#checked(object, fresh))
    await this.#rewrite(object, rows, known)
    return this.#fates
  }

  #fail(number: string, error: unknown, known = false): [] {
    if (!(error instanceof Problem)) throw error
    this.#fates.set(number, { outcome: 'failed', problem: error, known })
    return []
  }

  /** Rows that tell which host they mean: their addresses, and a cloud area that exists. */
  async #identified(object: ObjectModel, rows: readonly HostRow[]): Promise<Identified[]> {
    const read = rows.flatMap((row) => {
      try {
        const given = checkHost(object, row.sent, this.#editor.showing.zone)
        if (typeof given.bk_host_innerip !== 'string') throw problem('unassigned', { field: 'bk_host_innerip' })
        return { ...row, given, addresses: readAddresses('bk_host_innerip', given.bk_host_innerip) }
      } catch (error) {
        return this.#fail(row.number, error)
      }
    })
    const areas = await findAreas(
      this.#tx,
      read.map(({ given }) => cloudIdOf(given)),
    )
    const taken = new Set<string>()
    return read.flatMap((row) => {
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

  /** Hosts that are there already, by area and address. */
  async #known(rows: readonly Identified[]): Promise<Map<string, number>> {
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

  async #insert(object: ObjectModel, rows: readonly Identified[]): Promise<void> {
    const idle = rows.some((row) => !row.spots) ? [await builtInSpot(this.#tx, this.#business, builtIn.idle)] : []
    const hosts = await insertHosts(
      this.#tx,
      object,
      rows.map((row) => ({ ...row, spots: row.spots ?? idle })),
      this.#editor.showing,
    )
    for (const [index, { host_id }] of hosts.entries()) {
      this.#fates.set(rows[index]?.number as string, { outcome: 'created', hostId: host_id })
    }
  }

  async #rewrite(object: ObjectModel, rows: readonly Identified[], known: ReadonlyMap<string, number>): Promise<void> {
    const meant = await this.#rewritable(rows, known)
    const changes = await changesOf(this.#tx, object, meant, this.#editor.showing)
    const edited = new Set(changes.map(({ host }) => host.host_id))
    const why = edited.size > 0 ? await this.#editor.lacks(this.#tx, [...edited]) : undefined
    const kept = meant.filter(({ row, host }) => {
      const refused = why !== undefined && edited.has(host.host_id)
      if (refused) this.#fail(row.number, problem('denied', { why }), true)
      return !refused
    })
    if (!why) await rewriteHosts(this.#tx, object, changes)
    const changed = new Set([...(why ? [] : edited), ...(await this.#move(kept))])
    for (const { row, host } of kept) {
      const outcome = changed.has(host.host_id) ? 'updated' : 'unchanged'
      this.#fates.set(row.number, { outcome, hostId: host.host_id })
    }
  }

  /** Hosts that are there already can be changed where they are, and nowhere else. */
  async #rewritable(rows: readonly Identified[], known: ReadonlyMap<string, number>): Promise<Kept[]> {
    const ids = rows.map((row) => this.#hostsOf(row, known))
    const hosts = new Map((await holdHosts(this.#tx, [...new Set(ids.flat())])).map((host) => [host.host_id, host]))
    const meant = new Set<number>()
    return rows.flatMap((row, index) => {
      const [id, another] = ids[index] as number[]
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

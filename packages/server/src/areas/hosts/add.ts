import { type Language, mostHosts, Problem, problem, rule } from '@mainline/contract'
import type { Actor, Storage, Tx } from '../../platform/storage/index.ts'
import { Violation } from '../../platform/storage/violation.ts'
import { type Attributes, checkSent, modelIn, type ObjectModel, objectOf, type Showing } from '../model/index.ts'
import { builtIn, findPool, joinBusiness } from '../topology/index.ts'
import { readAddresses } from './address.ts'
import { findAreas } from './areas.ts'
import { cloudIdOf, type Rewrite, rewriteHosts } from './change.ts'
import { insertHosts, newHost } from './insert.ts'
import { builtInSpot, relocate, type Spot, settled, spotsOf, spotsToEnter } from './placement.ts'
import { type Host, holdHosts } from './rows.ts'

export interface Addition {
  /** The business; undefined for the resource pool. */
  readonly bizId: number | undefined
  /** Its modules; undefined for the idle one. */
  readonly moduleIds?: readonly number[]
  /** Attributes by row number, as they were sent. */
  readonly rows: Readonly<Record<string, Attributes>>
  /** Whether one bad row undoes them all. */
  readonly atomic: boolean
}

export interface AddReport {
  success: string[]
  error: string[]
  update_error: string[]
  hosts: Record<string, number>
}

/** A host that this change means has just been deleted or given other addresses by another change. */
class Overtaken extends Error {}

/** Such a change is made anew, as is one before which another added the same host or deleted the area: it then sees that. */
const mostAttempts = 5
const isOvertaken = (error: unknown) =>
  error instanceof Overtaken ||
  (error instanceof Violation && (error.constraint === 'host_ip_key' || error.constraint === 'host_cloud'))

/** Adds hosts, and updates those that are there already. Rows that cannot be are told by number; the others are kept. */
export async function addHosts(
  storage: Storage,
  actor: Actor & { readonly language: Language },
  addition: Addition,
  showing: Showing,
): Promise<AddReport> {
  const count = Object.keys(addition.rows).length
  if (count === 0) throw problem('unassigned', { field: 'host_info' })
  if (count > mostHosts) throw problem('tooMany', { what: 'host_info', limit: mostHosts })
  const odd = Object.keys(addition.rows).find((number) => !/^\d{1,9}$/.test(number))
  if (odd !== undefined) {
    throw problem('invalid', { field: 'host_info', rule: rule('rowNumber', { value: odd.slice(0, 64) }) })
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const work = (tx: Tx) => new Adding(tx, addition, actor.language, showing).run()
      return refuseFailed(await storage.change(actor, work, { bulk: count > 20 }))
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (attempt >= mostAttempts) throw problem('duplicate', { what: 'bk_host_innerip' })
    }
  }
}

function refuseFailed(report: AddReport, data = report): AddReport {
  const failed = [...report.error, ...report.update_error]
  const more = failed.length > 1 ? ` (+${failed.length - 1})` : ''
  if (failed.length > 0) throw problem('hostNotCreated', { why: failed[0] + more, data })
  return report
}

interface Row {
  readonly number: string
  readonly given: Attributes
  readonly addresses: readonly string[]
  readonly cloud: number
  readonly cloudId: number
}

/** One attempt. Rows fall out as something is found wrong with them; what is left at the end is written. */
class Adding {
  readonly #tx: Tx
  readonly #addition: Addition
  readonly #language: Language
  readonly #showing: Showing
  readonly #report: AddReport = { success: [], error: [], update_error: [], hosts: {} }

  constructor(tx: Tx, addition: Addition, language: Language, showing: Showing) {
    this.#tx = tx
    this.#addition = addition
    this.#language = language
    this.#showing = showing
  }

  async run(): Promise<AddReport> {
    const tx = this.#tx
    const { bizId, moduleIds, atomic } = this.#addition
    const object = objectOf(await modelIn(tx), 'host')
    const business =
      bizId === undefined
        ? (await findPool(tx, tx.actor.account)).node
        : await joinBusiness(tx, bizId, () => problem('unknown', { field: 'bk_biz_id' }))
    const spots = moduleIds
      ? await spotsToEnter(tx, business, moduleIds)
      : [await builtInSpot(tx, business, builtIn.idle)]

    const rows = await this.#identified(object)
    const known = await this.#known(rows)
    const fresh = rows.filter((row) => this.#hostsOf(row, known).length === 0)
    await this.#insert(object, this.#checked(object, fresh), spots)
    const kept = await this.#rewritable(rows, known, business)
    await rewriteHosts(tx, object, kept, this.#showing)
    if (moduleIds) await this.#move(kept, spots)

    this.#report.success.sort((a, b) => Number(a) - Number(b))
    // With one bad row nothing is kept, so no row has succeeded.
    if (atomic) refuseFailed(this.#report, { ...this.#report, success: [], hosts: {} })
    return this.#report
  }

  #fail(number: string, error: unknown, list: 'error' | 'update_error' = 'error'): void {
    if (!(error instanceof Problem)) throw error
    this.#report[list].push(`${number}: ${error.text(this.#language)}`)
  }

  #succeed(number: string, hostId: number): void {
    this.#report.success.push(number)
    this.#report.hosts[number] = hostId
  }

  /** Rows that tell which host they mean: their addresses, and a cloud area that exists. */
  async #identified(object: ObjectModel): Promise<Row[]> {
    const read = Object.entries(this.#addition.rows).flatMap(([number, sent]) => {
      try {
        const given = checkSent(object, sent)
        if (typeof given.bk_host_innerip !== 'string') throw problem('unassigned', { field: 'bk_host_innerip' })
        return { number, given, addresses: readAddresses('bk_host_innerip', given.bk_host_innerip) }
      } catch (error) {
        this.#fail(number, error)
        return []
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
        this.#fail(row.number, error)
        return []
      }
    })
  }

  /** Hosts that are there already, by area and address. */
  async #known(rows: readonly Row[]): Promise<Map<string, number>> {
    const addresses = [...new Set(rows.flatMap((row) => row.addresses))]
    const found = await this.#tx
      .selectFrom('host_ip')
      .innerJoin('host', 'host.id', 'host_ip.host')
      .select(['host_ip.ip', 'host_ip.cloud', 'host.host_id'])
      .where((eb) => this.#tx.dialect.among(eb.ref('host_ip.ip'), addresses, 'text'))
      .execute()
    return new Map(found.map((row) => [`${row.cloud} ${row.ip}`, row.host_id]))
  }

  #hostsOf(row: Row, known: ReadonlyMap<string, number>): number[] {
    const ids = row.addresses.map((ip) => known.get(`${row.cloud} ${ip}`)).filter((id) => id !== undefined)
    return [...new Set(ids)]
  }

  #checked(object: ObjectModel, rows: readonly Row[]): Row[] {
    return rows.flatMap((row) => {
      try {
        return { ...row, given: newHost(object, row.given) }
      } catch (error) {
        this.#fail(row.number, error)
        return []
      }
    })
  }

  async #insert(object: ObjectModel, rows: readonly Row[], spots: readonly Spot[]): Promise<void> {
    const hosts = await insertHosts(
      this.#tx,
      object,
      rows.map((row) => ({ ...row, spots })),
      this.#showing,
    )
    for (const [index, host] of hosts.entries()) this.#succeed(rows[index]?.number as string, host.host_id)
  }

  /** Hosts that are there already can be changed where they are, and nowhere else. */
  async #rewritable(rows: readonly Row[], known: ReadonlyMap<string, number>, business: number): Promise<Rewrite[]> {
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
        if (host.business !== business) throw problem('hostElsewhere', { rule: rule('hostCalled', { host: id }) })
        this.#succeed(row.number, id)
        return { host, given: row.given }
      } catch (error) {
        this.#fail(row.number, error, 'update_error')
        return []
      }
    })
  }

  async #move(rewritten: readonly Rewrite[], spots: readonly Spot[]): Promise<void> {
    const from = await spotsOf(
      this.#tx,
      rewritten.map(({ host }) => host.id),
    )
    await relocate(
      this.#tx,
      rewritten.map(({ host }) => ({ host, from: from.get(host.id) ?? [], to: settled([], spots) })),
    )
  }
}

const isStillMeant = (row: Row, host: Host) =>
  host.cloud === row.cloud && host.inner_ip.split(',').some((ip) => row.addresses.includes(ip))

// Compares stored rows and the log with the answers that clients received. A pure function: no servers, faults or databases.
import type { Call, Effect, Grant, History, Look, Tally } from './history.ts'

export type Snapshot = Readonly<Record<string, unknown>>

/** A parsed record of the log. */
export interface Entry {
  readonly position: number | null
  readonly transaction: string
  /** The index of the record in its transaction. */
  readonly ordinal: number
  readonly request: string
  readonly object: string
  readonly instance: number
  /** Whether it describes the instance afterwards; the record of a host's move has its placement instead. */
  readonly isState: boolean
  readonly before: Snapshot | null
  readonly after: Snapshot | null
  readonly events: readonly { readonly index: number; readonly name: string }[]
  readonly joined: readonly number[]
  readonly left: readonly number[]
  /** Revision of the instance after this record; 0 if it has none. */
  readonly revision: number
  /** The instance that the revision belongs to: privileges of a group count with the group. */
  readonly counter: string
}

/** A stored row in the form of its snapshot in the log. */
export interface Row {
  readonly object: string
  readonly instance: number
  readonly values: Snapshot
}

export interface Facts {
  readonly log: readonly Entry[]
  readonly rows: readonly Row[]
  /** Objects of which all rows are included. */
  readonly kinds: readonly string[]
  /** `host module`, by public ids. */
  readonly placements: readonly string[]
  /** Sets with the object of their parent, and the object that the model requires. */
  readonly parents: readonly { readonly set: number; readonly under: string; readonly above: string }[]
  /** Values of counters, by id. */
  readonly counters: ReadonlyMap<string, number>
}

export function judge(history: History, facts: Facts): string[] {
  return [
    ...judgeLog(facts.log),
    ...judgeRevisions(facts.log),
    ...judgeCalls(history.calls, facts.log),
    ...judgeOrder(history.calls, facts.log),
    ...judgeRights(history.grants, history.calls, facts.log),
    ...judgeRows(facts),
    ...judgePlacements(facts),
    ...judgeAssociations(facts.log),
    ...judgeLooks(history.looks, history.calls),
    ...history.tallies.flatMap((tally) => judgeTally(tally, facts.counters.get(tally.id))),
  ]
}

/** Positions have no gap, and every record of an instance starts from the result of the previous one. */
function judgeLog(log: readonly Entry[]): string[] {
  const wrong: string[] = []
  const last = new Map<string, Snapshot | null>()
  for (const [index, { position, object, instance, before, after, isState }] of log.entries()) {
    if (position !== index + 1) wrong.push(`the log has position ${position} where ${index + 1} belongs`)
    if (!isState) continue
    const removed = removedAttribute({ object, before, after })
    if (removed) forget(last, removed)
    const key = `${object} ${instance}`
    if (!continues(last.get(key) ?? null, before)) {
      wrong.push(`record ${position} of ${key} starts from ${JSON.stringify(before)}`)
    }
    last.set(key, after)
  }
  return wrong
}

/** Each record of an instance has the next revision, and a later `last_time`. */
function judgeRevisions(log: readonly Entry[]): string[] {
  const wrong: string[] = []
  const last = new Map<string, { revision: number; time: number }>()
  for (const { position, revision, counter, before, after, isState } of log) {
    if (revision === 0) continue
    const known = last.get(counter)
    const isFirst = isState && before === null
    const expected = known ? known.revision + 1 : isFirst ? 1 : revision
    if (revision !== expected) wrong.push(`record ${position} of ${counter} has revision ${revision}, not ${expected}`)
    const time = typeof after?.last_time === 'string' ? Date.parse(after.last_time) : Number.NaN
    if (known && isState && time <= known.time)
      wrong.push(`record ${position} of ${counter} is older than the one before it`)
    last.set(counter, { revision, time: isState && !Number.isNaN(time) ? time : (known?.time ?? Number.NaN) })
  }
  return wrong
}

/** A deletion may contain more fields than the changes before it. */
const continues = (ended: Snapshot | null, starts: Snapshot | null) =>
  ended === null || starts === null
    ? ended === starts
    : Object.keys(ended).every((name) => same(ended[name], starts[name]))

interface Removed {
  readonly object: unknown
  readonly attribute: string
}

/** The attribute that a record removed from the model. */
function removedAttribute({ object, before, after }: Pick<Entry, 'object' | 'before' | 'after'>): Removed | undefined {
  const attribute = before?.bk_property_id
  if (object !== 'model' || after !== null || typeof attribute !== 'string') return undefined
  return { object: before?.bk_obj_id, attribute }
}

/** No later record contains it. */
function forget(last: Map<string, Snapshot | null>, { object, attribute }: Removed): void {
  for (const [key, shown] of last) {
    if (shown === null || !(attribute in shown) || !key.startsWith(`${object} `)) continue
    const { [attribute]: _, ...rest } = shown
    last.set(key, rest)
  }
}

const byRequest = (log: readonly Entry[]) => Map.groupBy(log, (entry) => entry.request)

/** Acknowledged: present exactly once and complete. Refused: absent. Unknown: at most once, and complete. */
function judgeCalls(calls: readonly Call[], log: readonly Entry[]): string[] {
  const wrong: string[] = []
  const found = byRequest(log)
  const asked = new Set(calls.map((call) => call.id))
  for (const call of calls) {
    const entries = found.get(call.id) ?? []
    const times = new Set(entries.map((entry) => entry.transaction)).size
    const said = `${call.what} ${call.id}, ${call.outcome}${call.code ? ` (${call.code})` : ''},`
    if (call.forbidden && (call.outcome === 'acknowledged' || times > 0)) wrong.push(`${said} is forbidden`)
    if (call.never !== undefined && call.code === call.never) wrong.push(`${said} was refused without a reason`)
    if (call.code === internal) wrong.push(`${said} was answered as a defect of ours`)
    if (call.outcome === 'acknowledged' && times === 0) wrong.push(`${said} is not there`)
    if (call.outcome === 'refused' && times > 0) wrong.push(`${said} is there`)
    if (times > 1) wrong.push(`${said} is there ${times} times`)
    if (times !== 1) continue
    for (const effect of call.effects) {
      if (!entries.some((entry) => shows(entry, effect))) wrong.push(`${said} lacks ${JSON.stringify(effect)}`)
    }
  }
  for (const [request, [entry]] of found) {
    if (isClients(request) && !asked.has(request)) wrong.push(`record ${entry?.position} was requested by no client`)
  }
  return wrong
}

const internal = 1199999

/** Clients sign their requests, which distinguishes them from changes of the service itself. */
export const requestId = (client: number | string, nth: number) => `client-${client}-${nth}`
const isClients = (request: string) => request.startsWith('client-')

function shows(entry: Entry, { kind, object, instance, values }: Effect): boolean {
  if (entry.object !== object || (instance !== undefined && entry.instance !== instance)) return false
  if (kind === 'gone') return entry.after === null
  if (kind === 'made' && entry.before !== null) return false
  return entry.after !== null && Object.entries(values ?? {}).every(([key, value]) => same(entry.after?.[key], value))
}

/** A change that was acknowledged before another was sent has a lower position. */
function judgeOrder(calls: readonly Call[], log: readonly Entry[]): string[] {
  const found = byRequest(log)
  const placed = calls.flatMap((call) => {
    const positions = (found.get(call.id) ?? []).map((entry) => entry.position ?? 0)
    return positions.length > 0 ? [{ call, first: Math.min(...positions), last: Math.max(...positions) }] : []
  })
  const byEnd = placed
    .filter(({ call }) => call.outcome === 'acknowledged')
    .toSorted((a, b) => a.call.ended - b.call.ended)
  const wrong: string[] = []
  let ended = 0
  let latest = byEnd[0]
  for (const { call, first } of placed.toSorted((a, b) => a.call.started - b.call.started)) {
    for (; (byEnd[ended]?.call.ended ?? Number.POSITIVE_INFINITY) < call.started; ended++) {
      const next = byEnd[ended]
      if (next && (ended === 0 || next.last > (latest?.last ?? 0))) latest = next
    }
    if (ended > 0 && latest && latest.last > first) {
      wrong.push(
        `${call.id} has position ${first}, before ${latest.call.id} at ${latest.last}, which was answered earlier`,
      )
    }
  }
  return wrong
}

/** No change of a user is behind the revocation of the privilege it needs, unless that was granted again before. */
function judgeRights(grants: readonly Grant[], calls: readonly Call[], log: readonly Entry[]): string[] {
  const positions = new Map(log.map(({ request, position }) => [request, position ?? 0]))
  const users = new Map(calls.flatMap(({ id, user }) => (user === undefined ? [] : [[id, user]])))
  const wrong: string[] = []
  for (const [user, own] of Map.groupBy(grants, (grant) => grant.user)) {
    // A grant in the log without a revocation lasts until the end.
    const held = own.flatMap(({ granted, revoked }) => {
      const from = positions.get(granted)
      return from === undefined ? [] : [{ from, until: positions.get(revoked) ?? Number.POSITIVE_INFINITY }]
    })
    for (const { request, position } of log) {
      if (users.get(request) !== user) continue
      const at = position ?? 0
      if (!held.some(({ from, until }) => from < at && at < until)) {
        wrong.push(`${request} of ${user} is at ${at}, where its right is revoked`)
      }
    }
  }
  return wrong
}

/** The stored rows equal the last records of the log, and there are no others. */
function judgeRows({ log, rows, kinds, parents }: Pick<Facts, 'log' | 'rows' | 'kinds' | 'parents'>): string[] {
  const expected = new Map<string, Snapshot | null>()
  for (const { object, instance, before, after, isState } of log) {
    if (!isState) continue
    const removed = removedAttribute({ object, before, after })
    if (removed) forget(expected, removed)
    expected.set(`${object} ${instance}`, after)
  }
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const { object, instance, values } of rows) {
    const key = `${object} ${instance}`
    if (seen.has(key)) wrong.push(`${key} is stored twice`)
    seen.add(key)
    const told = expected.get(key)
    if (!told)
      wrong.push(`${key} is stored, and the log ${told === null ? 'says that it is gone' : 'knows nothing of it'}`)
    for (const [name, value] of Object.entries(values)) {
      if (told && !same(told[name], value)) {
        wrong.push(`${key} has ${name} ${JSON.stringify(value)}, and the log says ${JSON.stringify(told[name])}`)
      }
    }
  }
  for (const [key, told] of expected) {
    const [object = ''] = key.split(' ')
    if (told !== null && kinds.includes(object) && !seen.has(key)) wrong.push(`${key} is in the log and is not stored`)
  }
  for (const { set, under, above } of parents) {
    if (under !== above) wrong.push(`set ${set} is under a ${under}, where sets belong under a ${above}`)
  }
  return wrong
}

/** Hosts are associated as targets of one source each, at every position of the log. */
function judgeAssociations(log: readonly Entry[]): string[] {
  const sources = new Map<unknown, unknown>()
  const wrong: string[] = []
  for (const { object, before, after, position } of log) {
    if (object !== 'instassociation') continue
    if (before) sources.delete(before.bk_asst_inst_id)
    if (!after) continue
    const { bk_inst_id: source, bk_asst_inst_id: target } = after
    if (sources.has(target))
      wrong.push(`record ${position}: ${target} has the sources ${sources.get(target)} and ${source}`)
    sources.set(target, source)
  }
  return wrong
}

/** The placement of hosts equals the result of all recorded moves. */
function judgePlacements({ log, placements }: Pick<Facts, 'log' | 'placements'>): string[] {
  const expected = new Set<string>()
  const wrong: string[] = []
  for (const { object, instance, joined, left, position } of log) {
    if (object !== 'host') continue
    for (const module of left) {
      if (!expected.delete(`${instance} ${module}`))
        wrong.push(`record ${position}: host ${instance} leaves ${module}, where it is not`)
    }
    for (const module of joined) expected.add(`${instance} ${module}`)
  }
  const there = new Set(placements)
  for (const place of expected)
    if (!there.has(place)) wrong.push(`host and module ${place} are apart, and together in the log`)
  for (const place of there)
    if (!expected.has(place)) wrong.push(`host and module ${place} are together, and apart in the log`)
  return wrong
}

/** A tree contains everything acknowledged before it was requested, and nothing whose deletion was. */
function judgeLooks(looks: readonly Look[], calls: readonly Call[]): string[] {
  const wrong: string[] = []
  interface Lived {
    business: number
    made: number
    ending: number
    ended: number
  }
  const lives = new Map<number, Lived>()
  const never = Number.POSITIVE_INFINITY
  for (const call of calls) {
    for (const { kind, object, instance } of call.effects) {
      if (object !== 'set' || instance === undefined || call.business === undefined) continue
      const life = lives.get(instance) ?? { business: call.business, made: never, ending: never, ended: never }
      lives.set(instance, life)
      if (kind === 'made' && call.outcome === 'acknowledged') life.made = call.ended
      if (kind !== 'gone' || call.outcome === 'refused') continue
      life.ending = Math.min(life.ending, call.started)
      if (call.outcome === 'acknowledged') life.ended = Math.min(life.ended, call.ended)
    }
  }
  for (const look of looks) {
    for (const [set, { business, made, ending, ended }] of lives) {
      if (business !== look.business) continue
      const shown = look.sets.has(set)
      if (!shown && made < look.started && ending > look.ended)
        wrong.push(`a tree read at ${look.started.toFixed()} lacks set ${set}`)
      if (shown && ended < look.started) wrong.push(`a tree read at ${look.started.toFixed()} still has set ${set}`)
    }
  }
  return wrong
}

/** Each acknowledged step is counted once, each unknown one at most once. */
export function judgeTally(
  { id, acknowledged, unknown, deletion, isMissed }: Tally,
  stands: number | undefined,
): string[] {
  if (isMissed) return [`counter ${id} was reported as missing, and no client had deleted it`]
  if (deletion === 'acknowledged') return stands === undefined ? [] : [`counter ${id} was deleted and is there`]
  if (stands === undefined) return deletion === 'unknown' ? [] : [`counter ${id} is gone, and no client deleted it`]
  if (stands >= acknowledged && stands <= acknowledged + unknown) return []
  return [`counter ${id} has the value ${stands}: ${acknowledged} steps were acknowledged, ${unknown} are unknown`]
}

/** The position of an event: its record, and its index among the events of that record. */
export interface Place {
  readonly position: number
  readonly index: number
}

/** An event of the log, and the instance it is about. */
export interface Expected extends Place {
  readonly instance: string
}

/**
 * Every event arrives, and no others. First deliveries follow the order of the log: always for one instance; across instances, unless several may be in
 * flight, and except for those with retries, whose later events wait.
 */
export function judgeEvents(
  expected: readonly Expected[],
  received: readonly Place[],
  { parallel = 1 } = {},
): string[] {
  const key = ({ position, index }: Place) => `${position}.${index}`
  const first = [...new Set(received.map(key))]
  const wanted = expected.map(key)
  const [known, arrived] = [new Set(wanted), new Set(first)]
  const wrong = [
    ...wanted.filter((each) => !arrived.has(each)).map((each) => `event ${each} has not arrived`),
    ...first.filter((each) => !known.has(each)).map((each) => `event ${each} arrived and is not in the log`),
  ]
  const order = new Map(wanted.map((each, index) => [each, index]))
  const about = new Map(expected.map((each) => [key(each), each.instance]))
  const times = Map.groupBy(received.map(key), (each) => each)
  const sentAgain = new Set(wanted.filter((each) => (times.get(each)?.length ?? 0) > 1).map((each) => about.get(each)))
  const ordered = first.filter((each) => order.has(each))
  const orders = [
    ...(parallel === 1 ? [ordered.filter((each) => !sentAgain.has(about.get(each)))] : []),
    ...Map.groupBy(ordered, (each) => about.get(each)).values(),
  ]
  const late = orders.flatMap((events) => latePairs(events, order))
  return [...wrong, ...new Set(late.map(([event, before]) => `event ${event} arrived first after ${before}`))]
}

/** Events that arrived after one that follows them in the log. */
const latePairs = (events: readonly string[], order: ReadonlyMap<string, number>): [string, string][] =>
  events.flatMap((event, nth) => {
    const before = events[nth - 1]
    const isLate = before !== undefined && (order.get(event) ?? 0) < (order.get(before) ?? 0)
    return isLate ? [[event, before] satisfies [string, string]] : []
  })

/** Null and the empty text are stored alike. */
export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? '') === JSON.stringify(other ?? '')

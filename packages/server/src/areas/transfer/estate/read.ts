import { Problem, problem, rule, transfer } from '@mainline/contract'
import type { Storage } from '../../../platform/storage/index.ts'
import type { Fate, Fates } from '../run.ts'
import { takeHosts, takeNodes } from './bulk.ts'
import { countLines, type EstateFile, type Line, readLines } from './lines.ts'
import { isSmall, type Listed, lists, type SmallKind } from './list.ts'
import { make, remake } from './make.ts'
import { type AnyRecord, keyOf } from './records.ts'
import { failed, judged, placeOf, type Taking } from './taking.ts'

/** Lines taken in by one change, or told of at once. */
const atOnce = 500
/** What changes the model is done while nobody else changes anything. */
const ofModel: readonly string[] = ['classification', 'object', 'attribute_group', 'attribute', 'required', 'paused']

type Good = Line & { readonly record: AnyRecord }

/** Where an estate goes, in whose name, and how its things are made. */
export interface Target extends Pick<Taking, 'actor' | 'making'> {
  readonly storage: Storage
}

/** Takes in lines in their order. What is there already is left as it is; where it differs, that is told. */
export const takeEstate = ({ storage, actor, making }: Target, file: EstateFile, until: AbortSignal) => {
  const change: Taking['change'] = (work, options) => storage.change(actor, work, { ...options, bulk: true })
  return takeLines({ actor, making, reader: storage.heavy, change }, readLines(file), until)
}

/** The same, taken back: all of it in one change, since lines build upon those before them. */
export async function* tryEstate(
  { storage, actor, making }: Target,
  file: EstateFile,
  until: AbortSignal,
): AsyncGenerator<Fates> {
  if (file.from > 1) throw problem('invalid', { field: 'from', rule: rule('wholeFile') })
  if (countLines(file) > transfer.mostAtOnce)
    throw problem('tooMany', { what: rule('rows'), limit: transfer.mostAtOnce })
  yield* await storage.rehearse(actor, ({ reader, change }) =>
    Array.fromAsync(takeLines({ actor, making, reader, change }, readLines(file), until)),
  )
}

async function* takeLines(taking: Taking, lines: Iterable<Line>, until: AbortSignal): AsyncGenerator<Fates> {
  const untouched = await isUntouched(taking)
  const known = new Known(taking)
  for (const run of runsOf(lines)) {
    if (until.aborted) return
    yield await takeRun(taking, run, known, untouched)
  }
}

/** Stretches of lines of one kind, and of one business where that matters. */
function* runsOf(lines: Iterable<Line>): Generator<Line[]> {
  const signOf = (line: Line) =>
    line.wrong ? '' : `${line.record.is} ${'path' in line.record || 'cloud' in line.record ? line.record.business : ''}`
  let run: Line[] = []
  for (const line of lines) {
    const [first] = run
    if (first && (run.length >= atOnce || signOf(first) !== signOf(line))) {
      yield run
      run = []
    }
    run.push(line)
  }
  if (run.length > 0) yield run
}

async function takeRun(taking: Taking, run: readonly Line[], known: Known, untouched: boolean): Promise<Fates> {
  const good = run.filter((line): line is Good => !line.wrong)
  const kind = good[0]?.record.is
  if (kind === 'node') return takeNodes(taking, good as never)
  if (kind === 'host') return takeHosts(taking, good as never)
  const fates = new Map<number, Fate>()
  for (const line of run) {
    fates.set(line.number, line.wrong ? failed(line.wrong) : await takeOne(taking, line.record, known, untouched))
  }
  return fates
}

async function takeOne(taking: Taking, record: AnyRecord, known: Known, untouched: boolean): Promise<Fate> {
  if (!isSmall(record.is)) return { outcome: 'unchanged' }
  const kind: SmallKind = record.is
  const key = keyOf(record)
  const there = (await known.of(kind)).get(key)
  const fate = there && judged(record, there.record as AnyRecord)
  const mends = fate?.outcome === 'failed' && there?.preset && untouched
  if (fate && !mends) return fate
  const outcome = mends ? 'updated' : 'created'
  try {
    await write(taking, kind, record, there)
    known.add(kind, key, { record: record as never, id: there?.id ?? 0, preset: there?.preset ?? false })
    return { outcome }
  } catch (error) {
    if (error instanceof Problem) return failed(error)
    throw error
  }
}

async function write(
  { change, making }: Taking,
  kind: SmallKind,
  record: AnyRecord,
  there: Listed | undefined,
): Promise<void> {
  const chain = ofModel.includes(kind) ? 'exclusive' : 'shared'
  const again = remake[kind]
  await change<unknown>(
    (tx) => (there && again ? again(tx, there.id, record as never, making) : make[kind](tx, record as never, making)),
    { chain },
  )
}

/** What the account has, kind by kind. Read anew whenever another kind has come between. */
class Known {
  readonly #taking: Taking
  #kind: SmallKind | undefined
  #listed = new Map<string, Listed>()

  constructor(taking: Taking) {
    this.#taking = taking
  }

  async of(kind: SmallKind): Promise<ReadonlyMap<string, Listed>> {
    if (kind !== this.#kind) {
      const all: readonly Listed[] = await lists[kind](await placeOf(this.#taking))
      this.#listed = new Map(all.map((each) => [keyOf(each.record), each]))
      this.#kind = kind
    }
    return this.#listed
  }

  add(kind: SmallKind, key: string, listed: Listed): void {
    if (kind === this.#kind) this.#listed.set(key, listed)
  }
}

/** Nobody has a business here yet, and there is no host: what the account came with may still be made like the original. */
async function isUntouched({ reader, actor: { account } }: Taking): Promise<boolean> {
  const business = await reader
    .selectFrom('node')
    .select('id')
    .where('account', '=', account)
    .where('object_id', '=', 'biz')
    .where('built_in', '=', 0)
    .limit(1)
    .executeTakeFirst()
  const host = await reader.selectFrom('host').select('id').where('account', '=', account).limit(1).executeTakeFirst()
  return !business && !host
}

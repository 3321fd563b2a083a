import { insertMany, preparedChange, type Storage, type Writer } from '../../../platform/storage/index.ts'
import { type Entry, keptAttempts, type Ledger } from './ledger.ts'

/** How soon what has happened is saved when nobody waits for it, in milliseconds. */
const savePause = 250
const faultPause = 1_000

export interface Books {
  /** To be saved before long, together with whatever else there is. */
  note(ledger: Ledger): void
  /** Saves now; resolves when it is durable. */
  save(ledger: Ledger): Promise<void>
  /** Saves for the last time and lets go of what is owned. */
  close(ledgers: readonly Ledger[]): Promise<void>
}

export interface BooksEvents {
  /** Another process owns it by now, or it is gone. */
  onLost(ledger: Ledger): void
}

/** Keeps how far every subscription of this process has got: many ledgers, one durable transaction. */
export function openBooks(storage: Storage, { onLost }: BooksEvents): Books {
  const { background } = storage
  const open = new Set<Ledger>()
  let saving: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function saveAll(): Promise<void> {
    const entries = [...open].sort((a, b) => a.id - b.id).map((ledger) => ledger.entry(Date.now(), false))
    open.clear()
    try {
      const lost = await storage.upkeep((writer) => writeAll(writer, entries))
      for (const entry of entries) {
        if (lost.has(entry.ledger)) onLost(entry.ledger)
        else if (entry.ledger.saved(entry, Date.now())) note(entry.ledger)
      }
    } catch (error) {
      for (const { ledger } of entries) open.add(ledger)
      arrange(faultPause)
      throw error
    }
  }

  async function saveOpen(): Promise<void> {
    while (saving) await saving.catch(() => {})
    if (open.size === 0) return
    saving = saveAll().finally(() => {
      saving = undefined
    })
    return saving
  }

  function arrange(pause: number): void {
    if (timer) return
    timer = setTimeout(() => {
      timer = undefined
      background
        .available()
        .then(saveOpen)
        .catch((error) => background.failed('saving how far subscriptions have got', error))
    }, pause).unref()
  }

  function note(ledger: Ledger): void {
    open.add(ledger)
    arrange(savePause)
  }

  return {
    note,
    save(ledger) {
      open.add(ledger)
      return saveOpen()
    },
    async close(ledgers) {
      while (saving) await saving.catch(() => {})
      for (const ledger of ledgers) open.delete(ledger)
      const entries = ledgers.toSorted((a, b) => a.id - b.id).map((ledger) => ledger.entry(Date.now(), true))
      await storage.upkeep((writer) => writeAll(writer, entries, ''))
    },
  }
}

async function writeAll(writer: Writer, entries: readonly Entry[], owner?: string): Promise<ReadonlySet<Ledger>> {
  const lost = new Set<Ledger>()
  for (const entry of entries) if (!(await write(writer, entry, owner))) lost.add(entry.ledger)
  return lost
}

/** False when the subscription is no longer this owner's: then nothing of it is written. */
async function write(writer: Writer, entry: Entry, owner?: string): Promise<boolean> {
  const { id, epoch } = entry.ledger
  const [moved] = await move(writer, { ...entry.row, id, epoch, from: entry.from })
  if (!moved) return false
  if (entry.row.lapsed_to !== undefined || owner !== undefined) await mark(writer, id, entry.row, owner)
  await writeUndelivered(writer, id, entry)
  for (const [replay, reached] of entry.replays) {
    if (reached === undefined) await writer.deleteFrom('replay').where('id', '=', replay).execute()
    else await writer.updateTable('replay').set(reached).where('id', '=', replay).execute()
  }
  await writeAttempts(writer, id, entry)
  return true
}

type Move = Entry['row'] & { id: number; epoch: number; from: number }

/**
 * Conditional on epoch and position: whoever no longer owns it, or has missed a step, finds no row. A position between the old
 * and the new is one of its own: the save was committed, and it was not told so.
 */
const move = preparedChange((writer, values: Move) =>
  writer
    .updateTable('delivery')
    .set({
      position: values.position,
      passed: values.passed,
      next_distribution: values.next_distribution,
      total: values.total,
      failure: values.failure,
      unreachable: values.unreachable,
    })
    .where('subscription', '=', values.id)
    .where('epoch', '=', values.epoch)
    .where('position', '>=', values.from)
    .where('position', '<=', values.position)
    .returning('subscription'),
)

async function mark(writer: Writer, id: number, row: Entry['row'], owner: string | undefined): Promise<void> {
  const { lapsed_from, lapsed_to } = row
  await writer
    .updateTable('delivery')
    .set((eb) => ({
      ...(lapsed_from !== undefined &&
        lapsed_to !== undefined && {
          // What lapsed before, and nobody has seen yet, stays within.
          lapsed_from: eb
            .case()
            .when(eb.and([eb('lapsed_to', '>', 0), eb('lapsed_from', '<', lapsed_from)]))
            .then(eb.ref('lapsed_from'))
            .else(lapsed_from)
            .end(),
          lapsed_to: eb.case().when('lapsed_to', '>', lapsed_to).then(eb.ref('lapsed_to')).else(lapsed_to).end(),
        }),
      ...(owner !== undefined && { owner }),
    }))
    .where('subscription', '=', id)
    .execute()
}

async function writeUndelivered(writer: Writer, id: number, { undelivered }: Entry): Promise<void> {
  for (const [key, row] of undelivered) {
    const [position = 0, event = 0] = key.split(' ').map(Number)
    if (row) {
      const { distribution_id, tries, due, time, error, instance } = row
      await writer
        .insertInto('undelivered')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['subscription', 'position', 'event'])
            .doUpdateSet({ distribution_id, tries, due, time, error, instance }),
        )
        .execute()
    } else {
      await writer
        .deleteFrom('undelivered')
        .where('subscription', '=', id)
        .where('position', '=', position)
        .where('event', '=', event)
        .execute()
    }
  }
}

async function writeAttempts(writer: Writer, subscription: number, { attempts, row }: Entry): Promise<void> {
  if (attempts.length === 0) return
  await insertMany(
    writer,
    'attempt',
    attempts.map((attempt) => ({ ...attempt, subscription })),
    // There when the save is repeated because nobody knew whether it was committed.
    { unlessThere: true },
  )
  await writer
    .deleteFrom('attempt')
    .where('subscription', '=', subscription)
    .where('number', '<=', row.total - keptAttempts)
    .execute()
}

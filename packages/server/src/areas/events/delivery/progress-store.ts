import { insertMany, preparedChange, type Storage, type Writer } from '../../../storage/index.ts'
import { lastRemoved, type Progress, type ProgressSave } from './progress.ts'

/** Delay of saves that no sender waits for. */
const saveAfterMs = 250
const saveRetryMs = 1_000

export interface ProgressStore {
  /** Schedules a save, batched with those of other subscriptions. */
  note(progress: Progress): void
  /** Saves immediately; resolves once durable. */
  save(progress: Progress): Promise<void>
  /** Saves for the last time and releases the subscriptions. */
  close(progresses: readonly Progress[]): Promise<void>
  /** Discards all unsaved progress, because it refers to a lost log. */
  discard(): void
}

interface ProgressStoreEvents {
  /** The subscription is owned by another process now, or was deleted. */
  onLost(progress: Progress): void
}

/** Saves the progress of all subscriptions of this process, batched into one transaction. */
export function openProgressStore(storage: Storage, { onLost }: ProgressStoreEvents): ProgressStore {
  const { background } = storage
  const open = new Set<Progress>()
  let saving: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function saveAll(): Promise<void> {
    const entries = [...open].sort((a, b) => a.id - b.id).map((progress) => progress.entry(Date.now(), false))
    open.clear()
    const isSameLog = storage.history.isSameLog()
    try {
      const lost = await storage.upkeep(async (writer) =>
        // Positions of a lost log must not be saved into the current one.
        (await isSameLog(writer)) ? writeAll(writer, entries) : new Set(entries.map(({ progress }) => progress)),
      )
      for (const entry of entries) {
        if (lost.has(entry.progress)) onLost(entry.progress)
        else if (entry.progress.saved(entry, Date.now())) note(entry.progress)
      }
    } catch (error) {
      for (const { progress } of entries) open.add(progress)
      arrange(saveRetryMs)
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

  function note(progress: Progress): void {
    open.add(progress)
    arrange(saveAfterMs)
  }

  return {
    note,
    save(progress) {
      open.add(progress)
      return saveOpen()
    },
    async close(progresses) {
      while (saving) await saving.catch(() => {})
      for (const progress of progresses) open.delete(progress)
      const entries = progresses.toSorted((a, b) => a.id - b.id).map((progress) => progress.entry(Date.now(), true))
      const isSameLog = storage.history.isSameLog()
      await storage.upkeep(async (writer) => {
        if (await isSameLog(writer)) await writeAll(writer, entries, '')
      })
    },
    discard: () => open.clear(),
  }
}

async function writeAll(
  writer: Writer,
  entries: readonly ProgressSave[],
  owner?: string,
): Promise<ReadonlySet<Progress>> {
  const lost = new Set<Progress>()
  for (const entry of entries) if (!(await write(writer, entry, owner))) lost.add(entry.progress)
  return lost
}

/** Returns false, without writing anything, if the subscription has another owner now. */
async function write(writer: Writer, entry: ProgressSave, owner?: string): Promise<boolean> {
  const { id, epoch } = entry.progress
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

type Move = ProgressSave['row'] & { id: number; epoch: number; from: number }

/**
 * Conditional on epoch and position: a former owner, or one that missed a step, finds no row. A position between the old and the new one
 * is accepted: it is the owner's own earlier save, whose commit was not confirmed.
 */
const move = preparedChange((writer, values: Move) =>
  writer
    .updateTable('delivery')
    .set({
      position: values.position,
      passed: values.passed,
      settled_ahead: values.settled_ahead,
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

async function mark(writer: Writer, id: number, row: ProgressSave['row'], owner: string | undefined): Promise<void> {
  const { lapsed_from, lapsed_to } = row
  await writer
    .updateTable('delivery')
    .set((eb) => ({
      ...(lapsed_from !== undefined &&
        lapsed_to !== undefined && {
          // An earlier lapsed range that has not been acknowledged is included.
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

async function writeUndelivered(writer: Writer, id: number, { undelivered }: ProgressSave): Promise<void> {
  for (const [key, row] of undelivered) {
    const [position = 0, event = 0] = key.split(' ').map(Number)
    if (row) {
      const { distribution_id, tries, due, time, error, instance, webhook_id } = row
      await writer
        .insertInto('undelivered')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['subscription', 'position', 'event'])
            .doUpdateSet({ distribution_id, tries, due, time, error, instance, webhook_id }),
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

async function writeAttempts(
  writer: Writer,
  subscription: number,
  { attempts, row, removedAttempts }: ProgressSave,
): Promise<void> {
  if (attempts.length === 0) return
  await insertMany(
    writer,
    'attempt',
    attempts.map((attempt) => ({ ...attempt, subscription })),
    // The row exists if the save is repeated because its outcome was unknown.
    { unlessThere: true },
  )
  await writer
    .deleteFrom('attempt')
    .where('subscription', '=', subscription)
    .where('number', '<=', lastRemoved(row))
    // While a long backup holds a snapshot, PostgreSQL would otherwise read all dead rows again.
    .where('number', '>', removedAttempts)
    .execute()
}

import type { Reader } from '../handles.ts'
import { prepared } from '../prepared.ts'
import { type HistoryMark, recordId } from './marks.ts'

/** The end of the log, and what identifies its history. Read in one statement. */
export interface Ends extends HistoryMark {
  /** Records below it have been removed by retention. */
  readonly floor: number
  /** The ids of the records at the two requested positions. */
  readonly known: string
  readonly asked: string
  /** The newest recorded reset; '' for none. */
  readonly token: string
}

const statement = prepared((reader, values: { known: number; asked: number }) =>
  reader
    .selectFrom('log_head')
    .leftJoin('log as last', 'last.position', 'log_head.position')
    .leftJoin('log as known', (join) => join.on('known.position', '=', values.known))
    .leftJoin('log as asked', (join) => join.on('asked.position', '=', values.asked))
    .select((eb) => [
      'log_head.position',
      'log_head.floor',
      'last.txn_id as last_txn',
      'last.ordinal as last_ordinal',
      'known.txn_id as known_txn',
      'known.ordinal as known_ordinal',
      'asked.txn_id as asked_txn',
      'asked.ordinal as asked_ordinal',
      eb.selectFrom('history_reset').select('token').orderBy('id', 'desc').limit(1).as('token'),
    ]),
)

const idOf = (txn_id: string | null, ordinal: number | null): string =>
  txn_id === null || ordinal === null ? '' : recordId({ txn_id, ordinal })

export async function readEnds(reader: Reader, known: number, asked: number): Promise<Ends> {
  const [found] = await statement(reader, { known, asked })
  if (!found) throw new Error('the log has no head')
  return {
    position: found.position,
    floor: found.floor,
    id: idOf(found.last_txn, found.last_ordinal),
    known: idOf(found.known_txn, found.known_ordinal),
    asked: idOf(found.asked_txn, found.asked_ordinal),
    token: found.token ?? '',
  }
}

/** Records removed by retention cannot be compared and count as present. */
export const isGone = (mark: HistoryMark, idThere: string, { floor, position }: Ends): boolean =>
  mark.position > position || (mark.position >= floor && mark.id !== idThere)

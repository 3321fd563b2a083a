import type { Reader } from '../handles.ts'
import type { HistoryMark } from './marks.ts'

/** The place of a database. Another place may hold an older copy. */
export interface Here {
  readonly place: string
  /** Commits are confirmed only once a standby has them (synchronous replication). */
  readonly synchronous: boolean
}

/** Facts about the database that are not stored in its tables. */
export interface Whereabouts {
  /** Undefined if it cannot be determined now. */
  here(reader: Reader): Promise<Here | undefined>
  /** The newest record that an earlier process knew here. */
  remembered(): HistoryMark | undefined
  remember(mark: HistoryMark): Promise<void>
}

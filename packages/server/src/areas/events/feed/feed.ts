import type { Storage } from '../../../storage/index.ts'
import type { Identities } from './event.ts'
import type { Tail } from './tail/tail.ts'

/** The parts of the service that watching depends on. */
export interface Feed {
  readonly storage: Pick<Storage, 'read' | 'history'>
  readonly tail: Tail
  /** Undefined in tests without hosts. */
  readonly identities: Identities | undefined
  /** Whether hosts that enter or leave the result of this query cause events. */
  followsQuery(account: string, query: string): Promise<boolean>
  /** The objects of associated instances that decide the result of a query. */
  objectsBehindQuery(account: string, query: string): Promise<readonly string[]>
}

import type { Order } from '../../../condition/sort.ts'
import type { Reader } from '../../../storage/index.ts'
import type { Model } from '../../model/index.ts'
import type { HostQuery } from './query.ts'

export interface HostSearch {
  readonly account: string
  readonly model: Model
  /** Only hosts of this business; undefined: of the whole account. */
  readonly business: number | undefined
  readonly query: HostQuery
  readonly order: readonly Order[]
}

export interface Paging {
  readonly start: number
  readonly limit: number
  /** Instead of `start`: only hosts after this id. */
  readonly after?: number | undefined
}

/** The readers of a search; inside a change, both are its transaction. */
export interface SearchReaders {
  readonly read: Reader
  readonly heavy: Reader
}

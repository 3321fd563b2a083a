import { recordedAs } from './bodies.ts'
import type { FeedEvent } from './event.ts'
import { isReset, partsOf, reset } from './names.ts'
import { mayConcern } from './renames.ts'

/** The events that a subscription's form names, in its business. */
export interface Selection {
  /** The kinds of these events. */
  readonly kinds: readonly string[]
  /** The objects of the records that contain such events. */
  readonly objects: readonly string[]
  /** Undefined for all of them. */
  readonly business: number | undefined
  wants(event: FeedEvent): boolean
}

interface Selecting {
  readonly account: string
  /** Names of events, separated by commas. */
  readonly form: string
  /** 0 for all. */
  readonly biz_id: number
}

export function selectionOf({ account, form, biz_id }: Selecting): Selection {
  const names = new Set(form.split(','))
  const kinds = [...new Set([...names].map((name) => partsOf(name).kind))]
  return {
    kinds,
    objects: [...new Set([...kinds.flatMap(recordedAs), reset])],
    business: biz_id === 0 ? undefined : biz_id,
    wants(event) {
      if (event.account !== account) return false
      if (isReset(event)) return true
      return names.has(event.name) && (biz_id === 0 || mayConcern(event, biz_id))
    },
  }
}

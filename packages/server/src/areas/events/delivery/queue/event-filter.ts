import type { Zone } from '../../../../common/time.ts'
import type { CommittedReader } from '../../../../storage/index.ts'
import { modelOf } from '../../../model/index.ts'
import { EventCondition, type EventMatcher, type Selection, selectionOf } from '../../feed/index.ts'
import type { Subscription } from '../subscription.ts'

/** The events that match a subscription: those that its form names, and of these the ones that its filter accepts. */
export interface EventFilter extends Selection {
  /** Follows changes of the model; to be called before `wants`, whenever events are read. */
  prepare(): Promise<void>
}

const nothingToPrepare = Promise.resolve()

export function eventFilterOf(subscription: Subscription, read: CommittedReader, zone: Zone): EventFilter {
  const selection = selectionOf(subscription)
  const { account, filter } = subscription
  if (filter === '') return { ...selection, prepare: () => nothingToPrepare }
  const condition = new EventCondition(filter, { kinds: selection.kinds, zone })
  let matcher: EventMatcher | undefined
  return {
    ...selection,
    async prepare() {
      matcher = condition.at(await modelOf(read, account))
    },
    wants: (event) => selection.wants(event) && (matcher?.matches(event) ?? true),
  }
}

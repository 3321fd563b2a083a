import { callbacks, type DataOf, feed, subscriptions } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'

export type Subscription = DataOf<typeof subscriptions.searchSubscription>[number]
/** The filter of a subscription in the form of the API. */
export type EventFilter = Readonly<NonNullable<Subscription['filter']>>
export type Attempt = DataOf<typeof subscriptions.listAttempts>[number]
export type DeadLetter = DataOf<typeof subscriptions.listDeadLetters>[number]
export type CatalogueEntry = DataOf<typeof feed.eventCatalogue>[number]

/** Refetch interval of visible data, in milliseconds; after an error it is not refetched. */
const pulse = ({ state }: { state: { error: Error | null } }) => (state.error ? false : 5_000)
/** Business 0 of a path finds any subscription of the account. */
const any = { bk_supplier_account: account, bk_biz_id: 0 }
const one = (id: number) => ({ ...any, subscription_id: id })

/** With `--compat bk-cmdb` the answer also contains a count. */
type Told = readonly Subscription[] | { readonly info: readonly Subscription[] }
export const rowsIn = (told: Told): readonly Subscription[] => ('info' in told ? told.info : told)

/** Every subscription of the account, by name. */
export const allSubscriptions = () => ({
  ...ask(subscriptions.searchSubscription, { params: any, body: { page: { sort: 'subscription_name' } } }),
  select: rowsIn,
  refetchInterval: pulse,
})

export const attemptsOf = ({ subscription_id, statistics }: Subscription) => {
  const asked = ask(subscriptions.listAttempts, { params: one(subscription_id) })
  // Refetched when a counter grows; at high rates the server saves the latest pushes with a delay.
  const queryKey = [...asked.queryKey, statistics.total]
  return { ...asked, queryKey, staleTime: 15_000, gcTime: 30_000, refetchInterval: 15_000 }
}

export const deadLettersOf = ({ subscription_id }: Subscription, after: string | undefined) => ({
  ...ask(subscriptions.listDeadLetters, { params: one(subscription_id), ...(after && { query: { after } }) }),
  refetchInterval: pulse,
})
/** Dead letters per page. */
export const deadLettersAtOnce = 200

export const catalogue = () => ({ ...ask(feed.eventCatalogue, {}), staleTime: 60_000 })

/** The form's values of a subscription. */
export interface Definition {
  readonly subscription_name: string
  readonly system_name: string
  readonly callback_url: string
  readonly confirm_mode: string
  readonly confirm_pattern: string
  readonly subscription_form: string
  readonly filter?: EventFilter
  readonly timeout: number
  readonly parallel: number
  readonly format: string
  readonly batch?: { readonly max: number; readonly wait_ms: number }
}

export const subscribe = (business: number, body: Definition) =>
  call(subscriptions.subscribeEvent, { params: { ...any, bk_biz_id: business }, body: { ...body } })

export const replace = (id: number, body: Definition, ifMatch: number) =>
  call(subscriptions.updateEventSubscribe, { params: one(id), body: { ...body }, ifMatch })

export const unsubscribe = (id: number, ifMatch: number) =>
  call(subscriptions.unsubscribeEvent, { params: one(id), ifMatch })
type Seen = Pick<Subscription, 'subscription_id' | 'bk_revision'>
export const pause = ({ subscription_id: id, bk_revision: ifMatch }: Seen) =>
  call(subscriptions.pauseSubscription, { params: one(id), ifMatch })
export const resume = ({ subscription_id: id, bk_revision: ifMatch }: Seen) =>
  call(subscriptions.resumeSubscription, { params: one(id), ifMatch })
export const rotate = ({ subscription_id: id, bk_revision: ifMatch }: Seen) =>
  call(subscriptions.rotateSecret, { params: one(id), body: {}, ifMatch })

export interface Range {
  readonly dead_letters?: boolean
  readonly from_position?: number
  readonly to_position?: number
  readonly from_time?: string
  readonly to_time?: string
}
export const replay = (id: number, range: Range) => call(subscriptions.replay, { params: one(id), body: { ...range } })

export const discard = (id: number, range: Pick<Range, 'from_position' | 'to_position'>) =>
  call(subscriptions.discardDeadLetters, { params: one(id), body: { ...range } })

export const ping = async (url: string, data: unknown) => {
  const [answer] = await call(callbacks.pingSubscription, { body: { callback_url: url, data } })
  return answer
}
interface Trial {
  readonly subscription_form: string
  readonly filter: EventFilter | null
  readonly bk_biz_id: number
}
/** On the events of the last week. */
export const tryEvents = ({ filter, ...body }: Trial) =>
  call(feed.tryEvents, { body: { ...body, ...(filter && { filter }) } })

export const telnet = (url: string) => call(callbacks.testingConnection, { body: { callback_url: url } })

import { callbacks, type DataOf, feed, subscriptions } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'

export type Subscription = DataOf<typeof subscriptions.searchSubscription>[number]
export type Attempt = DataOf<typeof subscriptions.listAttempts>[number]
export type DeadLetter = DataOf<typeof subscriptions.listDeadLetters>[number]
export type CatalogueEntry = DataOf<typeof feed.eventCatalogue>[number]

/** How often what is on the screen is asked for again, in milliseconds; what was refused is not. */
const pulse = ({ state }: { state: { error: Error | null } }) => (state.error ? false : 5_000)
/** Business 0 of a path finds any subscription of the account. */
const any = { bk_supplier_account: account, bk_biz_id: 0 }
const one = (id: number) => ({ ...any, subscription_id: id })

/** Clients of bk-cmdb are told how many there are besides. */
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
  // There are others once there have been more of them; of many at once the server may keep back the last for a while.
  const queryKey = [...asked.queryKey, statistics.total]
  return { ...asked, queryKey, staleTime: 15_000, gcTime: 30_000, refetchInterval: 15_000 }
}

export const deadLettersOf = ({ subscription_id }: Subscription, after: string | undefined) => ({
  ...ask(subscriptions.listDeadLetters, { params: one(subscription_id), ...(after && { query: { after } }) }),
  refetchInterval: pulse,
})
/** So many dead letters are listed at once. */
export const deadLettersAtOnce = 200

export const catalogue = () => ({ ...ask(feed.eventCatalogue, {}), staleTime: 60_000 })

/** What a form says about a subscription. */
export interface Definition {
  readonly subscription_name: string
  readonly system_name: string
  readonly callback_url: string
  readonly confirm_mode: string
  readonly confirm_pattern: string
  readonly subscription_form: string
  readonly timeout: number
}

export const subscribe = (business: number, body: Definition) =>
  call(subscriptions.subscribeEvent, { params: { ...any, bk_biz_id: business }, body: { ...body } })

export const replace = (id: number, body: Definition) =>
  call(subscriptions.updateEventSubscribe, { params: one(id), body: { ...body } })

export const unsubscribe = (id: number) => call(subscriptions.unsubscribeEvent, { params: one(id) })
export const pause = (id: number) => call(subscriptions.pauseSubscription, { params: one(id) })
export const resume = (id: number) => call(subscriptions.resumeSubscription, { params: one(id) })
export const rotate = (id: number) => call(subscriptions.rotateSecret, { params: one(id), body: {} })

export interface Range {
  readonly dead_letters?: boolean
  readonly from_position?: number
  readonly to_position?: number
  readonly from_time?: string
  readonly to_time?: string
}
export const replay = (id: number, range: Range) => call(subscriptions.replay, { params: one(id), body: { ...range } })

export const ping = async (url: string, data: unknown) => {
  const [answer] = await call(callbacks.pingSubscription, { body: { callback_url: url, data } })
  return answer
}
export const telnet = (url: string) => call(callbacks.testingConnection, { body: { callback_url: url } })

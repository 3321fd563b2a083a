import { subscriptions } from '@mainline/contract'
import { readSort } from '../../platform/condition/sort.ts'
import { type Caller, handle, type Route } from '../../platform/http/route.ts'
import type { Outbound } from '../../platform/outbound/index.ts'
import type { Storage, Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { queryIn } from '../feed/index.ts'
import { findBusiness } from '../topology/index.ts'
import type { Delivery } from './delivery/delivery.ts'
import { readAttempts, readAttemptsAbout, readDeadLetters } from './history.ts'
import { showSubscription } from './record.ts'
import { readAsked, replay } from './replay.ts'
import { searchSubscriptions, subscriptionFields } from './search.ts'
import { type Named, pause, replace, resume, rotate, subscribe, unsubscribe } from './service.ts'
import { findSubscription } from './store.ts'

interface Place {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number }
}
interface One {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number; readonly subscription_id: number }
}

/** Hosts that are in its result already are gone through. */
const namesQuery = ({ subscription_form }: { subscription_form: string }) =>
  subscription_form.split(',').some((name) => queryIn(name.trim()) !== undefined)

const named = ({ params }: One): Named => ({ bizId: params.bk_biz_id, id: params.subscription_id })

export interface Tools {
  readonly outbound: Outbound
  /** Told of every change, so that it need not wait until it looks by itself. */
  readonly delivery: Pick<Delivery, 'look'>
}

export function subscriptionRoutes(storage: Storage, zone: Zone, { outbound, delivery }: Tools): Route[] {
  const { read } = storage
  const business = async ({ actor, params }: Place) =>
    params.bk_biz_id === 0 ? undefined : findBusiness(read, actor.account, params.bk_biz_id)
  const found = async (request: One) => {
    await business(request)
    return findSubscription(read, request.actor.account, request.params.bk_biz_id, request.params.subscription_id)
  }
  async function change<T>(actor: Caller, work: (tx: Tx) => Promise<T>, { bulk = false } = {}): Promise<T> {
    const done = await storage.change(actor, work, { bulk })
    await delivery.look()
    return done
  }
  const success = async (done: Promise<void>) => done.then(() => 'success' as const)

  return [
    handle(
      subscriptions.subscribeEvent,
      ({ actor, params, body }) =>
        change(actor, (tx) => subscribe(tx, params.bk_biz_id, body, outbound, zone), { bulk: namesQuery(body) }),
      business,
    ),
    handle(subscriptions.unsubscribeEvent, (request) =>
      success(change(request.actor, (tx) => unsubscribe(tx, named(request)))),
    ),
    handle(
      subscriptions.updateEventSubscribe,
      ({ body, ...request }) => {
        const work = (tx: Tx) => replace(tx, named(request), body, outbound, zone)
        return success(change(request.actor, work, { bulk: namesQuery(body) }))
      },
      found,
    ),
    handle(
      subscriptions.searchSubscription,
      async ({ actor, params, body: { page } }) => {
        await business({ actor, params })
        const rows = await searchSubscriptions(read, {
          account: actor.account,
          bizId: params.bk_biz_id,
          order: readSort(page?.sort, subscriptionFields),
          start: page?.start ?? 0,
          limit: page?.limit,
        })
        return rows.map((row) => showSubscription(row, actor.language, zone))
      },
      business,
    ),
    handle(
      subscriptions.rotateSecret,
      (request) => change(request.actor, (tx) => rotate(tx, named(request), request.body.secret)),
      found,
    ),
    handle(subscriptions.pauseSubscription, (request) =>
      success(change(request.actor, (tx) => pause(tx, named(request)))),
    ),
    handle(subscriptions.resumeSubscription, (request) =>
      success(change(request.actor, (tx) => resume(tx, named(request)))),
    ),
    handle(subscriptions.listAttempts, async (request) =>
      readAttempts(read, (await found(request)).id, request.actor.language, zone),
    ),
    handle(subscriptions.listAttemptsAbout, ({ actor, params }) =>
      readAttemptsAbout(storage.heavy, actor, { object: params.bk_obj_id, instance: params.bk_inst_id }, zone),
    ),
    handle(subscriptions.listDeadLetters, async (request) =>
      readDeadLetters(read, (await found(request)).id, request.query.after, request.actor.language, zone),
    ),
    handle(
      subscriptions.replay,
      async (request) => {
        const asked = await readAsked(storage.heavy, request.actor.account, request.body, zone)
        return change(request.actor, (tx) => replay(tx, named(request), asked))
      },
      found,
    ),
  ]
}

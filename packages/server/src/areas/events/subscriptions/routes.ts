import { type Language, subscriptions } from '@mainline/contract'
import { readSort } from '../../../condition/sort.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Outbound } from '../../../outbound/index.ts'
import type { Storage, Tx } from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import type { MissingSearchGrant } from '../../privileges/index.ts'
import type { QueryReading } from '../../queries/run/index.ts'
import { type KnownResults, knowingResults, objectsBehindNow } from '../../queries/watch/index.ts'
import { findBusiness } from '../../topology/index.ts'
import type { Delivery, Subscription } from '../delivery/index.ts'
import { EventCondition, objectsNamed, selectionOf } from '../feed/index.ts'
import { type HistoryReading, readAttempts, readAttemptsAbout, readDeadLetters } from './history.ts'
import { type Shown, showSubscription } from './record.ts'
import { discard, readAsked, replay } from './replay.ts'
import { searchSubscriptions, subscriptionFields } from './search.ts'
import {
  type Named,
  pause,
  refuseUnsearchableForm,
  replace,
  resume,
  rotate,
  subscribe,
  unsubscribe,
} from './service.ts'
import { findSubscription } from './store.ts'

interface Place {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number }
}
interface One {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number; readonly subscription_id: number }
}

const named = ({ params }: One): Named => ({ bizId: params.bk_biz_id, id: params.subscription_id })

interface Tools {
  readonly outbound: Outbound
  /** Notified after every change, so that it takes effect before the next interval. */
  readonly delivery: Pick<Delivery, 'look'>
  readonly lacks: MissingSearchGrant
}

export function subscriptionRoutes(
  storage: Storage,
  reading: QueryReading,
  { outbound, delivery, lacks }: Tools,
): Route[] {
  const { read } = storage
  const { zone } = reading
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
  /** A change that follows the queries named in a form. */
  const following = <T>(
    actor: Caller,
    { subscription_form: form }: { readonly subscription_form: string },
    work: (tx: Tx, known: KnownResults) => Promise<T>,
  ): Promise<T> => {
    const names = form.split(',').map((name) => name.trim())
    return knowingResults(storage, actor.account, names, reading, (known) =>
      change(
        actor,
        async (tx) => {
          await refuseUnsearchableForm(tx, form, lacks, reading)
          return work(tx, known)
        },
        { bulk: known.size > 0 },
      ),
    )
  }
  const unsearchable = async (account: string, user: string, row: Subscription): Promise<string[]> => {
    const names = row.form.split(',')
    const behind = await objectsBehindNow(storage.read, account, names, reading)
    const objects = [...new Set([...objectsNamed(names), ...behind])]
    const lacking = await Promise.all(objects.map((object) => lacks(storage, { account, user }, object)))
    return objects.filter((_, index) => lacking[index] !== undefined)
  }
  /** Changing a subscription requires the search privilege of all objects it names; callers who have it also see the whole address. */
  const shownTo = async ({ account, user, language }: Caller, row: Subscription): Promise<Shown> => ({
    mayEdit: (await unsearchable(account, user, row)).length === 0,
    withheld: await unsearchable(account, row.defined_by, row),
    filterProblem: await filterProblem(row, language),
  })
  const filterProblem = async (row: Subscription, language: Language): Promise<string> => {
    if (row.filter === '') return ''
    const condition = new EventCondition(row.filter, { kinds: selectionOf(row).kinds, zone })
    return condition.at(await modelOf(read, row.account)).problem?.text(language) ?? ''
  }
  const seenBy = (actor: Caller): HistoryReading => ({
    ...{ reader: read, actor, zone },
    lacks: async (object) => (await lacks(storage, actor, object)) !== undefined,
  })
  const success = async (done: Promise<void>) => done.then(() => 'success' as const)

  return [
    handle(
      subscriptions.subscribeEvent,
      ({ actor, params, body }) =>
        following(actor, body, (tx, known) => subscribe(tx, params.bk_biz_id, body, outbound, reading, known)),
      business,
    ),
    handle(subscriptions.unsubscribeEvent, (request) =>
      success(change(request.actor, (tx) => unsubscribe(tx, named(request)))),
    ),
    handle(
      subscriptions.updateEventSubscribe,
      ({ body, ...request }) => {
        const { bizId, id } = named(request)
        const work = async (tx: Tx, known: KnownResults) => {
          const { form } = await findSubscription(tx, request.actor.account, bizId, id)
          await refuseUnsearchableForm(tx, form, lacks, reading)
          await replace(tx, named(request), body, outbound, reading, known)
        }
        return success(following(request.actor, body, work))
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
        const shown = rows.map(async (row) => showSubscription(row, await shownTo(actor, row), actor.language, zone))
        return Promise.all(shown)
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
    handle(subscriptions.listAttempts, async (request) => readAttempts(await found(request), seenBy(request.actor))),
    handle(subscriptions.listAttemptsAbout, async ({ actor, params: { bk_obj_id: object, bk_inst_id: instance } }) => {
      if (await lacks(storage, actor, object)) return []
      return readAttemptsAbout({ object, instance }, { ...seenBy(actor), reader: storage.heavy })
    }),
    handle(subscriptions.listDeadLetters, async (request) =>
      readDeadLetters(await found(request), request.query.after, seenBy(request.actor)),
    ),
    handle(
      subscriptions.replay,
      async (request) => {
        const asked = await readAsked(storage.heavy, request.actor.account, request.body, zone)
        return change(request.actor, (tx) => replay(tx, named(request), asked))
      },
      found,
    ),
    handle(
      subscriptions.discardDeadLetters,
      (request) => change(request.actor, (tx) => discard(tx, named(request), request.body)),
      found,
    ),
  ]
}

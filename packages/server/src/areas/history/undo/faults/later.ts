// What was deleted again after the deletion that is undone: its last state is before the later one.
import { operationTypes, rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import type { RowKind } from '../../recorded/index.ts'
import type { Net, NetChanges } from '../net.ts'
import { type Fault, fault } from './existence.ts'

/** A row that returns, as its records name it. */
interface ReturningRow {
  readonly kind: RowKind
  readonly key: string
  readonly object: string
  /** The key of queries. */
  readonly id: number | string
  readonly undoes: readonly number[]
}

export async function faultsOfLaterDeletions(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [object, own] of Map.groupBy(returningIn(net), (each) => each.object)) {
    const last = await lastDeletions(tx, object, own)
    for (const { kind, key, id, undoes } of own) {
      if ((last.get(String(id)) ?? 0) > Math.max(...undoes)) faults.push(fault(kind, key, rule('goneSince')))
    }
  }
  return faults
}

/** Parts of the model share the numbers of their records, and their deletion is judged by what is in their place. */
function returningIn({ nodes, hosts, queries, associations, definitions }: NetChanges): ReturningRow[] {
  const of = <Row>(
    all: readonly Net<Row>[],
    name: (target: Row, key: string) => Omit<ReturningRow, 'key' | 'undoes'>,
  ) => all.flatMap(({ key, now, target, undoes }) => (target && !now ? [{ ...name(target, key), key, undoes }] : []))
  const groups = definitions.filter(({ kind }) => kind === 'user_group')
  return [
    ...of(nodes, ({ object_id: object, inst_id: id }) => ({ kind: 'node', object, id })),
    ...of(hosts, ({ host_id: id }) => ({ kind: 'host', object: 'host', id })),
    ...of(queries, ({ id }) => ({ kind: 'custom_query', object: 'userapi', id })),
    ...of(associations, ({ id }) => ({ kind: 'instance_association', object: 'instassociation', id })),
    ...of(groups, (_, key) => ({ kind: 'user_group', object: 'usergroup', id: Number(key) })),
  ]
}

async function lastDeletions(tx: Tx, object: string, own: readonly ReturningRow[]): Promise<Map<string, number>> {
  const [column, type] = object === 'userapi' ? (['ext_key', 'text'] as const) : (['inst_id', 'integer'] as const)
  const records = await tx
    .selectFrom('log')
    .select([`${column} as id`, 'position'])
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', object)
    .where('operation', '=', operationTypes.delete)
    .where((eb) =>
      tx.dialect.among(
        eb.ref(column),
        own.map(({ id }) => id),
        type,
      ),
    )
    .orderBy('ticket')
    .execute()
  // One without a position was committed after all that have one.
  return new Map(records.map(({ id, position }) => [String(id), position ?? Number.MAX_SAFE_INTEGER]))
}

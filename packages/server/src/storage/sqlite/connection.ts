import { problem, rule } from '@mainline/contract'
import { type OutageReason, StorageOutage } from '../availability/outage.ts'
import { Violation } from '../violation.ts'
import { isDamage, openDatabase, type SqliteConnection } from './database.ts'
import { Damaged, notReadyDamaged } from './file/damage.ts'

/** Called for every failure that shows damage of the file. */
export type OnDamage = (damaged: Damaged) => void

/** A connection in this thread that translates SQLite's errors. */
export function openSqlite(path: string, mode: 'read' | 'write', onDamage: OnDamage = () => {}): SqliteConnection {
  const inOwnWords = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw sqliteError(error, path, onDamage)
    }
  }
  const database = inOwnWords(() => openDatabase(path, mode))
  return {
    ...database,
    query: (text, parameters) => inOwnWords(() => database.query(text, parameters)),
    script: (text) => inOwnWords(() => database.script(text)),
  }
}

/** SQLite reports a violated constraint by its columns; these are the names from the migrations. */
const constraints: Record<string, string> = {
  'account.name': 'account_pkey',
  'classification.account, classification.classification_id': 'classification_key',
  'classification.account, classification.name': 'classification_name',
  'object.account, object.object_id': 'object_key',
  'object.account, object.name': 'object_name',
  'object.account, object.above': 'object_above',
  'attribute_group.account, attribute_group.object_id, attribute_group.group_id': 'attribute_group_key',
  'attribute.account, attribute.object_id, attribute.attribute_id': 'attribute_key',
  'node.parent, node.object_id, node.name_key': 'node_sibling_name',
  'node.account, node.object_id, node.name_key': 'node_account_name',
  'association_kind.account, association_kind.kind': 'association_kind_key',
  'object_association.account, object_association.association_id': 'object_association_key',
  'object_association.account, object_association.source_object, object_association.kind, object_association.target_object':
    'object_association_pair',
  'instance_association.association, instance_association.source_id, instance_association.target_id':
    'instance_association_pair',
  'instance_association.association, instance_association.single_source': 'instance_association_single_source',
  'instance_association.association, instance_association.single_target': 'instance_association_single_target',
  'unique_rule.account, unique_rule.object_id, unique_rule.attributes': 'unique_rule_key',
  'unique_value.key, unique_value.value': 'unique_value_key',
  'business.account, business.living_name': 'business_living_name',
  'host_ip.ip, host_ip.cloud': 'host_ip_key',
  'custom_query.business, custom_query.name': 'custom_query_name',
  'favourite.account, favourite.owner, favourite.name': 'favourite_name',
  'user_group.account, user_group.name': 'user_group_name',
  'subscription.account, subscription.name': 'subscription_name',
  'log.txn_id, log.ordinal': 'log_txn',
  'migration.number': 'migration_pkey',
}

export function sqliteError(error: unknown, path: string, onDamage: OnDamage): unknown {
  if (isDamage(error)) {
    const damaged = new Damaged(path, error.message)
    onDamage(damaged)
    return notReadyDamaged(damaged)
  }
  const message = error instanceof Error ? error.message : ''
  const unique = /^UNIQUE constraint failed: (.+)$/.exec(message)
  if (unique?.[1]) return new Violation('unique', constraints[unique[1]] ?? unique[1], error)
  if (message === 'FOREIGN KEY constraint failed') return new Violation('foreign', undefined, error)
  // Another program has held the file's lock for longer than the busy timeout.
  if (message === 'database is locked') {
    return Object.assign(problem('notReady', { rule: rule('waitedTooLong') }), { cause: error })
  }
  const disk = diskFailures[message]
  // Matched by message, which is what survives the transfer from a thread.
  return disk ? new StorageOutage(disk, error) : error
}

const diskFailures: Record<string, OutageReason> = {
  'database or disk is full': 'diskFull',
  'disk I/O error': 'diskFailing',
  'attempt to write a readonly database': 'diskFailing',
}

/** A commit with this failure may turn out to be on disk after all. */
export const mayBeOnDisk = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === 'disk I/O error'

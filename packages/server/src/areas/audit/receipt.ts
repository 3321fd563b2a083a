import { type audit, type DataOf, problem, rule } from '@mainline/contract'
import { type Actor, receiptFor, type Storage } from '../../storage/index.ts'
import { auditable } from '../privileges/index.ts'
import { filteredLog } from './filter.ts'

/** The receipt for a record that the caller may read in the audit log. */
export async function readReceipt(
  storage: Storage,
  admins: readonly string[],
  actor: Actor,
  position: number,
): Promise<DataOf<typeof audit.getAuditReceipt>> {
  const { account, user } = actor
  const { heavy } = storage
  const head = await heavy.selectFrom('log_head').select(['floor', 'position']).executeTakeFirstOrThrow()
  if (position < head.floor) throw problem('recordRemoved', { position, oldest: head.floor })
  // A record of another account gets the same answer as one that does not exist.
  const record = await filteredLog(heavy, { account, businesses: undefined, condition: { all: [] } })
    .selectAll()
    .where('position', '=', position)
    .executeTakeFirst()
  if (!record) throw problem('notFound')
  const businesses = await auditable(storage, admins, actor)
  if (businesses && !businesses.includes(record.biz_id)) {
    throw problem('denied', {
      why: rule('auditOfBusiness', { position, business: record.biz_id, entry: 'audit', user }),
    })
  }
  const receipt = await receiptFor(heavy, position)
  if (!receipt) throw problem('noReceipt', { position, rule: rule('notSealedYet') })
  return receipt
}

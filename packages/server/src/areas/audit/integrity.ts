import { type audit, type DataOf, problem, rule } from '@mainline/contract'
import { type Reader, type Storage, verifyStep } from '../../storage/index.ts'

/** A request starts verifying another segment only until this much time has passed. */
const maxVerifyingMs = 300

/**
 * Verifies seals after a segment for a limited time, and returns where to continue. Seals cover the records of all accounts; only the
 * records of the caller's account are counted.
 */
export async function verifySeals(
  { heavy, read, seals }: Storage,
  account: string,
  after: string | undefined,
): Promise<DataOf<typeof audit.getLogIntegrity>> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw problem('notInteger', { field: 'after' })
  const begun = performance.now()
  const enough = () => performance.now() - begun > maxVerifyingMs
  const step = await verifyStep(heavy, Number(after ?? 0), enough, seals.signer?.keys)
  if (!step) throw problem('invalid', { field: 'after', rule: rule('value', { value: Number(after) }) })
  const { faults, next, attested, ...figures } = step
  const { witnessed } = await read.selectFrom('log_head').select('witnessed').executeTakeFirstOrThrow()
  const sealed = await lastSealed(heavy, 'segment', Number(after ?? 0))
  const end = await lastSealed(heavy, 'last_position', figures.checked)
  return {
    ...figures,
    records: await countBetween(heavy, account, sealed, end),
    unsealed: next === undefined ? await countBetween(heavy, account, end, figures.checked) : 0,
    next: next ?? null,
    signed: attested?.signed ?? 0,
    witnessed: seals.isWitnessed ? witnessed : null,
    faults: faults.map(({ kind, segment, first, last }) => ({
      fault: kind,
      segment,
      first_position: first,
      last_position: last,
    })),
  }
}

/** The last sealed position among those up to a segment or a position. */
async function lastSealed(reader: Reader, column: 'segment' | 'last_position', most: number): Promise<number> {
  const seal = reader.selectFrom('seal').select('last_position').where(column, '<=', most)
  return (await seal.orderBy(column, 'desc').limit(1).executeTakeFirst())?.last_position ?? 0
}

/** Records of an account after one position, up to and including another. */
async function countBetween(reader: Reader, account: string, after: number, last: number): Promise<number> {
  const { count } = await reader
    .selectFrom('log')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('position', '>', after)
    .where('position', '<=', last)
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return Number(count)
}

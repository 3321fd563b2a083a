import { type audit, type DataOf, problem, rule } from '@mainline/contract'
import { type Storage, verifyStep } from '../../platform/storage/index.ts'

/** How long one request goes on beginning with further segments, in milliseconds. */
const aMoment = 300

/** Recomputes seals behind a segment for a moment, and says where to go on. */
export async function lookAtSeals(
  { heavy }: Storage,
  after: string | undefined,
): Promise<DataOf<typeof audit.getLogIntegrity>> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw problem('notInteger', { field: 'after' })
  const begun = performance.now()
  const step = await verifyStep(heavy, Number(after ?? 0), () => performance.now() - begun > aMoment)
  if (!step) throw problem('invalid', { field: 'after', rule: rule('value', { value: Number(after) }) })
  const { faults, next, ...figures } = step
  return {
    ...figures,
    next: next ?? null,
    faults: faults.map(({ kind, segment, first, last }) => ({
      fault: kind,
      segment,
      first_position: first,
      last_position: last,
    })),
  }
}

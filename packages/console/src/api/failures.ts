import { Failure } from '@mainline/client/core'

export const isUnauthenticated = (error: unknown): boolean => isOf(error, 'unauthenticated', 401)
export const isDenied = (error: unknown): boolean => isOf(error, 'denied', 403)
/** There is no record with that id, or it is not an id. */
export const isMissing = (error: unknown): boolean => isOf(error, 'notFound', 404) || isOf(error, 'notInteger')

/** The body of a proxy's error has no information besides its status. */
const isOf = (error: unknown, kind: Failure['kind'], status?: number): boolean =>
  error instanceof Failure && (error.kind === kind || (error.kind === 'unrecognised' && error.status === status))

/** The server has not answered: it is unreachable, or a proxy answered in its place. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof Failure && (error.status === 0 || (error.kind === 'unrecognised' && error.status >= 502))

/** Whether the same request may succeed a moment later. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof Failure) || error.passing || error.kind === 'internal' || error.status >= 500

/** The current revision of a record that was changed since it was read; undefined for other failures. */
export const revisionNow = (error: unknown): number | undefined => recordNow(error)?.bk_revision

/** The current record, as the refusal of a change based on an older revision shows it. */
export function recordNow(error: unknown): (Readonly<Record<string, unknown>> & { bk_revision: number }) | undefined {
  if (!(error instanceof Failure) || error.kind !== 'revisionMismatch') return undefined
  return error.data as { bk_revision: number }
}

/** A row that was refused while others of its request were accepted. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused'
}

/** The server's error message; undefined if there is none. */
export function reasonIn(error: unknown): string | undefined {
  if (error instanceof RowRefused) return error.message
  return error instanceof Failure && error.code > 0 ? error.text : undefined
}

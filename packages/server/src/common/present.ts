/** A value that is always present by construction, such as one of the ids just drawn. */
export function present<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('a value that must be there is missing')
  return value
}

/** The first of a list that is never empty. */
export const first = <T>(list: readonly T[]): T => present(list[0])

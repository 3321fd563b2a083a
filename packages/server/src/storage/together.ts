/**
 * The results of statements that do not need each other's: on PostgreSQL they share a round trip. Waits for all of them, also after a
 * failure, so that none is still running when the change is rolled back; fails with the first failure in their order.
 */
export async function together<Results extends readonly unknown[]>(
  ...statements: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  await Promise.allSettled(statements)
  const results: unknown[] = []
  for (const statement of statements) results.push(await statement)
  return results as unknown as Results
}

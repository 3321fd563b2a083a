import { startPostgres } from '../../packages/server/src/testing/postgres.ts'

/** One PostgreSQL for the whole run. */
export default async function setup() {
  const server = await startPostgres()
  process.env.MAINLINE_TEST_POSTGRES = server.url
  return () => server.stop()
}

// All variants of the service that acceptance tests cover: both storage engines and both dialects; all four pairs in the full form.
import { afterAll, beforeAll, describe } from 'vitest'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { type EngineName, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

export const dialects = ['document', 'bk-cmdb'] as const
type DialectName = (typeof dialects)[number]

const dialectsOn: Record<EngineName, readonly DialectName[]> = isFull
  ? { sqlite: dialects, postgres: dialects }
  : { sqlite: ['document'], postgres: ['bk-cmdb'] }

/** Runs the suite for each engine and dialect; `prepare` fills the service, which the suite accesses through `world()`. */
export function eachService<World>(
  prepare: (server: TestServer, dialect: DialectName, engine: EngineName) => Promise<World>,
  define: (world: () => World & { readonly server: TestServer }, dialect: DialectName, engine: EngineName) => void,
): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    describe.each(dialectsOn[engine])(`on ${engine}, dialect %s`, (dialect) => {
      let world: World & { readonly server: TestServer }
      beforeAll(async () => {
        const server = await startServer(engine, { flags: ['--compat', dialect] })
        world = { ...(await prepare(server, dialect, engine)), server }
      })
      afterAll(() => world.server.close())
      define(() => world, dialect, engine)
    })
  }
}

/** Runs all of them, several concurrently: a table of hundreds of requests then takes seconds. */
export async function inParallel<Case>(cases: readonly Case[], run: (each: Case) => Promise<void>): Promise<void> {
  const left = cases.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const each of left) await run(each)
    }),
  )
}

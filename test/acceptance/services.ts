// The service in every form that an acceptance test must hold for: both storage engines, both dialects.
import { afterAll, beforeAll, describe } from 'vitest'
import { type EngineName, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

export const dialects = ['document', 'bk-cmdb'] as const
export type DialectName = (typeof dialects)[number]

/** Runs the suite for each engine and dialect; `prepare` fills the service, which the suite then reaches through `world()`. */
export function eachService<World>(
  prepare: (server: TestServer, dialect: DialectName, engine: EngineName) => Promise<World>,
  define: (world: () => World & { readonly server: TestServer }, dialect: DialectName, engine: EngineName) => void,
): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    describe.each(dialects)(`on ${engine}, dialect %s`, (dialect) => {
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

/** Runs all of them, some at a time: a table of hundreds of requests then takes seconds. */
export async function inParallel<Case>(cases: readonly Case[], run: (each: Case) => Promise<void>): Promise<void> {
  const left = cases.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const each of left) await run(each)
    }),
  )
}

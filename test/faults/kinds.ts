// The faults, each from start to end. For what must hold after each of them see round.ts.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from './database.ts'
import type { Disk } from './disk.ts'
import type { Random } from './random.ts'
import type { World } from './world.ts'

export interface Fault {
  readonly name: string
  /** Time limit after the fault until every server accepts changes, in milliseconds; 10 seconds by default. */
  readonly within?: number
  /** Undefined if it can be caused here; otherwise why not. */
  lacks?(world: World): string | undefined
  happen(world: World, random: Random): Promise<void>
}

const somewhere = (world: World, random: Random) => random.below(world.servers.length)
const pidOf = (world: World, nth: number) => world.servers[nth]?.child.pid as number

const kill: Fault = {
  name: 'kill -9',
  async happen(world, random) {
    const nth = somewhere(world, random)
    await world.servers[nth]?.end('SIGKILL')
    await world.respawn(nth)
  },
}

/** Longer than a process may be silent before others take over its work. */
const longSilence = 9_000

const freeze: Fault = {
  name: 'a process frozen while it holds leases',
  async happen(world, random) {
    const nth = somewhere(world, random)
    world.servers[nth]?.child.kill('SIGSTOP')
    await pause(longSilence)
    world.servers[nth]?.child.kill('SIGCONT')
  },
}

/** Forward, then behind the real time, and back to it. */
const clockJumps: Fault = {
  name: 'clock jumps',
  lacks: ({ clock }) => (clock ? undefined : 'libfaketime is not installed'),
  async happen({ clock }) {
    for (const seconds of [3_600, -7_200, 0]) {
      clock?.set(seconds)
      await pause(1_300)
    }
  },
}

const diskFull: Fault = {
  name: 'disk full',
  async happen(world) {
    const disk = world.disk as Disk
    disk.fill(pidOf(world, 0))
    await pause(1_000)
    disk.free(pidOf(world, 0))
  },
}

const readOnly: Fault = {
  name: 'data directory read-only',
  lacks: ({ disk }) => (disk?.readOnly ? undefined : 'no disk can be mounted here'),
  async happen(world) {
    await world.servers[0]?.end('SIGKILL')
    world.disk?.readOnly?.(true)
    const refused = await world.respawn(0).then(
      () => 'it started',
      (error: Error) => error.message,
    )
    world.disk?.readOnly?.(false)
    if (!/cannot be used/.test(refused)) throw new Error(`on a read-only directory: ${refused}`)
    await world.respawn(0)
  },
}

const onDatabase = (
  name: string,
  happen: (database: Database, random: Random) => Promise<void>,
  within = 10_000,
): Fault => ({
  name,
  within,
  happen: (world, random) => happen(world.database as Database, random),
})

const terminated = onDatabase('connections cut in mid-transaction', async (database) => {
  for (let times = 0; times < 5; times++) {
    await database.terminate()
    await pause(150)
  }
})

const databaseFrozen = onDatabase('PostgreSQL frozen', async (database, random) => {
  database.primary().freeze()
  await pause(1_000 + random.below(2_000))
  database.primary().thaw()
})

const databaseCrash = onDatabase('PostgreSQL stopped at once and restarted', async (database, random) => {
  await database.primary().crash()
  await pause(random.below(1_000))
  await database.primary().start()
})

const slowNetwork = onDatabase('slow network', async ({ link }, random) => {
  link.delay(20 + random.below(60))
  await pause(2_000)
  link.mend()
})

const networkCut = onDatabase('network cut', async ({ link }, random) => {
  link.cut()
  await pause(random.below(1_500))
  link.mend()
})

const cablePulled = onDatabase(
  'cable pulled: all packets are dropped without an error',
  async ({ link }) => {
    link.swallow()
    await pause(2_000)
    link.mend()
  },
  40_000,
)

const failOver = onDatabase('fail-over to the standby', async (database) => {
  await withStandby(database)
  database.link.cut()
  await database.failOver()
  database.link.mend(database.primary().port)
})

async function withStandby(database: Database): Promise<void> {
  if (!database.standby()) await database.addStandby()
  await pause(300)
}

export const faults: Record<'sqlite' | 'postgres', readonly Fault[]> = {
  sqlite: [kill, diskFull, clockJumps, readOnly, kill, freeze],
  postgres: [
    ...[kill, terminated, networkCut, databaseCrash, slowNetwork, failOver, databaseFrozen, freeze],
    ...[clockJumps, cablePulled],
  ],
}

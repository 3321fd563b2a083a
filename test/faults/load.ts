// A mixed load: several clients that make, change, move and delete whatever the interface lets them, each its own things.
import { setTimeout as pause } from 'node:timers/promises'
import { type Actions, actionsOf } from './actions.ts'
import { type Client, openClient } from './client.ts'
import type { History } from './history.ts'
import { type Random, randomOf } from './random.ts'

export interface LoadOptions {
  readonly seed: number
  readonly clients: number
  readonly businesses: readonly number[]
  readonly receiver: string
  readonly history: History
  /** Which server to ask. */
  door(): string
  /** Between two calls of a client, in milliseconds. */
  readonly rest: number
}

export interface Load {
  /** Lets what is under way end; nothing is asked until it goes on. */
  hold(): Promise<void>
  goOn(): void
  stop(): Promise<void>
}

export function startLoad(options: LoadOptions): Load {
  const { seed, clients, history, door } = options
  let open = Promise.withResolvers<void>()
  open.resolve()
  let isHeld = false
  let stopping = false
  let underway = 0
  let idle = Promise.withResolvers<void>()

  const run = async (client: Client, random: Random) => {
    const actions = actionsOf(client, random, options)
    while (!stopping) {
      await open.promise
      if (stopping) return
      underway++
      await choose(actions, random)()
      if (--underway === 0 && isHeld) idle.resolve()
      // Nobody hammers at a door that does not open.
      await pause(options.rest * random.next() * (client.isShutOut() ? 10 : 1))
    }
  }
  const running = Array.from({ length: clients }, (_, number) =>
    run(openClient(number, door, history), randomOf(seed + number)),
  )
  const load: Load = {
    async hold() {
      isHeld = true
      open = Promise.withResolvers<void>()
      idle = Promise.withResolvers<void>()
      if (underway > 0) await idle.promise
    },
    goOn() {
      isHeld = false
      open.resolve()
    },
    async stop() {
      stopping = true
      load.goOn()
      await Promise.all(running)
    },
  }
  return load
}

function choose(actions: Actions, random: Random): () => Promise<void> {
  const total = actions.reduce((sum, { weight }) => sum + weight, 0)
  let drawn = random.below(total)
  const chosen = actions.find(({ weight }) => {
    drawn -= weight
    return drawn < 0
  })
  return chosen?.run ?? (async () => {})
}

// A mixed load: several clients that create, change, move and delete records of their own.
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
  /** The server to use. */
  door(): string
  /** Pause of a client between two requests, in milliseconds. */
  readonly rest: number
}

export interface Load {
  /** Pauses the load: running requests finish, and no new ones are sent until it is resumed. */
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
      // Clients do not retry a refused connection immediately.
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

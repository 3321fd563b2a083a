import { type Caller, type ClientOptions, createCaller } from './caller.ts'
import { type Operations, operationsOf } from './operations.ts'

/** Every operation under its area, as `client.sets.searchSet({ ... })`; or any by its endpoint. */
export interface Client extends Operations, Caller {}

export function createClient(options: ClientOptions): Client {
  const caller = createCaller(options)
  return { ...operationsOf(caller.call), ...caller } as Client
}

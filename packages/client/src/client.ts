import { type Caller, type ClientOptions, createCaller } from './caller.ts'
import { type Operations, operationsOf } from './operations.ts'

/** Every operation under its area, as `client.sets.searchSet({ ... })`; or any by its endpoint. */
export interface Client extends Operations, Caller {
  /** A client whose reads answer as of a moment: a Date, a time, a duration back such as `-2h`, or `position:<n>`. */
  asOf(moment: string | Date): Client
}

export function createClient(options: ClientOptions): Client {
  return clientOver(options)
}

function clientOver(options: ClientOptions, asOf?: string): Client {
  const caller = createCaller(options, asOf)
  return {
    ...operationsOf(caller.call),
    ...caller,
    asOf: (moment: string | Date) => clientOver(options, typeof moment === 'string' ? moment : moment.toISOString()),
  } as Client
}

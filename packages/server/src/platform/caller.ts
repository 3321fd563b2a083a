import { AsyncLocalStorage } from 'node:async_hooks'

const current = new AsyncLocalStorage<string>()

/** Runs the work of a request in the name of its caller, so that shared resources can be divided between callers. */
export const asCaller = <T>(caller: { account: string; user: string }, work: () => T): T =>
  current.run(`${caller.account}\n${caller.user}`, work)

/** Whose request this is; `''` in work that the service does by itself. */
export const currentCaller = (): string => current.getStore() ?? ''

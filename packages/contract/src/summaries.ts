// Every operation with its summary, by name. Not part of index.ts: the console loads it only where it lists them.
import { endpoints } from './endpoints.ts'

export const summaries: readonly { readonly name: string; readonly summary: string }[] = endpoints
  .map(({ name, summary }) => ({ name, summary }))
  .toSorted((one, other) => one.name.localeCompare(other.name))

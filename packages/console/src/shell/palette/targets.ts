import type { Endpoint } from '@mainline/contract'
import type { Pickable, PickerGroup } from '../../kit/Picker.tsx'
import { best, type Ranked, rankOf, type Sought } from './rank.ts'

/** What a kind is asked for. */
export interface Asking {
  /** The current business. */
  readonly business: number | null
  /** Matched in the browser with every letter. */
  readonly sought: Sought
  /** Sent to the server, once typing has paused. */
  readonly sent: string
}

/** Something the palette finds. */
export interface Target extends Pickable {
  /** Its identifiers, if the name is not the only one. */
  readonly names?: readonly string[]
  /** Other words for it. */
  readonly aliases?: readonly string[]
  /** The operation that it starts: a caller who may not is told whom to ask. */
  readonly needs?: { readonly operation: Endpoint; readonly about: Readonly<Record<string, number | string>> }
  go(): void
}

/** The targets of one kind that match. */
export interface FoundKind {
  readonly id: string
  readonly name: string
  readonly found: readonly Ranked<Target>[]
  /** More may be found. */
  readonly isSearching?: boolean
}

export const bestTargets = (targets: Iterable<Target>, sought: Sought, most: number): Ranked<Target>[] =>
  best(targets, most, ({ name, names = [name], aliases = [] }) => rankOf(sought, names, aliases))

/** The kind with the best match comes first; kinds that match equally well keep their order. */
export const inOrder = (kinds: readonly FoundKind[]): PickerGroup<Target>[] =>
  kinds
    .filter(({ found }) => found.length > 0)
    .toSorted((one, other) => bestRank(one) - bestRank(other))
    .map(({ id, name, found }) => ({ id, name, items: found.map(({ item }) => item) }))

export const bestRank = ({ found }: FoundKind): number => found[0]?.rank ?? Number.POSITIVE_INFINITY

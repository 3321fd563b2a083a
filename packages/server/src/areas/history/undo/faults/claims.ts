// What only one row may have: a name among siblings, an address in an area, an identifier.

/** A row that is to have something that it has not now. */
export interface Claimant {
  readonly key: string
  readonly claims: readonly string[]
}

/** A stored row that has it. */
export interface Holder {
  readonly key: string
  readonly claim: string
}

/** By the key of the claimant: what it cannot have, and which row has it. */
export type Collisions = ReadonlyMap<string, { readonly claim: string; readonly holder: string }>

/**
 * Which claimants cannot have what they are to have. `keeps` tells whether a stored row goes on having it: rows of the same undo may give it up.
 * Of two claimants of the same, the first one gets it.
 */
export function collisionsOf(
  claimants: readonly Claimant[],
  stored: readonly Holder[],
  keeps: (holder: Holder) => boolean,
): Collisions {
  const holders = new Map(stored.filter(keeps).map(({ key, claim }) => [claim, key]))
  const found = new Map<string, { claim: string; holder: string }>()
  for (const { key, claims } of claimants) {
    const taken = claims.find((claim) => (holders.get(claim) ?? key) !== key)
    if (taken !== undefined) found.set(key, { claim: taken, holder: holders.get(taken) ?? '' })
    else for (const claim of claims) holders.set(claim, key)
  }
  return found
}

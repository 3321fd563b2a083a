import { type PublicKeys, type SignatureState, signatureOf } from './keys.ts'
import { isSigned, lineOf, type Seal } from './statement.ts'
import type { Witnessed } from './witness-file.ts'

const dayMs = 86_400_000

/** Evidence from outside of the database to compare seals with. */
export interface Proofs {
  readonly keys?: PublicKeys | undefined
  /** Only some of the seals are read, or some of the keys known: checks that need all of them are skipped. */
  readonly isPartial?: true
  /** From an external source: all seals from this segment on must be signed. */
  readonly signedSince?: number | undefined
  readonly witness?: Witnessed | undefined
  readonly now?: number
}

export const attestedTexts = {
  signature: 'has a signature that was not made over it with key {about}: it was forged or changed',
  unknownKey: 'is signed with key {about}, which is none of those that were given',
  unsigned: 'is not signed, although signing had begun by then',
  neverSigned: 'are in no segment that is signed, although a public key was given',
  removed: 'has been removed, and no retention that was in force explains it',
  rewritten: 'is not what was witnessed ({about}): the log has been rewritten',
  cut: 'were witnessed and are not there ({about}): the end of the log has been cut off',
  setBack: 'were witnessed and are not there ({about}): a backup was restored, and no key has signed that',
  badWitness: 'has a line in the witness whose signature does not fit: the witness itself has been changed',
}

/** A fault of a segment found by signatures and witnesses. `about` holds the values of its sentence. */
export interface AttestedFault {
  readonly kind: keyof typeof attestedTexts
  readonly segment: number
  readonly first: number
  readonly last: number
  readonly about?: string
}

/** The results, for people. */
export interface Attested {
  /** Number of segments with a valid signature. */
  readonly signed: number
  /** The first of them. */
  readonly firstSigned: Seal | undefined
  /** Number of segments with an unchecked signature. */
  readonly unchecked: number
  /** Number of witnessed segments that are unchanged in the log. */
  readonly witnessed: number
  /** The newest of them. */
  readonly lastWitnessed: Seal | undefined
  /** Number of witnessed segments that a signed restore has given up. */
  readonly givenUp: number
}

const faultAt = (kind: AttestedFault['kind'], seal: Seal, about?: string): AttestedFault => ({
  kind,
  segment: seal.segment,
  first: seal.first_position,
  last: seal.last_position,
  ...(about !== undefined && { about }),
})

/**
 * Compares seals with signatures and with a witness, reading both in order. What distinguishes retention from deletion is stated in the seals: for
 * how many days records were kept when each was made, and which had been removed by then. Both are written by the process that signs.
 */
export class Attestation {
  readonly #proofs: Proofs
  readonly #lines: ReadonlySet<string>
  /** By segment, for the comparison with a witness. */
  readonly #stored = new Map<number, Seal>()
  readonly #removed: Seal[] = []
  readonly #restores: Seal[] = []
  #seen = 0
  #signed = 0
  #firstSigned: Seal | undefined
  #unchecked = 0
  #signedSince: number
  readonly #unsigned: Seal[] = []
  #baseFloor: number | undefined
  #policy: { readonly days: number } | undefined
  #removableBefore = Number.NEGATIVE_INFINITY

  constructor(proofs: Proofs) {
    this.#proofs = proofs
    this.#signedSince = proofs.signedSince ?? Number.POSITIVE_INFINITY
    this.#lines = new Set(proofs.witness?.seals.map(lineOf))
  }

  see(seal: Seal, found: { readonly isRemoved: boolean; readonly isLeftOut: boolean }): AttestedFault[] {
    this.#seen++
    const state = this.#signatureOf(seal)
    if (state === 'good') this.#firstSigned ??= seal
    if (state === 'good') this.#signed++
    if (isSigned(seal) && state !== 'good') this.#unchecked++
    if (state === 'good') this.#signedSince = Math.min(this.#signedSince, seal.signed_since)
    if (state === 'unsigned') this.#unsigned.push(seal)
    if (this.#proofs.witness) this.#stored.set(seal.segment, seal)
    if (found.isLeftOut) this.#restores.push(seal)
    else if (found.isRemoved) this.#removed.push(seal)
    if (state === 'good' || this.#lines.has(lineOf(seal))) this.#learn(seal)
    if (state === 'bad') return [faultAt('signature', seal, seal.key_id)]
    if (state === 'unknown' && this.#proofs.keys && !this.#proofs.isPartial)
      return [faultAt('unknownKey', seal, seal.key_id)]
    return []
  }

  /** Called after the last seal. */
  finish(logEnd: number): AttestedFault[] {
    const unsigned = this.#unsigned.filter(({ segment }) => segment >= this.#signedSince)
    const faults = unsigned.map((seal) => faultAt('unsigned', seal))
    if (this.#proofs.isPartial) return faults
    const isNeverSigned = this.#proofs.keys && this.#unsigned.length === this.#seen
    const never: AttestedFault[] = isNeverSigned ? [{ kind: 'neverSigned', segment: 0, first: 1, last: logEnd }] : []
    return [...never, ...faults, ...this.#removedUnexplained(), ...this.#differing(logEnd)]
  }

  get attested(): Attested {
    const witnessed = [...this.#stored.values()].filter((seal) => this.#lines.has(lineOf(seal)))
    return {
      signed: this.#signed,
      firstSigned: this.#firstSigned,
      unchecked: this.#unchecked,
      witnessed: witnessed.length,
      lastWitnessed: witnessed.at(-1),
      givenUp: this.#lost().filter(({ restore }) => restore && this.#isProven(restore)).length,
    }
  }

  #signatureOf(seal: Seal): SignatureState {
    return this.#proofs.keys ? signatureOf(seal, this.#proofs.keys) : isSigned(seal) ? 'unknown' : 'unsigned'
  }

  /** A policy was in force until the next seal, which states the following one. */
  #learn(seal: Seal): void {
    this.#baseFloor ??= seal.floor
    this.#endPolicy(seal.sealed_at)
    this.#policy = { days: seal.retention_days }
  }

  #endPolicy(at: number): void {
    if (!this.#policy || this.#policy.days === 0) return
    this.#removableBefore = Math.max(this.#removableBefore, at - this.#policy.days * dayMs)
  }

  #removedUnexplained(): AttestedFault[] {
    if (this.#baseFloor === undefined) return []
    this.#endPolicy(this.#proofs.now ?? Date.now())
    const floor = this.#baseFloor
    const isExplained = (seal: Seal) => seal.last_position < floor || seal.last_time < this.#removableBefore
    return this.#removed.filter((seal) => !isExplained(seal)).map((seal) => faultAt('removed', seal))
  }

  /** Witnessed seals that are missing in the log, each with the restore that may have given it up. */
  #lost(): { readonly seal: Seal; readonly restore: Seal | undefined }[] {
    const lost = (this.#proofs.witness?.seals ?? []).filter((seal) => {
      const stored = this.#stored.get(seal.segment)
      return !stored || lineOf(stored) !== lineOf(seal)
    })
    return lost.map((seal) => ({ seal, restore: this.#restores.find((each) => this.#gaveUp(each, seal)) }))
  }

  /** A restore goes back to an earlier state: it gives up the seals after it, not those before. */
  #gaveUp(restore: Seal, seal: Seal): boolean {
    if (seal.sealed_at > restore.sealed_at) return false
    const end = restore.first_position - 1
    return (
      seal.last_position > end || (seal.last_position === end && this.#stored.get(seal.segment)?.hash === seal.hash)
    )
  }

  #isProven(restore: Seal): boolean {
    return this.#signatureOf(restore) === 'good'
  }

  #differing(logEnd: number): AttestedFault[] {
    const lost = this.#lost().filter(({ restore }) => !restore || !this.#isProven(restore))
    const { keys } = this.#proofs
    const forged = keys ? lost.find(({ seal }) => signatureOf(seal, keys) === 'bad') : undefined
    if (forged) return [faultAt('badWitness', forged.seal)]
    const newest = this.#stored.size === 0 ? 0 : Math.max(...this.#stored.keys())
    const summary = (kind: AttestedFault['kind'], some: readonly { readonly seal: Seal }[]): AttestedFault[] => {
      const seals = some.map(({ seal }) => seal).toSorted((a, b) => a.segment - b.segment)
      const [first, last] = [seals[0], seals.at(-1)]
      if (!first || !last) return []
      const many = new Set(seals.map(({ segment }) => segment)).size
      const about = `${many} witnessed segment${many === 1 ? '' : 's'}, the last sealed at ${sealTime(last)}; the log ends at record ${logEnd}`
      return [
        {
          kind,
          segment: kind === 'rewritten' ? first.segment : 0,
          first: first.first_position,
          last: last.last_position,
          about,
        },
      ]
    }
    const bare = lost.filter(({ restore }) => !restore)
    return [
      ...summary(
        'rewritten',
        bare.filter(({ seal }) => seal.segment <= newest),
      ),
      ...summary(
        'cut',
        bare.filter(({ seal }) => seal.segment > newest),
      ),
      ...summary(
        'setBack',
        lost.filter(({ restore }) => restore),
      ),
    ]
  }
}

const sealTime = ({ sealed_at }: Seal) => new Date(sealed_at).toISOString()

import { type Problem, rule } from '@mainline/contract'
import { Refusal } from '../../refusal.ts'
import { asNotReady, type Damaged } from './damage.ts'

/** Whether the database file may be written. Once it may not, that stays so until a restart. */
export interface Safety {
  /** What changes are refused with; undefined while the file is safe to write. */
  problem(): Problem | undefined
  /** Throws it. */
  ensure(): void
  damaged(found: Damaged): void
  writtenByOther(): void
  replaced(): void
}

/** The first finding is kept, and reported once. */
export function openSafety(path: string, onUnsafe: (why: Refusal) => void): Safety {
  let refuse: (() => Problem) | undefined
  const keep = (what: 'damaged' | 'writtenByOther' | 'fileReplaced', why: Refusal) => {
    if (refuse) return
    refuse = () => asNotReady(rule(what), why)
    onUnsafe(why)
  }
  return {
    problem: () => refuse?.(),
    ensure() {
      if (refuse) throw refuse()
    },
    damaged: (found) => keep('damaged', found),
    writtenByOther: () =>
      keep(
        'writtenByOther',
        new Refusal(
          `Another program has written to ${path}, which this server alone may write. Changes are refused from now on. ` +
            "End the other program, check the file with 'mainline verify', and restart this server.",
        ),
      ),
    replaced: () =>
      keep(
        'fileReplaced',
        new Refusal(
          `${path} was replaced or removed while it was in use. Changes are refused from now on, since they would be lost. ` +
            'Stop the server before you put another file in its place, and restart it now.',
        ),
      ),
  }
}

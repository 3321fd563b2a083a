import { type Problem, rule } from '@mainline/contract'
import { Refusal } from '../../../common/refusal.ts'
import { asNotReady, type Damaged } from './damage.ts'

/** Whether the database file may be written. Once unsafe, it stays so until a restart. */
export interface Safety {
  /** The problem that refuses changes; undefined while the file is safe to write. */
  problem(): Problem | undefined
  /** Throws the problem, if any. */
  ensure(): void
  damaged(found: Damaged): void
  writtenByOther(): void
  replaced(): void
}

/** Only the first finding is kept and reported. */
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
          `Another program has written to ${path}, which this server alone may write. Writes are now rejected. ` +
            "End the other program, check the file with 'mainline verify', and restart this server.",
        ),
      ),
    replaced: () =>
      keep(
        'fileReplaced',
        new Refusal(
          `${path} was replaced or removed while it was in use. Writes are now rejected, since they would be lost. ` +
            'Stop the server before you put another file in its place, and restart it now.',
        ),
      ),
  }
}

import { type DataOf, history } from '@mainline/contract'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { UndoTarget } from '../../kit/undo.ts'

export type UndoPlan = DataOf<typeof history.undo>
export type PlannedRecord = UndoPlan['records'][number]
/** What happens to records that were overtaken by later changes. */
export type OnConflict = 'skip' | 'force'

/** What undoing it would do now: computed anew each time the dialog opens. */
export const undoPlan = (target: UndoTarget) =>
  queryOptions({
    queryKey: ['History', 'undo plan', target],
    queryFn: () => call(history.undo, { body: { ...target }, query: { dry_run: 'true' } }),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })

export const undoChange = (target: UndoTarget, onConflict: OnConflict | 'refuse'): Promise<UndoPlan> =>
  call(history.undo, { body: { ...target, on_conflict: onConflict } })

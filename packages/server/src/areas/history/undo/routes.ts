import { history } from '@mainline/contract'
import { readFlag } from '../../../http/query.ts'
import { handle, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { type Undoing, undo } from './undo.ts'

export const undoRoutes = (storage: Storage, how: Undoing): Route[] => [
  handle(history.undo, ({ actor, query, body }) =>
    undo(storage, actor, body, { ...how, isDry: readFlag(query, 'dry_run') }),
  ),
]

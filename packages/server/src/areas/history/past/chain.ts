// The parent of a node as an id of the past. Records tell its public id; of which object it is follows from the levels at that time.
import { builtIn } from '../../topology/index.ts'
import type { Columns } from '../recorded/index.ts'
import { nodeCode } from './codes.ts'

/** The object above each object of the main line. */
export type Above = (object: string) => unknown

/** The columns of a node with its parent. Columns that do not say where it is placed are returned as they are. */
export function withParent(columns: Columns, above: Above): Columns {
  const { object_id: object, parent_id: parent, built_in: kind } = columns
  if (typeof object !== 'string' || typeof parent !== 'number') return columns
  return { ...columns, parent: parent === 0 ? null : nodeCode(aboveOf(object, kind, above), parent) }
}

/** The idle pool is directly below its business, whatever levels there are. */
function aboveOf(object: string, kind: unknown, above: Above): string {
  if (object === 'module') return 'set'
  if (object === 'set' && kind === builtIn.idlePool) return 'biz'
  return String(above(object) ?? 'biz')
}

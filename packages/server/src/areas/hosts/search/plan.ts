import { createHash } from 'node:crypto'
import { RE2JS } from 're2js'
import { type Narrowing, narrow } from '../../../condition/narrow.ts'
import { objectOf } from '../../model/index.ts'
import { conditionFinders, hostFinders } from './finders.ts'
import type { HostSearch, SearchReaders } from './request.ts'
import type { ResolvedSearch } from './statements.ts'
import { findWhere } from './where.ts'

/**
 * How a search is executed, cached for repeated questions. The choice of an index affects only speed; the resolved placement is correct as long as
 * business and model have the same versions.
 */
export interface HostPlan {
  /** Undefined if no host can match. */
  readonly asked: ResolvedSearch | undefined
  /** The key of the cached ids of all matching hosts. */
  readonly key: string
  /** The finder with the fewest hosts; determined on first use. */
  readonly narrowing: () => Promise<Narrowing | undefined>
  /** Whether an index may find few hosts by their addresses, ids or searchable attributes. */
  readonly isIndexed: boolean
  /** Its size in the cache, in bytes. */
  readonly weight: number
}

export async function planSearch(storage: SearchReaders, search: HostSearch): Promise<HostPlan> {
  const where = await findWhere(storage, search)
  const host = objectOf(search.model, 'host')
  const asked: ResolvedSearch | undefined =
    where === 'nowhere' ? undefined : { search, where, host, condition: search.query.conditions.host }
  let narrowing: Promise<Narrowing | undefined> | undefined
  return {
    asked,
    key: asked ? keyOf(asked) : '',
    narrowing: async () => {
      if (!asked) return undefined
      narrowing ??= narrow(storage.read, hostFinders(asked, storage.read))
      narrowing.catch(() => {
        narrowing = undefined
      })
      return narrowing
    },
    isIndexed: asked !== undefined && conditionFinders(asked, storage.read).length > 0,
    weight: 5_000 + 10 * (asked?.where.placement?.nodes.length ?? 0),
  }
}

/** Identifies the question; the model is part of it, because it decides how fields are compared. */
function keyOf({ search, where, condition }: ResolvedSearch): string {
  const { account, business, model } = search
  const question = JSON.stringify([account, business ?? 0, model.version, where, condition], (_key, value) => {
    if (value instanceof RE2JS) return value.pattern()
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  })
  return `hosts ${createHash('sha256').update(question).digest('base64')}`
}

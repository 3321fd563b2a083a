import { defaultLimit, queries } from '@mainline/contract'
import { LargeList } from '../../../http/large-list.ts'
import { Versioned } from '../../../http/page.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { findBusiness } from '../../topology/index.ts'
import { findAnywhere } from './find.ts'
import type { QueryRights } from './info.ts'
import { runRoutes } from './run-routes.ts'
import { createQuery, deleteQuery, showQuery, updateQuery } from './service.ts'
import { type FoundQuery, findQuery, type QueryRow, searchQueries, withDefinitions } from './store.ts'

export function queryRoutes(storage: Storage, { lacks, ...reading }: QueryRights, admins: readonly string[]): Route[] {
  const { zone } = reading
  const { read, change } = storage
  type Within = { actor: Caller; params: { bk_biz_id: number } }
  const business = ({ actor, params }: Within) => findBusiness(read, actor.account, params.bk_biz_id)
  const one = async ({ actor, params }: Within & { params: { id: string } }) =>
    findQuery(read, (await business({ actor, params })).node, params.id)

  return [
    handle(queries.createQuery, async ({ actor, body }) => {
      const saved = { bizId: Number(body.bk_biz_id), name: body.name, info: body.info }
      return { id: await change(actor, (tx) => createQuery(tx, saved, reading)) }
    }),
    handle(
      queries.updateQuery,
      async ({ actor, params, body }) => {
        await change(actor, (tx) => updateQuery(tx, params.bk_biz_id, params.id, body, reading))
        return null
      },
      one,
    ),
    handle(queries.deleteQuery, async ({ actor, params }) => {
      await change(actor, (tx) => deleteQuery(tx, params.bk_biz_id, params.id, zone))
      return null
    }),
    handle(
      queries.searchQuery,
      async ({ actor, params, body }) => {
        const { node } = await business({ actor, params })
        const { count, rows } = await searchQueries(storage.heavy, node, body, zone)
        const withRevision = body.fields?.includes('bk_revision')
        const show = (row: QueryRow) => ({
          ...showQuery(row, zone),
          ...(withRevision && { bk_revision: row.revision }),
        })
        const small = rows.filter(hasDefinition)
        if (small.length === rows.length) return { count, info: small.map(show) }
        return new LargeList(count, withDefinitions(storage.heavy, rows)).map(show)
      },
      business,
    ),
    handle(queries.findQueries, ({ actor, body: { name = '', page } }) =>
      findAnywhere(storage.heavy, actor.account, { name, start: 0, limit: defaultLimit, ...page }),
    ),
    handle(queries.getQuery, async ({ actor, params }) => {
      const row = await one({ actor, params })
      const record = showQuery(row, zone)
      return new Versioned({ ...record, biz_id: record.bk_biz_id, creat_time: record.create_time }, row.revision)
    }),
    ...runRoutes(storage, { ...reading, lacks }, admins),
  ]
}

const hasDefinition = (row: FoundQuery): row is FoundQuery & QueryRow => row.info !== null

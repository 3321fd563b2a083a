// Checked by the compiler alone: each line below an expected error must not compile.
import { type DataOf, feed, hosts, integrations, modules, queries, sets } from '@mainline/contract'
import { Page, type PlainPage, Versioned } from './page.ts'
import { handle } from './route.ts'
import type { Stream } from './stream.ts'

declare const stream: Stream
declare const file: PlainPage
declare const record: sets.SetRecord
declare const query: DataOf<typeof queries.getQuery>

// The reply is the `data` of the endpoint, as a value or serialised.
handle(sets.createSet, async () => record)
handle(sets.createSet, async () => new Page(record))
handle(queries.getQuery, async () => new Versioned(query, 1))
// @ts-expect-error: no record of a set
handle(sets.createSet, async () => ({ nothing: 'x' }))
// @ts-expect-error: a page of something else
handle(sets.createSet, async () => new Page({ nothing: 'x' }))
// @ts-expect-error: a list of records is no record
handle(queries.getQuery, async () => new Versioned([query], 1))
// @ts-expect-error: one key is missing
handle(sets.searchSet, async () => ({ info: [] }))
// @ts-expect-error: `success` is not null
handle(hosts.deleteHosts, async () => 'success' as const)
// @ts-expect-error: nothing is not null
handle(hosts.deleteHosts, async () => undefined)

// A stream or a file is allowed only if the endpoint declares it.
handle(feed.streamEvents, async () => stream)
handle(integrations.queryCsv, async () => file)
// @ts-expect-error: no stream
handle(sets.searchSet, async () => stream)
// @ts-expect-error: no file
handle(sets.searchSet, async () => file)
// @ts-expect-error: a stream is never answered as a value
handle(feed.streamEvents, async () => ({ bk_cursor: '', bk_resource: '', bk_event_type: '' as const, bk_detail: null }))

// Path, body and query are typed by the endpoint.
handle(modules.deleteModule, async ({ params, query }) => {
  const ids: number[] = [params.bk_biz_id, params.bk_set_id, params.bk_module_id]
  const dryRun: string | undefined = query.dry_run
  // @ts-expect-error: not in the path
  params.bk_host_id
  // @ts-expect-error: not behind the question mark
  query.explain
  throw new Error(`${ids} ${dryRun}`)
})
handle(sets.batchDeleteSet, async ({ body }) => {
  const ids: number[] = body.delete.inst_ids
  // @ts-expect-error: not in the body
  body.inst_ids
  throw new Error(`${ids}`)
})
// `exists` gets the path, but not the body, which is invalid when it is called.
handle(
  sets.updateSet,
  async () => 'success' as const,
  async ({ params }) => params.bk_set_id,
)
handle(
  sets.updateSet,
  async () => 'success' as const,
  // @ts-expect-error: no body
  async ({ body }) => body,
)

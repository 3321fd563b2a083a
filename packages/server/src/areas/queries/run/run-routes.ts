import { defaultLimit, problem, queries, rule } from '@mainline/contract'
import { Page } from '../../../http/page.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Request, type Route } from '../../../http/route.ts'
import { cached, type Storage } from '../../../storage/index.ts'
import type { Paging } from '../../hosts/index.ts'
import { modelAt } from '../../model/index.ts'
import { refuseUnsearchable } from '../../privileges/index.ts'
import { findBusiness } from '../../topology/index.ts'
import { runQuery } from './data.ts'
import type { QueryRights } from './info.ts'
import { findQuery } from './store.ts'

interface Within {
  readonly actor: Caller
  readonly params: { readonly bk_biz_id: number }
}

/** Running a query, saved or not. */
export function runRoutes(storage: Storage, { lacks, ...reading }: QueryRights, admins: readonly string[]): Route[] {
  const { zone } = reading
  const { read } = storage
  const business = ({ actor, params }: Within) => findBusiness(read, actor.account, params.bk_biz_id)

  function wantsExplanation(actor: Caller, query: Request['query']): boolean {
    const wanted = readFlag(query, 'explain')
    if (wanted && !admins.includes(actor.user)) throw problem('denied', { why: rule('administratorOnly') })
    return wanted
  }

  async function run(
    { actor, params }: Within,
    textOf: (business: number) => Promise<string>,
    paging: Paging,
    explain: boolean,
  ) {
    const found = await business({ actor, params })
    const { account, language } = actor
    const model = await modelAt(read, account, found.modelVersion)
    const text = await textOf(found.node)
    return runQuery(storage, { account, model, reading, business: found, text, paging, explain }, { language, zone })
  }

  /** Judged for each caller, also where the answer is cached. */
  async function permitted<T>(actor: Caller, answer: T, behind: readonly string[]): Promise<T> {
    await refuseUnsearchable(storage, actor, behind, lacks)
    return answer
  }

  return [
    handle(queries.runQuery, async ({ actor, params, query }) => {
      const explain = wantsExplanation(actor, query)
      const { bk_biz_id, id, start, limit } = params
      const after = readAfter(query.after)
      const text = async (node: number) => (await findQuery(read, node, id)).info
      const runNow = () => run({ actor, params }, text, { start, limit, after }, explain)
      if (explain) return (await runNow()).answer
      const { account, language } = actor
      const key = JSON.stringify([account, language, bk_biz_id, id, start, limit, after])
      const { page, behind } = await cached(read, `query ${key}`, read.generation(), async () => {
        const found = await runNow()
        const page = new Page(found.answer)
        return { page, behind: found.behind, weight: page.weight }
      })
      return permitted(actor, page, behind)
    }),
    handle(
      queries.previewQuery,
      async ({ actor, params, query, body }) => {
        const explain = wantsExplanation(actor, query)
        const text = async () => (typeof body.info === 'string' ? body.info : JSON.stringify(body.info))
        const page = { start: body.start ?? 0, limit: body.limit ?? defaultLimit, after: readAfter(query.after) }
        const { answer, behind } = await run({ actor, params }, text, page, explain)
        return permitted(actor, answer, behind)
      },
      business,
    ),
  ]
}

function readAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw problem('notInteger', { field: 'after' })
  return Number(text)
}

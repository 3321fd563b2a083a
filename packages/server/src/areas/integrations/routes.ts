import { integrations, problem, rule } from '@mainline/contract'
import { plainPageOf } from '../../http/page.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage } from '../../storage/index.ts'
import { type QueryRights, walkQuery } from '../queries/run/index.ts'
import { inventory } from './ansible.ts'
import { csv } from './csv.ts'
import { factAttributes } from './facts.ts'
import { targets } from './prometheus.ts'

export function integrationRoutes(storage: Storage, reading: QueryRights): Route[] {
  type Saved = { actor: Caller; params: { bk_biz_id: number; id: string } }
  const walk = ({ actor, params }: Saved, also: Partial<typeof factAttributes>) =>
    walkQuery(storage, actor, reading, {
      bizId: params.bk_biz_id,
      id: params.id,
      also,
      most: integrations.mostHandedOn,
    })
  return [
    handle(integrations.prometheusTargets, async ({ actor, params, query }) => {
      const port = readPort(query.port)
      return plainPageOf('application/json', targets(await walk({ actor, params }, factAttributes), port))
    }),
    handle(integrations.ansibleInventory, async ({ actor, params }) =>
      plainPageOf('application/json', inventory(await walk({ actor, params }, factAttributes))),
    ),
    handle(integrations.queryCsv, async ({ actor, params }) =>
      plainPageOf('text/csv', csv(await walk({ actor, params }, {}))),
    ),
  ]
}

/** Sent twice, the parameter is a list and therefore invalid. */
function readPort(sent: unknown): number {
  if (sent === undefined) return integrations.usualPort
  const port = typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : 0
  if (port >= 1 && port <= 65_535) return port
  throw problem('invalid', { field: 'port', rule: rule('between', { min: 1, max: 65_535 }) })
}

import { integrations, problem, rule } from '@mainline/contract'
import { plainPageOf } from '../../platform/http/page.ts'
import { type Caller, handle, type Route } from '../../platform/http/route.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { walkQuery } from '../queries/index.ts'
import { inventory } from './ansible.ts'
import { csv } from './csv.ts'
import { factAttributes } from './facts.ts'
import { targets } from './prometheus.ts'

export function integrationRoutes(storage: Storage, zone: Zone): Route[] {
  type Saved = { actor: Caller; params: { bk_biz_id: number; id: string } }
  const walk = ({ actor, params }: Saved, also: Partial<typeof factAttributes>) =>
    walkQuery(storage, actor, zone, {
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

/** Sent twice it is a list, and no port. */
function readPort(sent: unknown): number {
  if (sent === undefined) return integrations.usualPort
  const port = typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : 0
  if (port >= 1 && port <= 65_535) return port
  throw problem('invalid', { field: 'port', rule: rule('between', { min: 1, max: 65_535 }) })
}

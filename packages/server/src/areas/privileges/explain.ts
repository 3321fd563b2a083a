import { type Allow, type Endpoint, type Language, problem, rule } from '@mainline/contract'
import { nearest } from '../../common/nearest.ts'
import type { Readers } from './demand.ts'
import type { Subject } from './grants.ts'
import { type Ground, judge, type Verdict } from './judge.ts'

/** A query for an explanation: the operation, and values of its parameters. */
export interface Question {
  readonly operation: string
  readonly about: Readonly<Record<string, unknown>>
}

/** The verdict that the guard would give on such a request. */
export async function verdictOn(
  readers: Readers,
  admins: readonly string[],
  operations: readonly Endpoint[],
  subject: Subject,
  { operation, about }: Question,
): Promise<Verdict> {
  const endpoint = operations.find((each) => each.name === operation)
  if (!endpoint) {
    const values = nearest(
      operation,
      operations.map((each) => each.name),
    ).join(', ')
    throw problem('unknown', { field: 'operation', rule: rule('nearest', { values }) })
  }
  const { allow } = endpoint
  for (const field of parametersNeeded(allow)) {
    if (about[field] === undefined) throw problem('unassigned', { field })
  }
  const verdict = await judge(readers, admins, subject, { allow, params: about, body: about })
  if (verdict.unclear) {
    const field = placeParameter(allow)
    throw problem(about[field] === undefined ? 'unassigned' : 'unknown', { field })
  }
  return verdict
}

/** Parameters that the required privilege depends on, other than the place. */
function parametersNeeded(allow: Allow): string[] {
  switch (allow.need) {
    case 'instances':
      return ['bk_obj_id']
    case 'association':
      return allow.in === 'path' ? ['association_id'] : ['bk_obj_asst_id', 'bk_inst_id']
    case 'self':
      return [allow.user]
    case 'member':
      return [allow.group]
    default:
      return []
  }
}

/** The parameter that names the place. */
function placeParameter(allow: Allow): string {
  switch (allow.need) {
    case 'role':
      return allow.business
    case 'hosts':
      return 'bk_host_id'
    case 'instances':
      return allow.action === 'create' ? 'bk_biz_id' : 'bk_inst_id'
    default:
      return 'bk_biz_id'
  }
}

export const isAllowed = ({ missing }: Verdict): boolean => missing.length === 0

/** The missing privileges, or else the grounds for allowing the request. */
export function reasonOf({ missing, grounds }: Verdict, language: Language): string {
  const reasons = missing.length > 0 ? missing : grounds
  return reasons.map(({ why }) => inLanguage(why, language)).join(language === 'en' ? '; ' : '；')
}

export const showVerdict = (verdict: Verdict, language: Language) => ({
  allowed: isAllowed(verdict),
  reason: reasonOf(verdict, language),
  through: verdict.grounds.map((ground) => ({ ...showGround(ground), reason: inLanguage(ground.why, language) })),
  missing: verdict.missing.map(({ why, needed, entry }) => ({
    reason: inLanguage(why, language),
    ...(needed && {
      bk_biz_id: needed.business,
      privileges: [...needed.privileges],
      holders: [...needed.holders],
    }),
    ...(entry && { entry }),
  })),
})

function showGround(ground: Ground) {
  switch (ground.by) {
    case 'role': {
      const { by, business, roles, privileges, groups } = ground
      return { by, bk_biz_id: business, roles: [...roles], privileges: [...privileges], groups: [...groups] }
    }
    case 'group':
      return { by: ground.by, group_id: ground.group.id, group_name: ground.group.name }
    case 'rule':
      return { by: ground.by, rule: ground.rule }
  }
}

const inLanguage = ([en, zh]: Ground['why'], language: Language): string => (language === 'en' ? en : zh)

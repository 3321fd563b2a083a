import type { ServeConfig } from '../../common/config.ts'
import { misused } from '../../common/refusal.ts'
import { defaultAccount } from '../../identity/headers.ts'
import type { TokenRecord } from '../../identity/index.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { operator, withAccessAdmin } from './access-admin.ts'
import { tableOf } from './table.ts'

const expiryUnitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export async function tokenCommand(args: string[]): Promise<void> {
  const { config, words, value, has } = readServerArguments('token', args, 2)
  const [what, id] = words
  const print = (lines: string) => void process.stdout.write(`${lines}\n`)

  switch (what) {
    case 'create': {
      const user = value('user')
      if (!user) throw misused("The user is missing: 'mainline token create --user NAME'.")
      const asked = {
        user,
        account: value('account') ?? defaultAccount,
        name: value('name') ?? '',
        readOnly: has('read-only'),
        lifetimeMs: lifetimeOf(value('expires') ?? '90d'),
      }
      const { text, token } = await withAccessAdmin(config, (accessAdmin) => accessAdmin.create(operator(), asked))
      // The token alone is on stdout, for scripts.
      process.stderr.write(`Token ${token.id} for ${token.user_name}, shown only once:\n`)
      return print(text)
    }
    case 'list':
      refuseForCreate(has)
      return print(tokenTable(await withAccessAdmin(config, (accessAdmin) => accessAdmin.list()), config))
    case 'revoke': {
      refuseForCreate(has)
      if (!/^[1-9]\d{0,14}$/.test(id ?? ''))
        throw misused(
          "The token id is missing or invalid: 'mainline token revoke ID', as shown by 'mainline token list'.",
        )
      const token = await withAccessAdmin(config, (accessAdmin) => accessAdmin.revoke(operator(), Number(id)))
      return print(`Token ${token.id} of ${token.user_name} is revoked.`)
    }
    default:
      throw misused("Use 'mainline token create', 'list' or 'revoke'. See 'mainline token --help'.")
  }
}

function refuseForCreate(has: (flag: string) => boolean): void {
  const flag = ['user', 'account', 'name', 'read-only', 'expires'].find(has)
  if (flag) throw misused(`--${flag} is for 'mainline token create'.`)
}

function lifetimeOf(text: string): number | null {
  if (text === 'never') return null
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count === undefined)
    throw misused(`--expires is '${text}': it must be a duration such as 45s, 30m, 12h, 90d, or never.`)
  return Number(count) * (expiryUnitsMs[unit] ?? 0)
}

function tokenTable(tokens: readonly TokenRecord[], { timezone }: ServeConfig): string {
  const time = (at: number | null, none: string) => (at === null ? none : timezone.write(at).slice(0, 19))
  const state = ({ revoked, expires }: TokenRecord) => {
    if (revoked !== null) return `revoked ${time(revoked, '')}`
    return expires !== null && expires <= Date.now() ? 'expired' : 'good'
  }
  const rows = tokens.map((token) => [
    String(token.id),
    token.user_name,
    token.account,
    token.read_only === 1 ? 'read-only' : 'full',
    time(token.create_time, ''),
    time(token.expires, 'never'),
    time(token.last_used, 'never'),
    state(token),
    token.name,
  ])
  return tableOf(['ID', 'USER', 'ACCOUNT', 'ACCESS', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE', 'NAME'], rows)
}

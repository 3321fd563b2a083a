import { userInfo } from 'node:os'
import type { ServeConfig } from '../platform/config.ts'
import { defaultAccount } from '../platform/http/identity/headers.ts'
import type { TokenDesk, TokenRecord } from '../platform/http/identity/index.ts'
import { misused } from '../platform/refusal.ts'
import { readServerArguments } from './server-arguments.ts'
import { reachDesk } from './token-desk.ts'

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export async function tokenCommand(args: string[]): Promise<void> {
  const { config, words, value, has } = readServerArguments('token', args, 2)
  const [what, id] = words
  const print = (lines: string) => void process.stdout.write(`${lines}\n`)

  switch (what) {
    case 'create': {
      const user = value('user')
      if (!user) throw misused("For whom? 'mainline token create --user NAME'.")
      const asked = {
        user,
        account: value('account') ?? defaultAccount,
        name: value('name') ?? '',
        readOnly: has('read-only'),
        lifetime: lifetimeOf(value('expires') ?? '90d'),
      }
      const { text, token } = await atDesk(config, (desk) => desk.create(operator(), asked))
      // Alone on the output, so that a script can keep it; the rest is for people.
      process.stderr.write(`Token ${token.id} for ${token.user_name}, shown this once:\n`)
      return print(text)
    }
    case 'list':
      refuseForCreate(has)
      return print(tableOf(await atDesk(config, (desk) => desk.list()), config))
    case 'revoke': {
      refuseForCreate(has)
      if (!/^[1-9]\d{0,14}$/.test(id ?? '')) throw misused("Which one? 'mainline token revoke ID', as in the list.")
      const token = await atDesk(config, (desk) => desk.revoke(operator(), Number(id)))
      return print(`Token ${token.id} of ${token.user_name} is revoked.`)
    }
    default:
      throw misused("Say 'mainline token create', 'list' or 'revoke'. See 'mainline token --help'.")
  }
}

function refuseForCreate(has: (flag: string) => boolean): void {
  const flag = ['user', 'account', 'name', 'read-only', 'expires'].find(has)
  if (flag) throw misused(`--${flag} is for 'mainline token create'.`)
}

/** In the audit log: who sat at the machine. */
const operator = () => `${userInfo().username} (command line)`

/** Beside a server on embedded storage, that server does it; otherwise this process can. */
async function atDesk<T>(config: ServeConfig, work: (desk: TokenDesk) => Promise<T>): Promise<T> {
  const desk = config.databaseUrl ? undefined : await reachDesk(config.dataDir)
  if (desk) return work(desk)
  // Loaded only where it is needed: asking a server is quick.
  const [{ openDesk }, { pino }] = await Promise.all([import('../service.ts'), import('pino')])
  const { tokens, close } = await openDesk(config, pino({ level: 'warn' }))
  try {
    return await work(tokens)
  } finally {
    await close()
  }
}

function lifetimeOf(text: string): number | null {
  if (text === 'never') return null
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw misused(`--expires is '${text}': it must be such as 45s, 30m, 12h, 90d, or never.`)
  return Number(count) * (units[unit] ?? 0)
}

function tableOf(tokens: readonly TokenRecord[], { timezone }: ServeConfig): string {
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
  const lines = [['ID', 'USER', 'ACCOUNT', 'ACCESS', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE', 'NAME'], ...rows]
  const width = (column: number) => Math.max(...lines.map((line) => (line[column] as string).length))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

import { userInfo } from 'node:os'
import { readConfig, readOwnFlags, type ServeConfig } from '../platform/config.ts'
import { defaultAccount } from '../platform/http/identity/headers.ts'
import type { TokenDesk, TokenRecord } from '../platform/http/identity/index.ts'
import { Refusal } from '../platform/refusal.ts'
import { reachDesk } from './token-desk.ts'

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export async function tokenCommand(args: string[]): Promise<void> {
  const { values, words, rest } = readOwnFlags(args, {
    user: { type: 'string' },
    account: { type: 'string' },
    name: { type: 'string' },
    'read-only': { type: 'boolean' },
    expires: { type: 'string' },
  })
  const given = values as Record<string, string | undefined>
  const config = readConfig(rest, process.env)
  const [what, id] = words
  const print = (lines: string) => void process.stdout.write(`${lines}\n`)

  switch (what) {
    case 'create': {
      const asked = {
        user: given.user ?? '',
        account: given.account ?? defaultAccount,
        name: given.name ?? '',
        readOnly: values['read-only'] === true,
        lifetime: lifetimeOf(given.expires ?? '90d'),
      }
      const { text, token } = await atDesk(config, (desk) => desk.create(operator(), asked))
      // Alone on the output, so that a script can keep it; the rest is for people.
      process.stderr.write(`Token ${token.id} for ${token.user_name}, shown this once:\n`)
      return print(text)
    }
    case 'list':
      return print(tableOf(await atDesk(config, (desk) => desk.list()), config))
    case 'revoke': {
      if (!/^[1-9]\d{0,14}$/.test(id ?? '')) throw new Refusal("Which one? 'mainline token revoke ID', as in the list.")
      const token = await atDesk(config, (desk) => desk.revoke(operator(), Number(id)))
      return print(`Token ${token.id} of ${token.user_name} is revoked.`)
    }
    default:
      throw new Refusal("Say 'mainline token create', 'list' or 'revoke'. See 'mainline token --help'.")
  }
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
  if (count === undefined) throw new Refusal(`--expires is '${text}': it must be such as 45s, 30m, 12h, 90d, or never.`)
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

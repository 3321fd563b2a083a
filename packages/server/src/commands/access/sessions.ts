import { misused } from '../../common/refusal.ts'
import type { Zone } from '../../common/time.ts'
import type { SessionRecord, WhichSessions } from '../../identity/index.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { operator, withAccessAdmin } from './access-admin.ts'
import { tableOf } from './table.ts'

export async function sessionsCommand(args: string[]): Promise<void> {
  const { config, words, value } = readServerArguments('sessions', args, 2)
  const [what, id] = words
  const print = (lines: string) => void process.stdout.write(`${lines}\n`)

  switch (what) {
    case 'list':
      return print(
        sessionTable(await withAccessAdmin(config, (accessAdmin) => accessAdmin.listSessions()), config.timezone),
      )
    case 'end': {
      const which = whichOf(id, value('user'))
      const ended = await withAccessAdmin(config, (accessAdmin) => accessAdmin.endSessions(operator(), which))
      return print(ended.map((each) => `Session ${each.id} of ${each.user_name} has ended.`).join('\n'))
    }
    default:
      throw misused("Say 'mainline sessions list' or 'end'. See 'mainline sessions --help'.")
  }
}

function whichOf(id: string | undefined, user: string | undefined): WhichSessions {
  if (id !== undefined && user === undefined) return { id }
  if (id === undefined && user !== undefined) return { user }
  throw misused("Which ones? 'mainline sessions end ID', as in the list, or 'mainline sessions end --user NAME'.")
}

function sessionTable(sessions: readonly SessionRecord[], zone: Zone): string {
  const time = (at: number) => (at === 0 ? '' : zone.write(at).slice(0, 19))
  const rows = sessions.map((each) => [each.id, each.user_name, each.account, time(each.begun), time(each.expires)])
  return tableOf(['ID', 'USER', 'ACCOUNT', 'SIGNED IN', 'ENDS'], rows)
}

// Shell completion of commands, flags, resources, and the names of businesses and profiles.
import { businesses } from '@mainline/contract'
import type { Given } from '../arguments/flags.ts'
import { misused, wordsOf } from '../arguments/usage.ts'
import { connect } from '../connection/connection.ts'
import { readProfiles } from '../connection/profiles.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { completedCommands } from './spoken.ts'
import { zshScript } from './zsh.ts'

/** A completion that takes longer disturbs the user more than a missing one. */
const timeoutMs = 5_000

export async function completionCommand(given: Given): Promise<void> {
  const [shell, kind] = wordsOf(given, 'completion', 2)
  if (shell === 'bash') process.stdout.write(bashScript(await completedCommands()))
  else if (shell === 'zsh') process.stdout.write(zshScript(await completedCommands()))
  else if (shell === 'fish') process.stdout.write(fishScript(await completedCommands()))
  else if (shell === 'names') process.stdout.write((await namesOf(kind, given)).map((name) => `${name}\n`).join(''))
  else throw misused("Say 'mainline completion bash', 'zsh' or 'fish'.")
}

/** For the scripts. A completion cannot show an error, so there are no names then. */
async function namesOf(kind: string | undefined, given: Given): Promise<string[]> {
  try {
    if (kind === 'profiles') return Object.keys(readProfiles(process.env).profiles)
    const { client, account } = await connect(given, { retries: 0 })
    const { info } = await client.call(businesses.searchBusiness, {
      params: { bk_supplier_account: account },
      body: { fields: ['bk_biz_name'], page: { limit: 200, sort: 'bk_biz_name' } },
      signal: AbortSignal.timeout(timeoutMs),
    })
    // The output has one name per line, so names with line breaks are left out.
    return info.map(({ bk_biz_name = '' }) => bk_biz_name).filter((name) => !/\p{Cc}/u.test(name))
  } catch {
    return []
  }
}

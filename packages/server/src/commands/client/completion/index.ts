// What shells need to complete commands, flags, resources, and the names of businesses and profiles.
import { businesses } from '@mainline/contract'
import { connect } from '../connection.ts'
import type { Given } from '../flags.ts'
import { readProfiles } from '../profiles.ts'
import { misused, wordsOf } from '../usage.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { spoken } from './spoken.ts'
import { zshScript } from './zsh.ts'

/** Whoever presses Tab does not wait for longer, in milliseconds. */
const patience = 5_000

export async function completionCommand(given: Given): Promise<void> {
  const [shell, kind] = wordsOf(given, 'completion', 2)
  if (shell === 'bash') process.stdout.write(bashScript(await spoken()))
  else if (shell === 'zsh') process.stdout.write(zshScript(await spoken()))
  else if (shell === 'fish') process.stdout.write(fishScript(await spoken()))
  else if (shell === 'names') process.stdout.write((await namesOf(kind, given)).map((name) => `${name}\n`).join(''))
  else throw misused("Say 'mainline completion bash', 'zsh' or 'fish'.")
}

/** For the scripts. A shell that completes has no place for an error: then there are no names. */
async function namesOf(kind: string | undefined, given: Given): Promise<string[]> {
  try {
    if (kind === 'profiles') return Object.keys(readProfiles(process.env).profiles)
    const { client, account } = await connect(given, { retries: 0 })
    const { info } = await client.call(businesses.searchBusiness, {
      params: { bk_supplier_account: account },
      body: { fields: ['bk_biz_name'], page: { limit: 200, sort: 'bk_biz_name' } },
      signal: AbortSignal.timeout(patience),
    })
    // One name per line is all that a shell can be told.
    return info.map(({ bk_biz_name = '' }) => bk_biz_name).filter((name) => !/\p{Cc}/u.test(name))
  } catch {
    return []
  }
}

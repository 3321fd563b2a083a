import { findProfile, sendable, serverUrl } from './connection.ts'
import type { Given } from './flags.ts'
import { showRows } from './formats.ts'
import { type Profile, type Profiles, profilesFile, readProfiles, writeProfiles } from './profiles.ts'
import { readToken } from './secret.ts'
import { misused, wordsOf } from './usage.ts'

const actions = { add, list, use, remove }

export async function profileCommand(given: Given): Promise<void> {
  const [what = '', name] = wordsOf(given, 'profile', 2)
  if (!Object.hasOwn(actions, what)) {
    throw misused(`Say 'mainline profile add NAME', 'list', 'use NAME' or 'remove NAME'.`)
  }
  const kept = readProfiles(process.env)
  await actions[what as keyof typeof actions](kept, named(what, name), given)
}

function named(what: string, name: string | undefined): string {
  if (what === 'list') return ''
  if (name && /^[\w.-]{1,64}$/.test(name)) return name
  throw misused(
    name
      ? `'${name}' cannot name a profile: letters, digits, and . _ - can.`
      : `Which one? 'mainline profile ${what} NAME'.`,
  )
}

const say = (sentence: string) => void process.stdout.write(`${sentence}\n`)

async function add(kept: Profiles, name: string, given: Given): Promise<void> {
  const address = given.value('server')
  if (!address) throw misused(`Where is it? 'mainline profile add ${name} --server https://cmdb.example.org'.`)
  const server = serverUrl(address)
  const flag = given.value('token')
  const token = flag === undefined ? await readToken(server) : sendable('token', flag)
  const [user, account] = [given.value('user'), given.value('account')]
  const profile: Profile = { server, ...(token && { token }), ...(user && { user }), ...(account && { account }) }
  const isNew = !Object.hasOwn(kept.profiles, name)
  const current = kept.current ?? name
  writeProfiles(process.env, { current, profiles: { ...kept.profiles, [name]: profile } })
  say(
    `Profile '${name}' is ${isNew ? 'kept' : 'changed'} in ${profilesFile(process.env)}${token ? '' : ', without a token'}.`,
  )
  if (current !== name) say(`'${current}' stays the one in use; 'mainline profile use ${name}' changes that.`)
}

/** Everything but the tokens. */
async function list({ current, profiles }: Profiles): Promise<void> {
  const rows = Object.entries(profiles).map(([name, { server, user = '', account = '', token }]) => ({
    IN_USE: name === current ? '*' : '',
    NAME: name,
    SERVER: server,
    USER: user,
    ACCOUNT: account,
    TOKEN: token ? 'yes' : 'no',
  }))
  const all = (async function* () {
    yield* rows
  })()
  await showRows('table', all, {
    columns: ['IN_USE', 'NAME', 'SERVER', 'USER', 'ACCOUNT', 'TOKEN'],
    chosen: false,
    what: "profiles; 'mainline profile add' makes one",
  })
}

async function use(kept: Profiles, name: string): Promise<void> {
  const { server } = findProfile(kept, name)
  writeProfiles(process.env, { ...kept, current: name })
  say(`From now on ${server} is asked.`)
}

async function remove(kept: Profiles, name: string): Promise<void> {
  findProfile(kept, name)
  const { [name]: _gone, ...profiles } = kept.profiles
  const current = kept.current === name ? undefined : kept.current
  writeProfiles(process.env, { ...(current !== undefined && { current }), profiles })
  say(`Profile '${name}' is gone.${kept.current === name ? ' None is in use now.' : ''}`)
}

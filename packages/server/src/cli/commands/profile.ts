import { isKeyOf } from '../../common/keys.ts'
import type { Given } from '../arguments/flags.ts'
import { misused, wordsOf } from '../arguments/usage.ts'
import { findProfile, sendable, serverUrl } from '../connection/connection.ts'
import { type Profile, type Profiles, profilesFile, readProfiles, writeProfiles } from '../connection/profiles.ts'
import { readToken } from '../connection/secret.ts'
import { showRows } from '../output/formats.ts'

const actions = { add, list, use, remove }

export async function profileCommand(given: Given): Promise<void> {
  const [what = '', name] = wordsOf(given, 'profile', 2)
  if (!isKeyOf(actions, what)) {
    throw misused(`Use 'mainline profile add NAME', 'list', 'use NAME' or 'remove NAME'.`)
  }
  const kept = readProfiles(process.env)
  await actions[what](kept, requireName(what, name), given)
}

function requireName(what: string, name: string | undefined): string {
  if (what === 'list') return ''
  if (name && /^[\w.-]{1,64}$/.test(name)) return name
  throw misused(
    name
      ? `'${name}' is not a valid profile name: use letters, digits and . _ - only.`
      : `Which one? 'mainline profile ${what} NAME'.`,
  )
}

const say = (sentence: string) => void process.stdout.write(`${sentence}\n`)

async function add(kept: Profiles, name: string, given: Given): Promise<void> {
  const address = given.value('server')
  if (!address)
    throw misused(`The server is missing: 'mainline profile add ${name} --server https://cmdb.example.org'.`)
  const server = serverUrl(address)
  const flag = given.value('token')
  const token = flag === undefined ? await readToken(server) : sendable('token', flag)
  const [user, account] = [given.value('user'), given.value('account')]
  const profile: Profile = { server, ...(token && { token }), ...(user && { user }), ...(account && { account }) }
  const isNew = !Object.hasOwn(kept.profiles, name)
  const current = kept.current ?? name
  writeProfiles(process.env, { current, profiles: { ...kept.profiles, [name]: profile } })
  say(
    `Profile '${name}' ${isNew ? 'created' : 'updated'} in ${profilesFile(process.env)}${token ? '' : ', without a token'}.`,
  )
  if (current !== name)
    say(`'${current}' is still the current profile; 'mainline profile use ${name}' switches to this one.`)
}

/** Lists profiles without their tokens. */
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
    what: "profiles; 'mainline profile add' creates one",
  })
}

async function use(kept: Profiles, name: string): Promise<void> {
  const { server } = findProfile(kept, name)
  writeProfiles(process.env, { ...kept, current: name })
  say(`Commands now use ${server}.`)
}

async function remove(kept: Profiles, name: string): Promise<void> {
  findProfile(kept, name)
  const { [name]: _gone, ...profiles } = kept.profiles
  const current = kept.current === name ? undefined : kept.current
  writeProfiles(process.env, { ...(current !== undefined && { current }), profiles })
  say(`Profile '${name}' removed.${kept.current === name ? ' There is no current profile now.' : ''}`)
}

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { errorCodeOf, messageOf } from '../../common/error-code.ts'
import { fileFault } from '../../common/file-fault.ts'
import { Refusal } from '../../common/refusal.ts'

/** A server and the credentials for it. */
export interface Profile {
  readonly server: string
  readonly token?: string
  readonly user?: string
  readonly account?: string
}

export interface Profiles {
  readonly current?: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
}

type ProfileEnv = Readonly<Record<string, string | undefined>>

export function profilesFile(env: ProfileEnv): string {
  // The XDG specification demands that relative paths are ignored.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME || homedir(), '.config')
  return join(config, 'mainline', 'profiles.json')
}

/** The file contains tokens, so it is refused if other users can read it, as ssh does with keys. */
export function readProfiles(env: ProfileEnv): Profiles {
  const file = profilesFile(env)
  const text = profileText(file)
  if (text === undefined) return { profiles: {} }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Refusal(`${file} contains tokens and is readable by other users. Run: chmod 600 '${file}'`, 2)
  }
  try {
    return checked(JSON.parse(text))
  } catch {
    throw new Refusal(`${file} is not a valid profile file. Correct or remove it.`, 2)
  }
}

function profileText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Refusal(`${file} cannot be read: ${fileFault(error) ?? messageOf(error)}.`, 2)
  }
}

function checked(read: Profiles): Profiles {
  for (const { server } of Object.values(read.profiles)) if (!URL.canParse(server)) throw new TypeError(server)
  return read
}

/** Replaces the file atomically; it is never readable by other users. */
export function writeProfiles(env: ProfileEnv, profiles: Profiles): void {
  const file = profilesFile(env)
  const fresh = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(fresh, 0o600)
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw new Refusal(`${file} cannot be written: ${messageOf(error)}.`, 2)
  }
}

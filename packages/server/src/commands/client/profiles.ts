import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Refusal } from '../../platform/refusal.ts'

/** A server and who one is there. */
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

type Env = Readonly<Record<string, string | undefined>>

export function profilesFile(env: Env): string {
  // The specification has relative paths passed over.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME || homedir(), '.config')
  return join(config, 'mainline', 'profiles.json')
}

/** There are tokens in it: like a key of ssh, it is not used while others could read it. */
export function readProfiles(env: Env): Profiles {
  const file = profilesFile(env)
  const text = textOf(file)
  if (text === undefined) return { profiles: {} }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new Refusal(`${file} holds tokens and others may read it. Run: chmod 600 '${file}'`, 2)
  }
  try {
    return checked(JSON.parse(text))
  } catch {
    throw new Refusal(`${file} is not what 'mainline profile' wrote. Mend or remove it.`, 2)
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}.`, 2)
  }
}

function checked(read: Profiles): Profiles {
  for (const { server } of Object.values(read.profiles)) if (!URL.canParse(server)) throw new TypeError(server)
  return read
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export function writeProfiles(env: Env, profiles: Profiles): void {
  const file = profilesFile(env)
  const fresh = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(fresh, 0o600)
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw new Refusal(`${file} cannot be written: ${(error as Error).message}.`, 2)
  }
}

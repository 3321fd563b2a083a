import { parseArgs } from 'node:util'
import { messageOf } from './error-code.ts'
import { present } from './present.ts'
import { misused, Refusal } from './refusal.ts'
import { flag, type Setting } from './settings/formats.ts'
import { type ServeConfig, type SettingName, settings } from './settings/settings.ts'

export type { ServeConfig, SettingName }

const isSettingName = (name: string): name is SettingName => name in settings

export const allSettings = Object.keys(settings).filter(isSettingName)

/** Flags win over the environment, the environment over the defaults. */
export function readConfig(args: string[], env: NodeJS.ProcessEnv): ServeConfig {
  const options = Object.fromEntries(settingFlags().map(({ flag }) => [flag, { type: 'string' as const }]))
  try {
    return configOf(parseArgs({ args: withLoneSwitches(args), options }).values, env)
  } catch (error) {
    throw error instanceof Refusal ? error : misused(messageOf(error))
  }
}

/** From parsed flags. Settings that a command does not accept have their defaults, regardless of the environment. */
export function configOf(
  flags: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
  taken: readonly SettingName[] = allSettings,
): ServeConfig {
  const entries = Object.entries(settings).map(([name, one]) => {
    if (!taken.some((each) => each === name)) return [name, one.read(one.fallback)]
    const given = flags[one.flag]
    const value = String(given ?? env[one.env] ?? one.fallback)
    try {
      return [name, one.read(value.trim())]
    } catch (error) {
      const where = given !== undefined ? `--${one.flag}` : one.env
      const shown = 'secret' in one ? '' : ` is '${value}': it`
      throw misused(`${where}${shown} ${messageOf(error)}.`)
    }
  })
  return Object.fromEntries(entries) as ServeConfig
}

/** Boolean flags may be given without a value: --demo is --demo=true. */
export const withLoneSwitches = (args: readonly string[]): string[] =>
  args.map((arg) =>
    Object.values(settings).some((one) => isSwitch(one) && arg === `--${one.flag}`) ? `${arg}=true` : arg,
  )

const isSwitch = (one: Setting<unknown>) => one.read === flag

/** The flags of settings, and whether each is boolean. */
export const settingFlags = (names: readonly SettingName[] = allSettings) =>
  names.map((name) => settings[name]).map((one) => ({ flag: one.flag, help: one.help, isSwitch: isSwitch(one) }))

/** All environment variables. */
export const settingNames = () => Object.values(settings).map((one) => one.env)

/** Settings as shown in help. */
export const listSettings = (names: readonly SettingName[] = allSettings) =>
  names.map((name) => settings[name]).map(({ flag, env, fallback, help }) => ({ flag, env, fallback, help }))

export function describeConfig(names?: readonly SettingName[]): string {
  const rows = listSettings(names).map(({ flag, env, fallback, help }) => [
    `--${flag}`,
    env,
    fallback === '' ? '(none)' : fallback,
    help,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => present(row[column]).length)))
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`).join('\n')
}

import { accessSettings } from './access.ts'
import { deliverySettings } from './delivery.ts'
import { limitSettings } from './limits.ts'
import { logSettings } from './log.ts'
import { startupSettings } from './startup.ts'

/** Every setting, in the order of the help: its flag, its environment variable, its default and its allowed values. */
export const settings = { ...startupSettings, ...accessSettings, ...limitSettings, ...logSettings, ...deliverySettings }

type Settings = typeof settings
export type SettingName = keyof Settings
export type ServeConfig = { readonly [Name in SettingName]: ReturnType<Settings[Name]['read']> }

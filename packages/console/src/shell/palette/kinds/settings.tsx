import { useState } from 'react'
import { chooseDisplay } from '../../../api/settings.ts'
import { Icon, type IconName } from '../../../kit/Icon.tsx'
import { refuse } from '../../../kit/Toasts.tsx'
import { type Display, timeZones, usePreferences } from '../../../preferences.ts'
import { useWords } from '../../../words/index.ts'
import { otherWords, paletteWords, type SettingId } from '../../../words/palette.ts'
import { shell } from '../../../words/shell.ts'
import { openDialog } from '../../dialogs/opened.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const most = 6
/** There are four hundred time zones. */
const fewestLettersOfZone = 3

const choices: Readonly<Record<Exclude<SettingId, 'preferences'>, Partial<Display>>> = {
  light: { theme: 'light' },
  dark: { theme: 'dark' },
  system: { theme: 'system' },
  english: { language: 'en' },
  chinese: { language: 'zh-cn' },
  normal: { density: 'normal' },
  compact: { density: 'compact' },
}

/** Preferences are chosen without a dialog, where there is nothing to fill in. */
export function useSettingTargets({ sought }: Asking): FoundKind {
  const words = useWords(paletteWords)
  const { notKept } = useWords(shell)
  const now = usePreferences()
  const [zones] = useState(() => timeZones().filter(Boolean))
  const choose = (change: Partial<Display>) => void chooseDisplay(change).catch(() => refuse(notKept))
  const isChosen = (change: Partial<Display>) =>
    Object.entries(change).every(([key, value]) => now[key as keyof Display] === value)
  const setting = (id: SettingId, icon: IconName, go: () => void): Target => ({
    id,
    name: words.settings[id].name,
    aliases: otherWords('settings', id),
    sign: <Icon name={icon} />,
    go,
  })
  const settings = Object.entries(choices).map(([id, change]) => ({
    ...setting(id as SettingId, 'pencil', () => choose(change)),
    ...(isChosen(change) && { aside: words.chosen }),
  }))
  const ofZones = sought.text.length < fewestLettersOfZone ? [] : zones.map((zone) => asZone(zone))
  function asZone(timeZone: string): Target {
    const name = timeZone.replaceAll('_', ' ')
    return {
      id: `zone ${timeZone}`,
      name: words.zone(timeZone),
      names: [timeZone],
      aliases: [name],
      sign: <Icon name="audit" />,
      ...(isChosen({ timeZone }) && { aside: words.chosen }),
      go: () => choose({ timeZone }),
    }
  }
  const targets = [setting('preferences', 'pencil', () => openDialog('preferences')), ...settings, ...ofZones]
  return { id: 'settings', name: words.groups.settings, found: sought.text ? bestTargets(targets, sought, most) : [] }
}

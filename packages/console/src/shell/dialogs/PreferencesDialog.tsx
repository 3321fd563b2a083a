import { useState } from 'react'
import { chooseDisplay } from '../../api/settings.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { type Display, densities, pageSizes, timeZones, usePreferences } from '../../preferences.ts'
import { common } from '../../words/common.ts'
import { number, useWords } from '../../words/index.ts'
import { shell } from '../../words/shell.ts'

/** Preferences that are kept for the user on the server, besides language and appearance, which the menu has. */
export function PreferencesDialog({ onClose }: { onClose(): void }) {
  const words = useWords(shell)
  const { save, saved } = useWords(common)
  const { density, timeZone, pageSize } = usePreferences()
  const [typed, setTyped] = useState<Pick<Display, 'density' | 'timeZone' | 'pageSize'>>({
    density,
    timeZone,
    pageSize,
  })
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const zones = timeZones()
  const problem = zones.includes(typed.timeZone) ? undefined : words.unknownZone
  const keep = async () => {
    setBusy(true)
    try {
      await chooseDisplay(typed)
      tell(saved)
      onClose()
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={words.preferencesTitle}
      action={save}
      busy={busy}
      because={problem}
      error={error}
      onAction={keep}
      onClose={onClose}
    >
      <p className="quiet">{words.preferencesWhy}</p>
      <TextField
        label={words.timeZone}
        value={typed.timeZone}
        onChange={(zone) => setTyped({ ...typed, timeZone: zone.trim() })}
        placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
        help={words.timeZoneWhy}
        problem={problem}
        list="preferred-time-zones"
      />
      <datalist id="preferred-time-zones">
        {zones.filter(Boolean).map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Select
        label={words.density}
        value={typed.density}
        onChange={(chosen) => setTyped({ ...typed, density: densities.find((each) => each === chosen) ?? density })}
        choices={densities.map((id) => ({ id, name: words.densities[id] }))}
        required
      />
      <Select
        label={words.pageSize}
        value={String(typed.pageSize)}
        onChange={(chosen) =>
          setTyped({ ...typed, pageSize: pageSizes.find((each) => String(each) === chosen) ?? pageSize })
        }
        choices={pageSizes.map((size) => ({ id: String(size), name: number(size) }))}
        required
      />
    </Dialog>
  )
}

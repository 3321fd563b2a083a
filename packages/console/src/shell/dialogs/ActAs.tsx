import { useState } from 'react'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { prefer, usePreferences } from '../../preferences.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { shell } from '../../words/shell.ts'

/** In open identity mode the console can be used as any user. */
export function ActAs({ onClose }: { onClose(): void }) {
  const words = useWords(shell)
  const { check, save } = useWords(common)
  const { user } = usePreferences()
  const session = useSession().data
  const [name, setName] = useState(session?.user ?? user)
  const become = () => {
    onClose()
    prefer({ user: name.trim() })
  }
  return (
    <Dialog
      title={words.actAsTitle}
      action={save}
      because={name.trim() ? undefined : check.required}
      onAction={become}
      onClose={onClose}
    >
      <p className="quiet">{words.actAsWhy}</p>
      <TextField label={words.userName} value={name} onChange={setName} required autoFocus />
    </Dialog>
  )
}

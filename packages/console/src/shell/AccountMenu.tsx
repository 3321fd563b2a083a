import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { useSession } from '../api/session.ts'
import { Icon } from '../kit/Icon.tsx'
import { usePreferences } from '../preferences.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

export const loadAccountMenu = () => import('./AccountOptions.tsx')
const AccountOptions = lazy(() => loadAccountMenu().then((file) => ({ default: file.AccountOptions })))

export function AccountMenu() {
  const words = useWords(shell)
  const { user } = usePreferences()
  const name = useSession().data?.user ?? user
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        ref={trigger}
        className="switcher account"
        aria-label={`${words.account}: ${name}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={() => setOpen(true)}
      >
        <Icon name="user" />
        <span className="truncate">{name}</span>
        <Icon name="updown" size={14} />
      </Button>
      {isOpen && (
        <Suspense>
          <AccountOptions trigger={trigger} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

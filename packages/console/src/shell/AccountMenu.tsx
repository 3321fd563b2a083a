import type { Language } from '@mainline/contract'
import { lazy, Suspense, useState } from 'react'
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components'
import { canSignOut, signOut, useSession } from '../api/session.ts'
import { chooseDisplay } from '../api/settings.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { TextField } from '../kit/Field.tsx'
import { Icon } from '../kit/Icon.tsx'
import { refuse } from '../kit/Toasts.tsx'
import { type Display, languages, prefer, themes, usePreferences } from '../preferences.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

/** Each language is named in itself. */
const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'zh-cn': '简体中文' }

const PreferencesDialog = lazy(() =>
  import('./PreferencesDialog.tsx').then((dialog) => ({ default: dialog.PreferencesDialog })),
)

export function AccountMenu() {
  const words = useWords(shell)
  const { language, theme, user } = usePreferences()
  const [asked, setAsked] = useState<'act' | 'preferences' | null>(null)
  const session = useSession().data
  const name = session?.user ?? user
  const close = () => setAsked(null)
  const choose = (change: Partial<Display>) => chooseDisplay(change).catch(() => refuse(words.notKept))
  return (
    <>
      <MenuTrigger>
        <Button className="switcher account" aria-label={`${words.account}: ${name}`}>
          <Icon name="user" />
          <span className="truncate">{name}</span>
          <Icon name="updown" size={14} />
        </Button>
        <Popover className="popover" placement="top start" offset={4}>
          <Menu
            className="options"
            aria-label={words.account}
            onAction={(key) => {
              if (key === 'act' || key === 'preferences') setAsked(key)
              if (key === 'out') void signOut(session)
            }}
          >
            {session?.auth === 'open' && (
              <MenuItem id="act" className="option">
                {words.actAs}
              </MenuItem>
            )}
            {canSignOut(session) && (
              <MenuItem id="out" className="option">
                {words.signOut}
              </MenuItem>
            )}
            <MenuItem id="preferences" className="option">
              {words.preferences}
            </MenuItem>
            <MenuItem id="docs" className="option" href="/docs" target="_blank">
              {words.docs}
              <Icon name="external" size={14} />
            </MenuItem>
            <Separator className="separator" />
            <MenuSection
              selectionMode="single"
              selectedKeys={[language]}
              onSelectionChange={(keys) => choose({ language: [...keys][0] as Language })}
            >
              <Header className="options-header">{words.language}</Header>
              {languages.map((each) => (
                <MenuItem key={each} id={each} className="option">
                  {languageNames[each]}
                </MenuItem>
              ))}
            </MenuSection>
            <Separator className="separator" />
            <MenuSection
              selectionMode="single"
              selectedKeys={[theme]}
              onSelectionChange={(keys) => choose({ theme: [...keys][0] as Display['theme'] })}
            >
              <Header className="options-header">{words.theme}</Header>
              {themes.map((each) => (
                <MenuItem key={each} id={each} className="option">
                  {words.themes[each]}
                </MenuItem>
              ))}
            </MenuSection>
          </Menu>
        </Popover>
      </MenuTrigger>
      {asked === 'act' && <Acting now={name} onClose={close} />}
      {asked === 'preferences' && (
        <Suspense>
          <PreferencesDialog onClose={close} />
        </Suspense>
      )}
    </>
  )
}

function Acting({ now, onClose }: { now: string; onClose(): void }) {
  const words = useWords(shell)
  const { check, save } = useWords(common)
  const [name, setName] = useState(now)
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

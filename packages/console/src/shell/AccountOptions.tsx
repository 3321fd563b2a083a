import type { Language } from '@mainline/contract'
import type { RefObject } from 'react'
import { Header, Menu, MenuItem, MenuSection, Popover, Separator } from 'react-aria-components'
import { canSignOut, signOut, useSession } from '../api/session.ts'
import { chooseDisplay } from '../api/settings.ts'
import { Icon } from '../kit/Icon.tsx'
import { refuse } from '../kit/Toasts.tsx'
import { type Display, languages, themes, usePreferences } from '../preferences.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { openDialog } from './dialogs/opened.ts'

/** Each language is named in itself. */
const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'zh-cn': '简体中文' }

interface AccountOptionsProps {
  trigger: RefObject<HTMLButtonElement | null>
  onClose(): void
}

export function AccountOptions({ trigger, onClose }: AccountOptionsProps) {
  const words = useWords(shell)
  const { language, theme } = usePreferences()
  const session = useSession().data
  const choose = (change: Partial<Display>) => void chooseDisplay(change).catch(() => refuse(words.notKept))
  return (
    <Popover
      className="popover"
      placement="top start"
      offset={4}
      triggerRef={trigger}
      aria-label={words.account}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Menu
        className="options"
        aria-label={words.account}
        autoFocus="first"
        onClose={onClose}
        onAction={(key) => {
          if (key === 'act' || key === 'preferences') openDialog(key)
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
  )
}

import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button as Pressable } from 'react-aria-components'
import { useLiveUpdates } from '../api/live.ts'
import { useSession } from '../api/session.ts'
import { useStoredDisplay } from '../api/settings.ts'
import { Icon, type IconName } from '../kit/Icon.tsx'
import { Toasts } from '../kit/Toasts.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { BusinessSwitcher } from './BusinessSwitcher.tsx'
import { useBusiness } from './business.ts'
import { DialogGate } from './dialogs/DialogGate.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { OfflineBanner } from './OfflineBanner.tsx'
import { PastBar, PastLink } from './Past.tsx'
import { PaletteGate } from './palette/PaletteGate.tsx'
import { usePreload } from './preload.ts'
import { SessionGate } from './SessionGate.tsx'
import { TourGate } from './tour/TourGate.tsx'
import { UndoGate } from './UndoGate.tsx'

export function Shell() {
  const words = useWords(shell)
  const business = useBusiness()
  const [palette, setPalette] = useState(false)
  const [menu, setMenu] = useMenu()
  const openPalette = () => {
    setMenu(false)
    setPalette(true)
  }
  useShortcut('k', openPalette)
  usePreload()
  const user = useSession().data?.user
  useLiveUpdates(user)
  useStoredDisplay(user)
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <OfflineBanner />
      <header className="top-bar">
        <Brand />
        <Pressable
          className="button quiet"
          aria-label={words.navigation}
          aria-expanded={menu}
          aria-controls="navigation"
          onPress={() => setMenu(!menu)}
        >
          <Icon name={menu ? 'close' : 'menu'} size={20} />
        </Pressable>
      </header>
      <nav className="side" id="navigation" aria-label={words.navigation} data-open={menu || undefined}>
        <Brand />
        <Pressable className="go" onPress={openPalette}>
          <Icon name="search" />
          <span>{words.palette}</span>
          <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
        </Pressable>
        <h2>{words.business}</h2>
        <BusinessSwitcher current={business} />
        <ul>
          {business !== null && (
            <li>
              <Link to="/topology/$business" params={{ business: String(business) }} className="place">
                <Icon name="topology" />
                {words.pages.topology}
              </Link>
            </li>
          )}
          {business !== null && (
            <li>
              <Link to="/queries/$business" params={{ business: String(business) }} className="place">
                <Icon name="queries" />
                {words.pages.queries}
              </Link>
            </li>
          )}
        </ul>
        <PastLink />
        <h2>{words.estate}</h2>
        <ul>
          <Place to="/" icon="overview" name={words.pages.overview} />
          <Place to="/hosts" icon="hosts" name={words.pages.hosts} />
          <li>
            <Link to="/instances/$object" params={{ object: 'plat' }} className="place">
              <Icon name="instances" />
              {words.pages.instances}
            </Link>
          </li>
          <Place to="/events" icon="events" name={words.pages.events} />
          <Place to="/audit" icon="audit" name={words.pages.audit} />
          <Place to="/privileges" icon="privileges" name={words.pages.privileges} />
          <Place to="/model" icon="model" name={words.pages.model} />
        </ul>
        <AccountMenu />
      </nav>
      <SessionGate>
        <div className="shown">
          <PastBar />
          <Outlet />
        </div>
      </SessionGate>
      {palette && <PaletteGate business={business} onClose={() => setPalette(false)} />}
      <DialogGate />
      <LeaveGuard />
      <UndoGate />
      <TourGate />
      <Toasts />
    </div>
  )
}

const Brand = () => (
  <Link to="/" className="brand" aria-label="Mainline">
    <img src="/icon.svg" alt="" width="22" height="22" />
    Mainline
  </Link>
)

/** On narrow screens the navigation opens over the page. It closes when the user has chosen a page, or presses Escape. */
function useMenu(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(false)
  const router = useRouter()
  useEffect(() => router.subscribe('onBeforeNavigate', () => setOpen(false)), [router])
  useEffect(() => {
    if (!isOpen) return
    const listen = ({ key }: KeyboardEvent) => key === 'Escape' && setOpen(false)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [isOpen])
  return [isOpen, setOpen]
}

const Place = ({
  to,
  icon,
  name,
}: {
  to: '/' | '/hosts' | '/events' | '/audit' | '/privileges' | '/model'
  icon: IconName
  name: string
}) => (
  <li>
    <Link to={to} className="place" activeOptions={{ exact: to === '/', includeSearch: false }}>
      <Icon name={icon} />
      {name}
    </Link>
  </li>
)

const isMac = /Mac|iPhone/.test(navigator.platform)

function useShortcut(letter: string, run: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== letter || !(isMac ? event.metaKey : event.ctrlKey)) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}

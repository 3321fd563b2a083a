import { useNavigate } from '@tanstack/react-router'
import { Icon } from '../../../kit/Icon.tsx'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { shell } from '../../../words/shell.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const pages = [
  { to: '/', icon: 'overview' },
  { to: '/hosts', icon: 'hosts' },
  { to: '/events', icon: 'events' },
  { to: '/audit', icon: 'audit' },
  { to: '/privileges', icon: 'privileges' },
  { to: '/model', icon: 'model' },
] as const
const ofBusiness = [
  { to: '/topology/$business', icon: 'topology' },
  { to: '/queries/$business', icon: 'queries' },
] as const

/** The pages of the navigation. */
export function usePageTargets({ business, sought }: Asking): FoundKind {
  const words = useWords(shell)
  const { groups } = useWords(paletteWords)
  const navigate = useNavigate()
  /** Both languages find a page. */
  const asPage = (icon: (typeof pages | typeof ofBusiness)[number]['icon'], go: () => void): Target => ({
    id: icon,
    name: words.pages[icon],
    aliases: [shell.en.pages[icon], shell['zh-cn'].pages[icon]],
    sign: <Icon name={icon} />,
    go,
  })
  const params = { business: String(business) }
  const targets = [
    ...pages.map(({ to, icon }) => asPage(icon, () => navigate({ to }))),
    ...(business === null ? [] : ofBusiness.map(({ to, icon }) => asPage(icon, () => navigate({ to, params })))),
  ]
  return { id: 'pages', name: groups.pages, found: bestTargets(targets, sought, targets.length) }
}

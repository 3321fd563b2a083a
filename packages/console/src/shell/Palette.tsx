import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { findBusinesses } from '../api/businesses.ts'
import { findNodes } from '../api/nodes.ts'
import { Icon } from '../kit/Icon.tsx'
import { type Pickable, Picker, type PickerGroup } from '../kit/Picker.tsx'
import { Station } from '../kit/Station.tsx'
import { useSettled } from '../kit/settled.ts'
import { allSubscriptions } from '../pages/events/questions.ts'
import { findHosts } from '../pages/hosts/questions.ts'
import { queriesNamed } from '../pages/queries/questions.ts'
import { treeOf } from '../pages/topology/questions.ts'
import { type Forest, keyOf, type Place, pathTo } from '../pages/topology/tree.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

interface Target extends Pickable {
  go(): void
}

const most = 12
const mostHosts = 6

/** Ctrl+K: a command palette. */
export function Palette({ business, onClose }: { business: number | null; onClose(): void }) {
  const words = useWords(shell)
  const { nothingFound, searching } = useWords(common)
  const [sought, setSought] = useState('')
  const { groups, isSearching } = useTargets(business, sought)
  return (
    <ModalOverlay className="overlay high" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label={words.palette}>
          <Picker
            label={words.palette}
            placeholder={words.paletteHint}
            sought={sought}
            onSought={setSought}
            groups={groups}
            empty={isSearching ? searching : nothingFound}
            onPick={(target) => {
              onClose()
              target.go()
            }}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface Targets {
  readonly groups: PickerGroup<Target>[]
  readonly isSearching: boolean
}

function useTargets(business: number | null, sought: string): Targets {
  const words = useWords(shell)
  const navigate = useNavigate()
  const asked = useSettled(sought.trim())
  const named = useQuery({ ...findBusinesses(asked), placeholderData: (before) => before })
  const found = named.data?.businesses ?? []
  const tree = useQuery({ ...treeOf(business ?? 0), enabled: business !== null }).data
  const nodes = useMemo(() => (tree && sought.trim() ? nodesNamed(tree, sought) : []), [tree, sought])
  const machinesFound = useQuery({
    ...findHosts({ conditions: [], words: asked, fields: ['bk_host_name'] }, 0, mostHosts),
    enabled: asked.length > 1,
  })
  const elsewhere = useQuery({
    // Queries of this business are among the results, and are shown already.
    ...findNodes({ name: asked }, 3 * most),
    enabled: asked !== '',
    placeholderData: (before) => before,
  })
  const saved = useQuery({
    ...queriesNamed(asked, most),
    enabled: asked !== '',
    placeholderData: (before) => before,
  })
  // A missing privilege is not reported here.
  const subscribed = useQuery({ ...allSubscriptions(), refetchInterval: false }).data ?? []
  const holds = ({ name }: { name: string }) => name.toLowerCase().includes(sought.trim().toLowerCase())

  const pages = pagesToGoTo
    .map(({ to, icon }) => ({
      id: to,
      name: words.pages[icon],
      sign: <Icon name={icon} />,
      go: () => navigate({ to }),
    }))
    .filter(holds)
  const businesses = found
    .map((each) => ({
      id: `biz ${each.bk_biz_id}`,
      name: each.bk_biz_name,
      aside: each.bk_biz_maintainer,
      sign: <Station object="biz" />,
      go: () => navigate({ to: '/topology/$business', params: { business: String(each.bk_biz_id) } }),
    }))
    .filter(holds)
  const places = nodes.map((place) => ({
    id: place.key,
    name: place.name,
    aside: pathTo(place)
      .slice(1, -1)
      .map((each) => each.name)
      .join(' / '),
    sign: <Station object={place.object} />,
    go: () =>
      navigate({ to: '/topology/$business', params: { business: String(business) }, search: { node: place.key } }),
  }))
  const others = (elsewhere.data?.nodes ?? [])
    .filter((node) => node.bk_biz_id !== business)
    .map((node) => ({
      id: `node ${node.bk_obj_id} ${node.bk_inst_id}`,
      name: node.bk_inst_name,
      aside: [...new Set([node.bk_biz_name, node.bk_parent_name])].join(' / '),
      sign: <Station object={node.bk_obj_id} />,
      go: () =>
        navigate({
          to: '/topology/$business',
          params: { business: String(node.bk_biz_id) },
          search: { node: keyOf(node.bk_obj_id, node.bk_inst_id) },
        }),
    }))
    .filter(holds)
  const queries = (saved.data ?? [])
    .map((query) => ({
      id: `query ${query.id}`,
      name: query.name,
      aside: query.bk_biz_name,
      sign: <Icon name="queries" />,
      go: () =>
        navigate({
          to: '/queries/$business',
          params: { business: String(query.bk_biz_id) },
          search: { query: query.id },
        }),
    }))
    .filter(holds)
  const subscriptions = subscribed
    .map((each) => ({
      id: `subscription ${each.subscription_id}`,
      name: each.subscription_name,
      aside: each.callback_url,
      sign: <Icon name="events" />,
      go: () => navigate({ to: '/events/$subscription', params: { subscription: String(each.subscription_id) } }),
    }))
    .filter(holds)
  const machines = (machinesFound.data?.rows ?? []).map((row) => ({
    id: `host ${row.host.bk_host_id}`,
    name: row.host.bk_host_innerip,
    aside: String(row.host.bk_host_name ?? ''),
    sign: <Station object="host" />,
    go: () => navigate({ to: '/hosts/$host', params: { host: String(row.host.bk_host_id) } }),
  }))
  const groups = [
    { id: 'nodes', name: words.groups.nodes(tree?.root.name ?? ''), items: places },
    { id: 'businesses', name: words.groups.businesses, items: businesses.slice(0, most) },
    { id: 'queries', name: words.groups.queries, items: sought.trim() ? queries : [] },
    { id: 'subscriptions', name: words.groups.subscriptions, items: sought.trim() ? subscriptions.slice(0, most) : [] },
    { id: 'elsewhere', name: words.groups.elsewhere, items: sought.trim() ? others.slice(0, most) : [] },
    { id: 'hosts', name: words.groups.hosts, items: sought.trim().length > 1 ? machines : [] },
    { id: 'pages', name: words.groups.pages, items: pages },
  ].filter((group) => group.items.length > 0)
  const isSearching =
    asked !== sought.trim() || [named, machinesFound, elsewhere, saved].some(({ isFetching }) => isFetching)
  return { groups, isSearching }
}

const pagesToGoTo = [
  { to: '/', icon: 'overview' },
  { to: '/hosts', icon: 'hosts' },
  { to: '/events', icon: 'events' },
  { to: '/audit', icon: 'audit' },
  { to: '/privileges', icon: 'privileges' },
  { to: '/model', icon: 'model' },
] as const

/** Prefix matches come before other matches. */
function nodesNamed(tree: Forest, sought: string): Place[] {
  const words = sought.trim().toLowerCase()
  const begin: Place[] = []
  const hold: Place[] = []
  for (const place of tree.byKey.values()) {
    const at = place.parent ? place.name.toLowerCase().indexOf(words) : -1
    if (at === 0) begin.push(place)
    else if (at > 0) hold.push(place)
    if (begin.length === most) break
  }
  return [...begin, ...hold].slice(0, most)
}

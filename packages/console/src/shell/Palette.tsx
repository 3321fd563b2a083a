import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  Autocomplete,
  Collection,
  Dialog,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
} from 'react-aria-components'
import { findBusinesses } from '../api/businesses.ts'
import { SearchField } from '../kit/Field.tsx'
import { Icon, type IconName } from '../kit/Icon.tsx'
import { Station } from '../kit/Station.tsx'
import { treeOf } from '../pages/topology/questions.ts'
import { type Forest, type Place, pathTo } from '../pages/topology/tree.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

interface Target {
  readonly id: string
  readonly name: string
  readonly aside?: string
  readonly icon?: IconName
  readonly object?: string
  go(): void
}

const most = 12

/** Ctrl+K: type a few letters, arrive. */
export function Palette({ business, onClose }: { business: number | null; onClose(): void }) {
  const words = useWords(shell)
  const { nothingFound } = useWords(common)
  const [sought, setSought] = useState('')
  const groups = useTargets(business, sought)
  const all = groups.flatMap((group) => group.targets)
  return (
    <ModalOverlay className="overlay high" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label={words.palette}>
          <Autocomplete inputValue={sought} onInputChange={setSought}>
            <SearchField
              label={words.palette}
              placeholder={words.paletteHint}
              value={sought}
              onChange={setSought}
              autoFocus
            />
            <Menu
              className="options"
              aria-label={words.palette}
              items={groups}
              renderEmptyState={() => <p className="quiet option">{nothingFound}</p>}
              onAction={(key) => {
                onClose()
                all.find((target) => target.id === key)?.go()
              }}
            >
              {(group) => (
                <MenuSection id={group.id}>
                  <Header className="options-header">{group.name}</Header>
                  <Collection items={group.targets}>
                    {(target) => (
                      <MenuItem id={target.id} textValue={target.name} className="option">
                        {target.icon ? <Icon name={target.icon} /> : <Station object={target.object ?? ''} />}
                        <span className="truncate">{target.name}</span>
                        <span className="aside truncate">{target.aside}</span>
                      </MenuItem>
                    )}
                  </Collection>
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function useTargets(business: number | null, sought: string): { id: string; name: string; targets: Target[] }[] {
  const words = useWords(shell)
  const navigate = useNavigate()
  const found = useQuery({ ...findBusinesses(sought), placeholderData: (before) => before }).data?.businesses ?? []
  const tree = useQuery({ ...treeOf(business ?? 0), enabled: business !== null }).data
  const nodes = useMemo(() => (tree && sought.trim() ? nodesNamed(tree, sought) : []), [tree, sought])
  const holds = (name: string) => name.toLowerCase().includes(sought.trim().toLowerCase())

  const pages: Target[] = [
    { id: '/', name: words.pages.overview, icon: 'overview' as const, go: () => navigate({ to: '/' }) },
    { id: '/audit', name: words.pages.audit, icon: 'audit' as const, go: () => navigate({ to: '/audit' }) },
    { id: '/model', name: words.pages.model, icon: 'model' as const, go: () => navigate({ to: '/model' }) },
  ].filter((page) => holds(page.name))
  const businesses = found.slice(0, most).map((each) => ({
    id: `biz ${each.bk_biz_id}`,
    name: each.bk_biz_name,
    aside: each.bk_biz_maintainer,
    object: 'biz',
    go: () => navigate({ to: '/topology/$business', params: { business: String(each.bk_biz_id) } }),
  }))
  const places = nodes.map((place) => ({
    id: place.key,
    name: place.name,
    aside: pathTo(place)
      .slice(1, -1)
      .map((each) => each.name)
      .join(' / '),
    object: place.object,
    go: () =>
      navigate({ to: '/topology/$business', params: { business: String(business) }, search: { node: place.key } }),
  }))
  return [
    { id: 'nodes', name: words.groups.nodes(tree?.root.name ?? ''), targets: places },
    { id: 'businesses', name: words.groups.businesses, targets: businesses },
    { id: 'pages', name: words.groups.pages, targets: pages },
  ].filter((group) => group.targets.length > 0)
}

/** Names that begin with the words come before those that only hold them. */
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

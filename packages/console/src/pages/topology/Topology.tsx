import { businesses, moves } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { isMissing } from '../../api/failures.ts'
import { useRefusals } from '../../api/may.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { refuse } from '../../kit/Toasts.tsx'
import { hasUnsaved } from '../../kit/unsaved.ts'
import { NoBusiness } from '../../shell/NoBusiness.tsx'
import { useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { MoveHosts } from '../hosts/MoveHosts.tsx'
import { useChangedNodes } from './changed.ts'
import { type Asked, NodeDialogs } from './NodeDialogs.tsx'
import { NodePanel } from './NodePanel.tsx'
import { changing } from './operations.ts'
import { type HostsIn, hostsInTree, treeBefore, treeOf } from './questions.ts'
import { TreeView } from './TreeView.tsx'
import { type Forest, found, keyOf, type NodeKey, openAtFirst, type Place, visible } from './tree.ts'
import './topology.css'

export const route = createLazyRoute('/topology/$business')({ component: Topology })

function Topology() {
  const words = useWords(topology)
  const business = Number(route.useParams().business)
  // Renders with every other moment of the past.
  route.useSearch()
  const tree = useQuery({ ...treeOf(business), placeholderData: treeBefore(business) })
  const missing = isMissing(tree.error)
  return (
    <main className="page topology" id="content">
      <PageTitle className="unseen" text={`${tree.data?.root.name ?? ''} ${words.title}`} />
      {missing ? <NoBusiness /> : tree.error && !tree.data ? <Failure error={tree.error} retry={tree.refetch} /> : null}
      {!tree.error && !tree.data && (
        <div className="tree-panel">
          <Skeleton lines={14} height={18} />
        </div>
      )}
      {tree.data && !missing && <Explorer key={business} business={business} tree={tree.data} />}
    </main>
  )
}

/** About as many rows as a screen shows. */
const rowsAtFirst = 45
const none: ReadonlySet<NodeKey> = new Set()
const unknown: HostsIn = () => undefined

function Explorer({ business, tree }: { business: number; tree: Forest }) {
  const words = useWords(topology)
  const { node, find = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/topology/$business' })
  const selected = node ? tree.byKey.get(node) : tree.root
  // Deleted by another user: its panel stays while it has unsaved changes.
  const [shown, setShown] = useState(selected)
  if (selected && selected !== shown) setShown(selected)
  const panel = selected ?? (shown?.key === node && hasUnsaved() ? shown : undefined)
  const counted = useQuery(hostsInTree(business)).data
  const hostsIn = counted ?? unknown
  const changed = useChangedNodes(tree, counted)
  const [open, setOpen] = useState(() => openAtFirst(tree.root, selected ?? null, rowsAtFirst))
  const [asked, setAsked] = useState<Asked | null>(null)
  const [dropped, setDropped] = useState<{ into: Place; hosts: readonly number[] } | null>(null)

  const sought = useDeferredValue(find)
  // Nodes that were opened or closed among the results of a search; another search starts afresh.
  const [toggled, setToggled] = useState<{ sought: string; keys: ReadonlySet<NodeKey> }>({ sought: '', keys: none })
  const keys = toggled.sought === sought ? toggled.keys : none
  const { rows, matches, isOpenIn } = useMemo(() => {
    if (!sought.trim()) return { rows: visible(tree.root, open), matches: null, isOpenIn: open }
    const result = found(tree.root, sought, keys)
    return { rows: result.rows, matches: result.matches, isOpenIn: result.open }
  }, [tree, open, sought, keys])

  // Expands the path to the node in the address, however it was reached.
  const parent = selected?.parent ?? null
  useEffect(() => {
    if (!parent) return
    setOpen((before) => {
      const missing = [...ways(parent)].filter((key) => !before.has(key))
      return missing.length === 0 ? before : new Set([...before, ...missing])
    })
  }, [parent])

  // Another node has other hosts, so page and search are reset.
  const select = (key: NodeKey) =>
    navigate({ search: ({ find, tab }) => ({ node: key, ...(find && { find }), ...(tab && { tab }) }) })
  const toggle = (place: Place, opened: boolean) => {
    if (matches) {
      const next = new Set(keys)
      if (!next.delete(place.key)) next.add(place.key)
      setToggled({ sought, keys: next })
      return
    }
    setOpen((before) => {
      const next = new Set(before)
      if (opened) next.add(place.key)
      else next.delete(place.key)
      return next
    })
  }
  // Actions by key and drag and drop are checked and explained like those of buttons.
  const refusalOf = useRefusals()
  const refusalOfChange = async (place: Place) => {
    const { operation, about } = changing(business, place)
    return place.builtIn > 0 ? words.builtIn : refusalOf(operation, about)
  }
  const refusalOfArchiving = async () => {
    const hosts = hostsIn(tree.root)
    const refused = await refusalOf(businesses.archiveBusiness, { bk_biz_id: business })
    return refused ?? (hosts ? words.hostsInBusiness(hosts) : undefined)
  }
  const unlessRefused = async (refusal: Promise<string | undefined>, run: () => void) => {
    const why = await refusal
    if (why) refuse(why)
    else run()
  }
  const expandAll = () =>
    setOpen(new Set([...tree.byKey.values()].filter((each) => each.children.length > 0).map((each) => each.key)))

  return (
    <>
      <div className="tree-panel">
        <div className="tree-tools">
          <SearchField
            label={words.find}
            value={find}
            onChange={(value) =>
              navigate({ search: ({ find: _, ...rest }) => (value ? { ...rest, find: value } : rest), replace: true })
            }
          />
          <Button look="quiet" icon="expand" label={words.expandAll} onPress={expandAll} />
          <Button
            look="quiet"
            icon="collapse"
            label={words.collapseAll}
            onPress={() => setOpen(new Set([tree.root.key]))}
          />
        </div>
        {matches && (
          <p className="tree-found" role="status">
            {matches.size > 0 ? words.matches(matches.size) : words.nothingMatches(sought.trim())}
          </p>
        )}
        <TreeView
          label={words.tree}
          rows={rows}
          isOpen={(place) => isOpenIn.has(place.key)}
          selected={selected?.key ?? ''}
          sought={sought}
          hostsIn={hostsIn}
          changed={changed}
          onSelect={(place) => select(place.key)}
          onOpen={toggle}
          onDropHosts={(into, hosts) =>
            unlessRefused(refusalOf(moves.moveToModules, { bk_biz_id: business }), () => setDropped({ into, hosts }))
          }
          onRename={(place) => unlessRefused(refusalOfChange(place), () => setAsked({ what: 'rename', place }))}
          onDelete={(place) =>
            unlessRefused(place.parent ? refusalOfChange(place) : refusalOfArchiving(), () =>
              setAsked({ what: place.parent ? 'delete' : 'archive', place }),
            )
          }
        />
      </div>
      {panel ? (
        <NodePanel
          key={panel.key}
          business={business}
          place={panel}
          isGone={!selected}
          hosts={hostsIn(panel)}
          onAsk={setAsked}
        />
      ) : (
        <Empty title={words.gone}>
          <Button onPress={() => select(tree.root.key)}>{words.selectRoot}</Button>
        </Empty>
      )}
      {dropped && (
        <MoveHosts business={business} {...dropped} onClose={() => setDropped(null)} onDone={() => setDropped(null)} />
      )}
      {asked && (
        <NodeDialogs
          business={business}
          asked={asked}
          onClose={() => setAsked(null)}
          onMade={(object, id) => {
            toggle(asked.place, true)
            select(keyOf(object, id))
          }}
          onGone={(place) => (place.parent ? select(place.parent.key) : navigate({ to: '/' }))}
        />
      )}
    </>
  )
}

function* ways(place: Place): Generator<NodeKey> {
  for (let at: Place | null = place; at; at = at.parent) yield at.key
}

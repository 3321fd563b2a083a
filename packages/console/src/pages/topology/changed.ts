import { useEffect, useRef } from 'react'
import { useFlash } from '../../kit/changed.ts'
import type { HostsIn } from './questions.ts'
import type { Forest, NodeKey, Place } from './tree.ts'

/** The nodes whose name, parent or number of hosts has just changed, and new ones. */
export function useChangedNodes(tree: Forest, hostsIn: HostsIn | undefined): ReadonlySet<NodeKey> {
  const shown = useRef<{ tree: Forest; hostsIn: HostsIn } | null>(null)
  const [flashing, flash] = useFlash<NodeKey>()
  useEffect(() => {
    if (!hostsIn) return
    const before = shown.current
    shown.current = { tree, hostsIn }
    if (!before) return
    const isChanged = (place: Place) => {
      const was = before.tree.byKey.get(place.key)
      return was?.name !== place.name || was.parent?.key !== place.parent?.key || before.hostsIn(was) !== hostsIn(place)
    }
    flash([...tree.byKey.values()].filter(isChanged).map(({ key }) => key))
  }, [tree, hostsIn, flash])
  return flashing
}

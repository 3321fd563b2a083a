/** A node of the tree as get_inst_topo answers it. */
export interface TopologyNode {
  readonly default: number
  readonly bk_inst_id: number
  readonly bk_inst_name: string
  readonly bk_obj_id: string
  readonly bk_obj_name: string
  readonly child: readonly TopologyNode[]
}

/** The key of a node in the URL and in sets: ids are unique only within an object. */
export type NodeKey = string
export const keyOf = (object: string, id: number): NodeKey => `${object}-${id}`

/** A node with its ancestors, so that visibility is known without walking the tree. */
export interface Place {
  readonly key: NodeKey
  readonly object: string
  readonly objectName: string
  readonly id: number
  readonly name: string
  /** 1 for the idle module or its set, 2 for the fault module, 0 for user-defined nodes. */
  readonly builtIn: number
  readonly depth: number
  readonly parent: Place | null
  readonly children: readonly Place[]
  /** Its index among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
}

export interface Forest {
  readonly root: Place
  readonly byKey: ReadonlyMap<NodeKey, Place>
}

export function plant(top: TopologyNode): Forest {
  const byKey = new Map<NodeKey, Place>()
  const place = (node: TopologyNode, parent: Place | null, position: number, siblings: number): Place => {
    const children: Place[] = []
    const made: Place = {
      key: keyOf(node.bk_obj_id, node.bk_inst_id),
      object: node.bk_obj_id,
      objectName: node.bk_obj_name,
      id: node.bk_inst_id,
      name: node.bk_inst_name,
      builtIn: parent?.builtIn || isIdlePool(node) ? node.default || 1 : node.default,
      depth: parent ? parent.depth + 1 : 1,
      parent,
      children,
      position,
      siblings,
    }
    byKey.set(made.key, made)
    for (const [index, child] of node.child.entries()) children.push(place(child, made, index + 1, node.child.length))
    return made
  }
  return { root: place(top, null, 1, 1), byKey }
}

/** Only the modules of the idle pool are marked as built in, not its set. */
const isIdlePool = (node: TopologyNode) => node.bk_obj_id === 'set' && (node.child[0]?.default ?? 0) > 0

/** The visible rows, from the top down. */
export function visible(root: Place, open: ReadonlySet<NodeKey>): Place[] {
  const rows: Place[] = []
  const walk = (place: Place) => {
    rows.push(place)
    if (open.has(place.key)) for (const child of place.children) walk(child)
  }
  walk(root)
  return rows
}

/**
 * Matching nodes with their ancestors. An ancestor is expanded to the matches below it; a toggled node shows all of its children, or none.
 */
export function found(
  root: Place,
  words: string,
  toggled: ReadonlySet<NodeKey>,
): { rows: Place[]; matches: ReadonlySet<NodeKey>; open: ReadonlySet<NodeKey> } {
  const sought = words.trim().toLocaleLowerCase()
  const matches = new Set<NodeKey>()
  const above = new Set<NodeKey>([root.key])
  const seek = (place: Place): boolean => {
    const isMatch = place.name.toLocaleLowerCase().includes(sought)
    if (isMatch) matches.add(place.key)
    let below = false
    for (const child of place.children) below = seek(child) || below
    if (below) above.add(place.key)
    return isMatch || below
  }
  seek(root)
  const open = new Set<NodeKey>()
  const rows: Place[] = []
  const walk = (place: Place) => {
    rows.push(place)
    if (above.has(place.key) === toggled.has(place.key)) return
    open.add(place.key)
    const isWhole = toggled.has(place.key)
    for (const child of place.children) if (isWhole || matches.has(child.key) || above.has(child.key)) walk(child)
  }
  walk(root)
  return { rows, matches, open }
}

/** The names of its path, from below the business. */
export const wayTo = (place: Place): string =>
  pathTo(place)
    .slice(1)
    .map((each) => each.name)
    .join(' / ')

/** Including the node itself, last. */
export function pathTo(place: Place): Place[] {
  const path: Place[] = []
  for (let at: Place | null = place; at; at = at.parent) path.unshift(at)
  return path
}

/** The number of nodes below by object, in the order of the main line. */
export function countBelow(place: Place): { object: string; name: string; count: number }[] {
  const counts = new Map<string, { object: string; name: string; count: number }>()
  const walk = (at: Place) => {
    for (const child of at.children) {
      const seen = counts.get(child.object)
      if (seen) seen.count++
      else counts.set(child.object, { object: child.object, name: child.objectName, count: 1 })
      walk(child)
    }
  }
  walk(place)
  return [...counts.values()]
}

/** Level by level as long as the rows fit, and the path to the selected node. */
export function openAtFirst(root: Place, selected: Place | null, most: number): Set<NodeKey> {
  const open = new Set<NodeKey>()
  let level: Place[] = [root]
  let rows = 1
  while (level.length > 0) {
    const next = level.flatMap((place) => place.children)
    rows += next.length
    if (rows > most) break
    for (const place of level) if (place.children.length > 0) open.add(place.key)
    level = next
  }
  open.add(root.key)
  for (let at = selected?.parent ?? null; at; at = at.parent) open.add(at.key)
  return open
}

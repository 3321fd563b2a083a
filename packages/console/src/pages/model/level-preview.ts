import type { Place } from '../topology/tree.ts'

/** What happens to a node of the tree. */
export type Mark = 'kept' | 'new' | 'moved' | 'gone'

/** A node of a tree before or after a change of its levels. */
interface Shape {
  readonly name: string
  readonly object: string
  readonly mark: Mark
  readonly children: readonly Shape[]
}

/** A level that is inserted below an object, or a level that is removed. */
export type LevelChange = { readonly above: string; readonly name: string } | { readonly removed: string }

export interface PreviewLine {
  readonly key: string
  readonly depth: number
  readonly name: string
  readonly object: string
  readonly mark: Mark
  /** Instead of a node: how many more there are. */
  readonly more: number
}

export interface LevelPreview {
  readonly before: readonly PreviewLine[]
  readonly after: readonly PreviewLine[]
}

/** Children of a node that are shown; the others are counted. */
const mostChildren = 2

/** An example of the change: the tree of a business down to the object below the level. The idle pool is not affected. */
export function previewOf(root: Place, below: string, change: LevelChange): LevelPreview {
  const tree = shapeOf(root, below)
  if ('removed' in change) {
    return { before: linesOf(marked(tree, change.removed)), after: linesOf(without(tree, change.removed)) }
  }
  return { before: linesOf(tree), after: linesOf(withLevel(tree, change.above, change.name)) }
}

const shapeOf = (place: Place, below: string): Shape => ({
  name: place.name,
  object: place.object,
  mark: 'kept',
  children:
    place.object === below
      ? []
      : place.children.filter((child) => child.builtIn === 0).map((child) => shapeOf(child, below)),
})

const asMoved = (shape: Shape): Shape => ({ ...shape, mark: 'moved' })

function withLevel(shape: Shape, above: string, name: string): Shape {
  if (shape.object !== above) {
    return { ...shape, children: shape.children.map((child) => withLevel(child, above, name)) }
  }
  const level: Shape = { name, object: '', mark: 'new', children: shape.children.map(asMoved) }
  return { ...shape, children: [level] }
}

const marked = (shape: Shape, level: string): Shape => ({
  ...shape,
  mark: shape.object === level ? 'gone' : 'kept',
  children: shape.children.map((child) => marked(child, level)),
})

const without = (shape: Shape, level: string): Shape => ({
  ...shape,
  children: shape.children.flatMap((child) =>
    child.object === level ? child.children.map(asMoved) : [without(child, level)],
  ),
})

function linesOf(shape: Shape, depth = 0, path = ''): PreviewLine[] {
  const { name, object, mark, children } = shape
  const line = { key: path || '0', depth, name, object, mark, more: 0 }
  const shown = children.slice(0, mostChildren).flatMap((child, at) => linesOf(child, depth + 1, `${path}/${at}`))
  const more = children.length - mostChildren
  return [line, ...shown, ...(more > 0 ? [{ ...line, key: `${path}/more`, depth: depth + 1, more }] : [])]
}

import { describe, expect, it } from 'vitest'
import { step } from './steps.ts'
import { countBelow, found, openAtFirst, pathTo, plant, type TopologyNode, visible } from './tree.ts'

const node = (object: string, id: number, name: string, child: TopologyNode[] = [], builtIn = 0): TopologyNode => ({
  bk_obj_id: object,
  bk_obj_name: object,
  bk_inst_id: id,
  bk_inst_name: name,
  default: builtIn,
  child,
})

const tree = plant(
  node('biz', 2, 'Shop', [
    node('set', 3, 'idle pool', [node('module', 1, 'idle', [], 1), node('module', 2, 'fault', [], 2)]),
    node('set', 7, 'checkout', [node('module', 8, 'api'), node('module', 9, 'mysql')]),
  ]),
)
const names = (rows: readonly { name: string }[]) => rows.map((row) => row.name)
const at = (key: string) => {
  const place = tree.byKey.get(key)
  if (!place) throw new Error(key)
  return place
}

describe('the tree', () => {
  it('lists the expanded nodes from the top down', () => {
    expect(names(visible(tree.root, new Set(['biz-2', 'set-7'])))).toEqual([
      'Shop',
      'idle pool',
      'checkout',
      'api',
      'mysql',
    ])
  })

  it('finds names case-insensitively, and shows the path to them', () => {
    const { rows, matches } = found(tree.root, ' API', new Set())
    expect(names(rows)).toEqual(['Shop', 'checkout', 'api'])
    expect([...matches]).toEqual(['module-8'])
    expect(names(found(tree.root, 'nowhere', new Set()).rows)).toEqual(['Shop'])
  })

  it('opens and closes nodes among the matches: a node that was opened shows all of its children', () => {
    const shown = (words: string, ...toggled: string[]) => names(found(tree.root, words, new Set(toggled)).rows)
    expect(shown('checkout')).toEqual(['Shop', 'checkout'])
    expect(shown('checkout', 'set-7')).toEqual(['Shop', 'checkout', 'api', 'mysql'])
    expect(shown('api', 'set-7')).toEqual(['Shop', 'checkout'])
  })

  it('recognises the idle pool and its modules', () => {
    expect(['set-3', 'module-1', 'module-2', 'set-7'].map((key) => at(key).builtIn)).toEqual([1, 1, 2, 0])
  })

  it('has the path to a node, and counts what is below it', () => {
    expect(names(pathTo(at('module-9')))).toEqual(['Shop', 'checkout', 'mysql'])
    expect(countBelow(tree.root)).toMatchObject([
      { object: 'set', count: 2 },
      { object: 'module', count: 4 },
    ])
  })

  it('initially expands as much as fits, and the path to the selected node', () => {
    expect([...openAtFirst(tree.root, null, 3)]).toEqual(['biz-2'])
    expect([...openAtFirst(tree.root, at('module-9'), 3)]).toEqual(['biz-2', 'set-7'])
    expect([...openAtFirst(tree.root, null, 100)]).toEqual(['biz-2', 'set-3', 'set-7'])
  })
})

describe('a key in the tree', () => {
  const open = new Set(['biz-2', 'set-7'])
  const rows = visible(tree.root, open)
  const press = (key: string, from: number) => step(key, rows, from, (place) => open.has(place.key), 3)

  it.each<[key: string, from: number, done: unknown]>([
    ['ArrowDown', 0, { to: 1 }],
    ['ArrowDown', 4, { to: 4 }],
    ['ArrowRight', 1, { open: true }],
    ['ArrowRight', 2, { to: 3 }],
    ['ArrowLeft', 2, { open: false }],
    ['ArrowLeft', 4, { to: 2 }],
    ['End', 0, { to: 4 }],
    ['PageDown', 0, { to: 3 }],
    ['m', 0, { to: 4 }],
    ['Enter', 2, { act: 'select' }],
    ['F2', 2, { act: 'rename' }],
    ['Delete', 2, { act: 'delete' }],
    ['Tab', 2, undefined],
  ])('%s on row %i', (key, from, done) => {
    expect(press(key, from)).toEqual(done)
  })
})

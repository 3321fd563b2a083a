import { describe, expect, it } from 'vitest'
import { plant } from '../topology/tree.ts'
import { type LevelPreview, previewOf } from './level-preview.ts'

const objects = ['biz', 'site', 'set', 'module']
let last = 0
type Spec = Readonly<Record<string, unknown>>
/** Names by nesting; a module of the idle pool is marked. */
const node = (name: string, below: Spec, depth = 0): Parameters<typeof plant>[0] => ({
  default: name === 'idle machine' ? 1 : 0,
  bk_inst_id: ++last,
  bk_inst_name: name,
  bk_obj_id: name === 'idle pool' ? 'set' : (objects[depth] ?? 'module'),
  bk_obj_name: '',
  child: Object.entries(below).map(([each, inner]) => node(each, inner as Spec, depth + 1)),
})
const business = plant(
  node('shop', {
    'idle pool': { 'idle machine': {} },
    Frankfurt: { web: { nginx: {} }, db: {} },
    Dublin: { mail: {}, wiki: {}, build: {} },
  }),
).root

const drawn = (lines: LevelPreview['before']): string[] =>
  lines.map(({ depth, name, mark, more }) => {
    const sign = { kept: '', new: ' +', moved: ' >', gone: ' -' }[mark]
    return `${'  '.repeat(depth)}${more > 0 ? `${more} more` : name + sign}`
  })

describe('the preview of levels', () => {
  it('shows where an inserted level is placed, down to the objects that move below it', () => {
    const { before, after } = previewOf(business, 'set', { above: 'site', name: 'Hall' })
    expect(drawn(before)).toEqual([
      'shop',
      '  Frankfurt',
      '    web',
      '    db',
      '  Dublin',
      '    mail',
      '    wiki',
      '    1 more',
    ])
    expect(drawn(after)).toEqual([
      'shop',
      '  Frankfurt',
      '    Hall +',
      '      web >',
      '      db >',
      '  Dublin',
      '    Hall +',
      '      mail >',
      '      wiki >',
      '      1 more',
    ])
  })

  it('shows what a removed level takes with it, and where its children move', () => {
    const { before, after } = previewOf(business, 'set', { removed: 'site' })
    expect(drawn(before)[1]).toBe('  Frankfurt -')
    expect(drawn(after)).toEqual(['shop', '  web >', '  db >', '  3 more'])
  })
})

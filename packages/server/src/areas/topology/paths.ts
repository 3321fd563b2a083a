// Places of a business by the names on the way to them, as people write them: Europe/Frankfurt/storefront/web.

import type { Language } from '@mainline/contract'
import { sql } from 'kysely'
import type { Reader } from '../../platform/storage/index.ts'
import type { Model } from '../model/index.ts'
import { builtIn, builtInName, nameKey, shownName } from './built-in.ts'
import { below } from './chain.ts'
import { type Node, selectAnyNodes, selectNodes } from './nodes.ts'

/** Names from below the business downward. */
export type Path = readonly string[]

/**
 * A slash inside a name is written `\/`, a bar `\|`, a backslash `\\`; so is a blank at its ends, which would be taken for
 * nothing, and a `#` in front of all, where files have their comments.
 */
export const writePath = (path: Path): string =>
  path
    .map((name) => name.replace(/[\\/|]|^\s|\s$/g, '\\$&'))
    .join('/')
    .replace(/^#/, '\\#')

export const readPath = (text: string): Path => split(text, '/').map(nameIn)

/** Several paths with a bar between them. */
export const readPaths = (text: string): Path[] => split(text, '|').map(readPath)

function split(text: string, at: string): string[] {
  const parts = ['']
  for (let index = 0; index < text.length; index++) {
    const letter = text[index] as string
    if (letter === at) parts.push('')
    else parts[parts.length - 1] += letter === '\\' ? letter + (text[++index] ?? '') : letter
  }
  return parts
}

/** Without the blanks around it, unless they are escaped. */
function nameIn(part: string): string {
  const letters = part.match(/\\.|./gs) ?? []
  const isSaid = (letter: string) => letter.trim() !== ''
  const said = letters.slice(Math.max(0, letters.findIndex(isSaid)), letters.findLastIndex(isSaid) + 1)
  return said.map((letter) => letter.at(-1)).join('')
}

/** The objects of a path's names. The built-in set stands right below the business, whatever levels there are. */
export function objectsOf(model: Model, path: Path): readonly string[] {
  const levels = below(model, 'biz')
  return isInternal(path) ? ['set', 'module'] : levels
}

const idlePool = builtInName('set', builtIn.idlePool)
const isInternal = (path: Path) => path.length <= 2 && nameKey('set', path[0] ?? '') === idlePool

/** What tells a path from others: built-in names are one in all languages. */
export function pathKey(model: Model, path: Path): string {
  const objects = objectsOf(model, path)
  return JSON.stringify(path.map((name, depth) => nameKey(objects[depth] ?? '', name)))
}

/** The instances at these paths, by key; what is not there is left out. As many statements as there are levels. */
export async function findAtPaths(
  reader: Reader,
  model: Model,
  business: number,
  paths: readonly Path[],
): Promise<Map<string, Node>> {
  const found = new Map<string, Node>()
  const deepest = Math.max(0, ...paths.map((path) => path.length))
  for (let depth = 0; depth < deepest; depth++) {
    const steps = new Map<string, { parent: number; object: string; name: string }>()
    for (const path of paths) {
      const object = objectsOf(model, path)[depth]
      const parent = depth === 0 ? business : found.get(pathKey(model, path.slice(0, depth)))?.id
      if (path.length <= depth || object === undefined || parent === undefined) continue
      steps.set(pathKey(model, path.slice(0, depth + 1)), {
        parent,
        object,
        name: nameKey(object, path[depth] as string),
      })
    }
    for (const object of new Set([...steps.values()].map((step) => step.object))) {
      const wanted = [...steps].filter(([, step]) => step.object === object)
      const nodes = await childrenCalled(
        reader,
        object,
        wanted.map(([, step]) => step),
      )
      for (const [key, { parent, name }] of wanted) {
        const node = nodes.get(`${parent} ${name}`)
        if (node) found.set(key, node)
      }
    }
  }
  return found
}

async function childrenCalled(
  reader: Reader,
  object: string,
  steps: readonly { parent: number; name: string }[],
): Promise<Map<string, Node>> {
  const parents = [...new Set(steps.map(({ parent }) => parent))]
  const names = [...new Set(steps.map(({ name }) => name))]
  const rows = await selectNodes(reader, object)
    .select(['node.parent', 'node.name_key'])
    .where((eb) => reader.dialect.among(eb.ref('node.parent'), parents, 'integer'))
    .where((eb) => reader.dialect.among(eb.ref('node.name_key'), names, 'text'))
    .execute()
  return new Map(rows.map((row) => [`${row.parent} ${row.name_key}`, row]))
}

/** A place with the names that lead to it. */
export interface Placed {
  readonly node: Node
  readonly path: Path
}

/** Everything below a business, parents before their children; the built-in set and its modules only when asked for. */
export async function placesOf(
  reader: Reader,
  business: number,
  { internal, language }: { internal: boolean; language: Language },
): Promise<Placed[]> {
  const rows = await selectAnyNodes(reader)
    .select('node.parent')
    .where('node.business', '=', business)
    .$if(!internal, (query) => query.where(sql<boolean>`node.built_in = 0`))
    .orderBy('node.name')
    .orderBy('node.id')
    .execute()
  const children = Map.groupBy(rows, (row) => row.parent ?? 0)
  const placed: Placed[] = []
  const walk = (parent: number, above: Path) => {
    for (const node of children.get(parent) ?? []) {
      const path = [...above, shownName(node.object_id, node.built_in, node.name, language)]
      placed.push({ node, path })
      walk(node.id, path)
    }
  }
  walk(business, [])
  return placed
}

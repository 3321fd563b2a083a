// Paths of names within a business, as people write them: Europe/Frankfurt/storefront/web.

import type { Language } from '@mainline/contract'
import { sql } from 'kysely'
import { present } from '../../../common/present.ts'
import type { Reader } from '../../../storage/index.ts'
import type { Model } from '../../model/index.ts'
import { objectsBelow } from '../levels/chain.ts'
import { builtIn, builtInName, nameKey, shownName } from '../nodes/built-in.ts'
import { type Node, selectAnyNodes, selectNodes } from '../nodes/nodes.ts'

/** Names from below the business downward. */
export type Path = readonly string[]

/**
 * Escapes a slash, a bar or a backslash inside a name with a backslash; also a blank at its ends, which would be trimmed,
 * and a leading `#`, which starts a comment in files.
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
    const letter = present(text[index])
    if (letter === at) parts.push('')
    else parts[parts.length - 1] += letter === '\\' ? letter + (text[++index] ?? '') : letter
  }
  return parts
}

/** The name without surrounding blanks, unless they are escaped. */
function nameIn(part: string): string {
  const letters = part.match(/\\.|./gs) ?? []
  const isSaid = (letter: string) => letter.trim() !== ''
  const said = letters.slice(Math.max(0, letters.findIndex(isSaid)), letters.findLastIndex(isSaid) + 1)
  return said.map((letter) => letter.at(-1)).join('')
}

/** The objects of a path's names. The built-in set is directly below the business, whatever levels there are. */
export function objectsOf(model: Model, path: Path): readonly string[] {
  const levels = objectsBelow(model, 'biz')
  return isInternal(path) ? ['set', 'module'] : levels
}

const idlePool = builtInName('set', builtIn.idlePool)
const isInternal = (path: Path) => path.length <= 2 && nameKey('set', path[0] ?? '') === idlePool

/** The key of a path; a built-in name has the same key in every language. */
export function pathKey(model: Model, path: Path): string {
  const objects = objectsOf(model, path)
  return JSON.stringify(path.map((name, depth) => nameKey(objects[depth] ?? '', name)))
}

/** The instances at these paths, by key; unknown paths are left out. Takes one statement per level. */
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
        name: nameKey(object, present(path[depth])),
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

/** A node with the names of its path. */
export interface Placed {
  readonly node: Node
  readonly path: Path
}

/** All nodes of a business, parents before their children; the built-in set and its modules only on request. */
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

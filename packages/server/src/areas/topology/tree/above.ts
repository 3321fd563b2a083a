import type { Reader } from '../../../storage/index.ts'
import { type Node, selectAnyNodes } from '../nodes/nodes.ts'

/** The levels above these nodes, by the id of each node: from below the business downward. One statement for each level. */
export async function levelsAbove(reader: Reader, ids: readonly number[]): Promise<Map<number, Node[]>> {
  const known = new Map<number, Node & { parent: number | null }>()
  for (let missing = [...new Set(ids)]; missing.length > 0; ) {
    const rows = await selectAnyNodes(reader)
      .select('node.parent')
      .where((eb) => reader.dialect.among(eb.ref('node.id'), missing, 'integer'))
      .execute()
    for (const row of rows) known.set(row.id, row)
    const parents = rows.flatMap(({ parent }) => (parent === null || known.has(parent) ? [] : [parent]))
    missing = [...new Set(parents)]
  }
  return new Map(ids.map((id) => [id, above(id)]))

  function above(id: number): Node[] {
    const levels: Node[] = []
    const parentOf = (node: number) => known.get(known.get(node)?.parent ?? 0)
    for (let at = parentOf(id); at && at.object_id !== 'biz'; at = parentOf(at.id)) levels.unshift(at)
    return levels
  }
}

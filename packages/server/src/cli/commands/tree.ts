import { styleText } from 'node:util'
import { topology } from '@mainline/contract'
import { neededBusiness } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { wholeNumber, wordsOf } from '../arguments/usage.ts'
import { connect } from '../connection/connection.ts'
import { visible } from '../output/cells.ts'
import { type Output, outputTo } from '../output/output.ts'

interface Node {
  readonly bk_inst_id: number
  readonly bk_inst_name: string
  readonly bk_obj_id: string
  readonly bk_obj_name: string
  readonly child: readonly unknown[]
}

export async function treeCommand(given: Given): Promise<void> {
  wordsOf(given, 'tree', 0)
  const depth = wholeNumber(given, 'depth', 0)
  const connection = await connect(given)
  const { client, account } = connection
  const roots = await client.call(topology.getTree, {
    params: { bk_supplier_account: account, bk_biz_id: await neededBusiness(connection, given, 'the tree') },
    query: { ...(depth !== undefined && { level: depth }), ...(given.has('idle') && { with_default: true }) },
  })
  const output = outputTo()
  const format = given.value('output')
  if (format === 'json') await output.write(`${JSON.stringify(roots, null, 2)}\n`)
  else if (format === 'yaml') await output.write((await import('yaml')).stringify(roots, { lineWidth: 0 }))
  else for (const line of drawn(roots, output)) await output.write(line)
  await output.flush()
}

function* drawn(roots: readonly Node[], output: Output): Generator<string> {
  const label = ({ bk_inst_name, bk_obj_name, bk_inst_id }: Node) => {
    const what = visible(`(${bk_obj_name} ${bk_inst_id})`)
    return `${visible(bk_inst_name)} ${styleText('dim', what, { stream: output.stream })}\n`
  }
  function* below(node: Node, indent: string): Generator<string> {
    for (const [at, child] of (node.child as readonly Node[]).entries()) {
      const isLast = at === node.child.length - 1
      yield `${indent}${isLast ? '└─ ' : '├─ '}${label(child)}`
      yield* below(child, `${indent}${isLast ? '   ' : '│  '}`)
    }
  }
  for (const root of roots) {
    yield label(root)
    yield* below(root, '')
  }
}

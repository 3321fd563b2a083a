// The second half of run.cjs, for Node 18 and newer.
import { delimiter, dirname } from 'node:path'
import { findServerNode, replaceProcess } from '../packages/server/bin/runtime.mjs'
import { prepare } from './prepare.mjs'

const { own, rest } = split(process.argv.slice(2))
for (const { name, value } of own) {
  if (name === 'default-env') setDefault(value)
}
await prepare(own.filter(({ name }) => name === 'needs').flatMap(({ value }) => value.split(',')))
if (rest.length > 0) {
  const node = findServerNode({ prefer: 'pinned' })
  // Tools started by name, and their children, find the same Node.
  process.env.PATH = `${dirname(node)}${delimiter}${process.env.PATH}`
  replaceProcess(node, rest)
}

/** Flags of this script come first; the rest is passed to Node. */
function split(args) {
  const flags = args.map((arg) => /^--(needs|default-env)=(.*)$/.exec(arg))
  const end = flags.indexOf(null)
  const count = end === -1 ? args.length : end
  return { own: flags.slice(0, count).map(([, name, value]) => ({ name, value })), rest: args.slice(count) }
}

function setDefault(assignment) {
  const [name, value] = assignment.split('=')
  process.env[name] ??= value
}

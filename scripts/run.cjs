// Every script of package.json goes through here: it prepares the checkout and runs a program on the pinned Node.
// Usage: node scripts/run.cjs [--needs=console,tools] [--default-env=NAME=VALUE] [flags of Node] FILE [arguments]
// CommonJS in old syntax, so that a Node or npm that is too old is refused with a sentence before anything is done.
'use strict'
const supported = require('../packages/server/bin/supported-node.cjs')

const oldestNpm = 9

supported.refuseOldNode()
refuseOldNpm()
import('./run.mjs')

/** npm names itself in the environment of its scripts. */
function refuseOldNpm() {
  const named = /^npm\/(\S+)/.exec(process.env.npm_config_user_agent || '')
  if (!named || supported.majorOf(named[1]) >= oldestNpm) return
  supported.refuse(
    `Mainline is installed with npm ${oldestNpm} or newer, and this is npm ${named[1]}. npm install --global npm@10 brings one.`,
  )
}

#!/usr/bin/env -S node --max-semi-space-size=8
// @ts-check
// Plain JavaScript in old syntax, so that a Node that is too old can still print the sentence that says so.
import { fileURLToPath } from 'node:url'
import supported from './supported-node.cjs'

supported.refuseOldNode()
start()

async function start() {
  const { endWithNpx, findServerNode, replaceProcess, serverFlags } = await import('./runtime.mjs')
  endWithNpx()
  const node = findServerNode({ prefer: 'running' })
  if (node === process.execPath) return import('./program.mjs')
  replaceProcess(node, [...serverFlags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)])
}

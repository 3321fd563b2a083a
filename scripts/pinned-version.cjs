// Loaded into the npm that installs a checkout. npm leaves out optional packages whose `engines` exclude the Node that npm runs
// on, without a word: with Node 18 that is the native part of the bundler. They run on the pinned Node, so that one counts.
'use strict'
const { optionalDependencies } = require('../package.json')

Object.defineProperty(process, 'version', { value: `v${Object.values(optionalDependencies)[0]}` })

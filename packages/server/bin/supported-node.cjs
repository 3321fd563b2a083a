// CommonJS in old syntax, so that any Node can read it and print the sentence instead of a syntax error.
'use strict'

/** The oldest Node that can start the programs here, and the one that the server itself needs. */
exports.oldestMajor = 18
exports.serverMajor = 26

exports.refuseOldNode = function refuseOldNode() {
  if (exports.majorOf(process.versions.node) >= exports.oldestMajor) return
  exports.refuse(
    `Mainline is started with Node ${exports.oldestMajor} or newer, and this is ${process.version}. Install a newer one from https://nodejs.org; Node ${exports.serverMajor}, which the server itself runs on, is installed with it.`,
  )
}

exports.majorOf = function majorOf(version) {
  return Number(version.split('.')[0])
}

exports.refuse = function refuse(why) {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

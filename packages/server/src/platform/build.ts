import manifest from '../../package.json' with { type: 'json' }

/** Which build of the program this is. The commit is known to what was packed from a checkout. */
export const build = {
  version: manifest.version,
  commit: 'commit' in manifest && typeof manifest.commit === 'string' ? manifest.commit : '',
  node: process.versions.node,
}

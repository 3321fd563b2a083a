import manifest from '../../package.json' with { type: 'json' }

/** The build of the program. The commit is known only in packages made from a checkout. */
export const build = {
  version: manifest.version,
  commit: 'commit' in manifest && typeof manifest.commit === 'string' ? manifest.commit : '',
  node: process.versions.node,
}

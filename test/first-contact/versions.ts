import { isFull } from '../../packages/server/src/testing/full.ts'
import type { Versions } from './machine.ts'

/**
 * npm 9.2 is Debian 12's, npm 10.8.2 comes with Node 20: neither links node_modules/.bin/node. `npm test` tries the older one beside the npm that
 * runs it; `npm run test:full` tries both.
 */
export const shortVersions: readonly Versions[] = [
  { npm: '9.2.0', node: '18' },
  ...(isFull ? [{ npm: '10.8.2', node: '20' }] : []),
]

/**
 * Versions of the full form. A signal sent to npm's own process and not to its group reaches no child with npm 9.9.4, whatever the script does; npm
 * 11.5 exits with 1 before its child has ended.
 */
export const allVersions: readonly (Versions & { readonly passesSignals?: boolean; readonly stopCode?: number })[] = [
  { npm: '9.2.0', node: '18' },
  { npm: '9.9.4', node: '18', passesSignals: false },
  { npm: '10.8.2', node: '20' },
  { npm: '10.9.9', node: '18' },
  { npm: '11.0.0', node: '20' },
  { npm: '11.5.2', node: '20', stopCode: 1 },
  { npm: '11', node: '20' },
]

// What is left out of a copy of the program to measure its price.
import type { Edits } from '../packages/server/src/testing/planted.ts'

const nodes = 'packages/server/src/areas/topology/nodes/nodes.ts'

/** No column of revisions in the rows of instances and in the log. */
export const withoutRevisions: readonly Edits[] = [
  {
    file: 'packages/server/migrations/0001_schema.sql',
    edits: [
      ['  revision {big} NOT NULL DEFAULT 1,\n  -- Every account', '  -- Every account'],
      ['  revision {big} NOT NULL DEFAULT 0,\n', ''],
    ],
  },
  {
    file: 'packages/server/src/storage/log/append.ts',
    edits: [
      ['    revision: row.revision,\n', ''],
      ['    revision: what.revision,\n', ''],
    ],
  },
  {
    file: nodes,
    edits: [
      ["      'node.revision',\n", ''],
      ['      revision: row.revision,\n      business', '      business'],
      ['    revision: restored?.revision ?? 1,\n', ''],
    ],
  },
]

/** The past, which is derived from the log in the background, and reads revisions. */
export const withoutPast: readonly Edits[] = [
  {
    file: 'packages/server/src/areas/history/past/projector.ts',
    edits: [['this.#running = this.#run()', 'this.#running = Promise.resolve()']],
  },
]

/** Events of an instance wait for nothing, and their bodies have neither revision nor position. */
export const withoutOrder: readonly Edits[] = [
  {
    file: 'packages/server/src/areas/events/delivery/queue/event-queue.ts',
    edits: [['if (!this.#waiting.holds(instance)) return item', 'if (instance !== undefined) return item']],
  },
  {
    file: 'packages/server/src/areas/events/feed/bodies.ts',
    edits: [['    revision: event.revision,\n    position: event.position,\n', '']],
  },
]

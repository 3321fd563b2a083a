// Bugs planted on purpose, each with the tests that must detect it.
export interface Mutant {
  readonly name: string
  readonly file: string
  /** A text that occurs in the file exactly once, and its replacement. */
  readonly edits: readonly (readonly [string, string])[]
  /** Test files, optionally with words of the test's name. */
  readonly tests: readonly string[]
  readonly named?: string
}

const storage = 'packages/server/src/storage'
const delivery = 'packages/server/src/areas/events/delivery'
const past = 'packages/server/src/areas/history/past'

export const mutants: readonly Mutant[] = [
  {
    name: 'number before commit: the position is the ticket, which is drawn inside the change',
    file: `${storage}/log/numbering.ts`,
    edits: [
      ["position: eb(eb.val(head.position), '+', eb.ref('drawn.ordinal'))", "position: eb.ref('drawn.ticket')"],
      ['position: head.position + count', 'position: sql<number>`(SELECT max(position) FROM log)`'],
    ],
    tests: ['test/faults/faults.test.ts'],
    named: 'on postgres',
  },
  {
    name: 'acknowledge before commit, on SQLite',
    file: `${storage}/sqlite/writes/group-commit.ts`,
    edits: [
      [
        "    stage = 'commit'\n",
        "    stage = 'commit'\n    for (const { waiting, result } of finished) waiting.done.resolve(result)\n    await new Promise(setImmediate)\n",
      ],
    ],
    tests: ['test/faults/faults.test.ts'],
    named: 'on sqlite',
  },
  {
    name: 'acknowledge before commit, on PostgreSQL',
    file: `${storage}/postgres/transact.ts`,
    edits: [
      [
        '  const [statements, commit] = await Promise.allSettled(',
        '  transaction.commit().then(() => client.release(), () => client.release(true))\n' +
          '  if (txnId) return { again: false, result }\n' +
          '  const [statements, commit] = await Promise.allSettled(',
      ],
    ],
    tests: [`${storage}/postgres/outcome.test.ts`],
  },
  {
    name: 'look for the record of a cut-off commit while its last statements may still be on their way',
    file: `${storage}/postgres/interrupted-commit.ts`,
    edits: [['!(await isRunning(pool, transactionId))', "txnId !== ''"]],
    tests: [`${storage}/postgres/outcome.test.ts`],
  },
  {
    name: 'use a block of ids drawn before the database went back',
    file: `${storage}/postgres/id-blocks.ts`,
    edits: [['if (era === this.#era)', 'if (era >= 0)']],
    tests: [`${storage}/postgres/id-blocks.test.ts`],
  },
  {
    name: 'save progress without comparing the epoch: a former owner overwrites the current one',
    file: `${delivery}/progress-store.ts`,
    edits: [["    .where('epoch', '=', values.epoch)\n", '']],
    tests: [`${delivery}/progress-store.test.ts`],
  },
  {
    name: 'webhook id from a counter: the position in the log, which is given to another record after the database has gone back',
    file: `${delivery}/attempt/message.ts`,
    edits: [['{ txnId, ordinal, index }: FeedEvent', '{ position: txnId, index: ordinal, index }: FeedEvent']],
    tests: ['test/faults/going-back.test.ts'],
    named: 'a copy of the database',
  },
  {
    name: 'no hold per instance: later events are sent while an earlier one about the same instance waits for its retry',
    file: `${delivery}/queue/event-queue.ts`,
    edits: [
      [
        'if (!this.#waiting.holds(instance)) return item',
        'if (!this.#waiting.holds(instance) || position) return item',
      ],
    ],
    tests: [`${delivery}/order.test.ts`],
  },
  {
    name: 'two events about one instance in flight: the next one is sent while the first is unanswered',
    file: `${delivery}/queue/event-queue.ts`,
    edits: [['this.#inFlight.add(event.instance)', 'this.#inFlight.add(String(event.position))']],
    tests: [`${delivery}/parallel.test.ts`],
  },
  {
    name: 'forget what was confirmed behind an unanswered event: the next process sends it again',
    file: `${delivery}/progress.ts`,
    edits: [['settled_ahead: writeSettledAhead(this.#settledAhead)', "settled_ahead: '[]'"]],
    tests: [`${delivery}/parallel.test.ts`],
  },
  {
    name: 'versions from a counter: the tree of a lost history has the version of a current one',
    file: 'packages/server/src/areas/topology/businesses/hold.ts',
    edits: [
      [
        '.set({ version: stamp, ...(tree && { tree_version: stamp }) })',
        ".set((eb) => ({ version: eb('version', '+', 1), ...(tree && { tree_version: eb('tree_version', '+', 1) }) }))",
      ],
    ],
    tests: ['test/faults/going-back.test.ts'],
    named: 'a snapshot of its disk',
  },
  {
    name: 'forget to compare the record of a cursor',
    file: 'packages/server/src/areas/events/feed/watching/resume.ts',
    edits: [
      [
        'if (!isGone(cursor, ends.asked, ends)) return undefined',
        'if (cursor.position <= ends.position) return undefined',
      ],
    ],
    tests: ['test/faults/going-back.test.ts'],
    named: 'a copy of the database',
  },
  {
    name: 'every process that notices it records that the history was reset',
    file: `${storage}/history/history.ts`,
    edits: [['if (latest && !this.#tokens.has(latest.token)) return { reset: latest, kept, isNew: true }\n', '']],
    tests: ['test/faults/going-back.test.ts'],
    named: 'a snapshot of its disk',
  },
  {
    name: 'drop the epoch of the numbering lease',
    file: `${storage}/log/numbering.ts`,
    edits: [["      .where('epoch', '=', lease.epoch)\n", '']],
    tests: [`${storage}/log/lease.test.ts`],
  },
  {
    name: 'omit a privilege check: every caller may create sets',
    file: 'packages/contract/src/sets.ts',
    edits: [
      [
        "summary: 'Create a set under a business or a main-line instance.',\n  allow: inBusiness('topoupdate'),",
        "summary: 'Create a set under a business or a main-line instance.',\n  allow: anyone,",
      ],
    ],
    tests: ['test/privileges/matrix.test.ts', 'test/faults/faults.test.ts'],
  },
  {
    name: 'require the wrong privilege: callers who may move hosts may delete sets',
    file: 'packages/contract/src/sets.ts',
    edits: [
      [
        "summary: 'Delete a set with its modules.',\n  allow: inBusiness('topoupdate'),",
        "summary: 'Delete a set with its modules.',\n  allow: inBusiness('hosttrans'),",
      ],
    ],
    tests: ['test/privileges/needs.test.ts'],
  },
  {
    name: 'check the privilege for editing hosts only before the change gets its turn',
    file: 'packages/server/src/areas/privileges/guard.ts',
    edits: [
      [
        'judge({ read: tx, heavy: tx }, admins, tx.actor, asked)).missing[0]',
        'judge({ read: tx, heavy: tx }, admins, tx.actor, asked)).missing[1]',
      ],
    ],
    tests: ['test/privileges/editing.test.ts'],
  },
  {
    name: 'check the privilege for other changes only before they get their turn',
    file: 'packages/server/src/areas/privileges/guard.ts',
    edits: [["['nothing', 'hosts'].includes(allow.need)", 'allow.need.length > 0']],
    tests: ['test/privileges/revoked-in-flight.test.ts'],
  },
  {
    name: 'identify a record without a position by its ticket in the stamp of cached matches',
    file: 'packages/server/src/areas/hosts/search/matches/recorded.ts',
    edits: [["[ref('log.txn_id'), ref('log.ordinal')]", "[ref('log.ticket')]"]],
    tests: ['packages/server/src/areas/hosts/search/matches/staleness.test.ts'],
    named: 'drawn again',
  },
  {
    name: 'give cached matches the same stamp whenever there is no record',
    file: 'packages/server/src/areas/hosts/search/matches/recorded.ts',
    edits: [["sql<string>`'0 ' || floor`", "sql<string>`'0 0'`"]],
    tests: ['packages/server/src/areas/hosts/search/matches/staleness.test.ts'],
    named: 'retention has removed',
  },
  {
    name: 'stream events to callers that may no longer receive them',
    file: 'packages/server/src/areas/events/feed/watching/broadcast.ts',
    edits: [['() => follower.recheck())', '() => follower.recheck().catch(() => {}))']],
    tests: ['packages/server/src/areas/events/feed/watching/revoked.test.ts'],
  },
  {
    name: 'skip one lock: changes do not lock the chain of their account',
    file: `${storage}/change/chain.ts`,
    edits: [["hold !== 'exclusive', (query) => query.forShare('account')", "hold !== 'exclusive', (query) => query"]],
    tests: ['packages/server/src/areas/topology/nodes/sets.races.test.ts'],
  },
  {
    name: 'ignore waiting exclusive changes: shared changes begin although one of the model waits',
    file: `${storage}/change/chain.ts`,
    edits: [['query.where(({ not, exists }) => not(exists(waitingIn(reader, account)))),', 'query,']],
    tests: [`${storage}/postgres/waiting.test.ts`],
  },
  {
    name: 'skip one lock: hosts that move are not locked',
    file: 'packages/server/src/areas/hosts/rows.ts',
    edits: [["(tx.dialect.locksRows, (query) => query.forUpdate('host'))", '(tx.dialect.locksRows, (query) => query)']],
    tests: ['packages/server/src/areas/hosts/write/hosts.races.test.ts'],
  },
  {
    name: 'cache a tree under a newer stamp: the stamp is read after the rows',
    file: 'packages/server/src/areas/topology/tree/tree.ts',
    edits: [
      [
        'const stamp = stampOf(first.tree_version, first.model_version)',
        'const now = await findBusiness(storage.read, account, business.bizId)\n  const stamp = stampOf(now.treeVersion, now.modelVersion)',
      ],
      [
        "import type { Business } from '../businesses/hold.ts'",
        "import { type Business, findBusiness } from '../businesses/hold.ts'",
      ],
    ],
    tests: ['packages/server/src/areas/topology/tree/tree.test.ts'],
  },
  {
    name: 'acknowledge a commit that the standby has not seen',
    file: `${storage}/postgres/interrupted-commit.ts`,
    edits: [['    if (taken) await ask(confirmSql)\n', '']],
    tests: ['test/faults/standby.test.ts'],
  },
  {
    name: 'render a tree with other levels than those of its rows',
    file: 'packages/server/src/areas/topology/levels/chain.ts',
    edits: [['    if (after === before) return found\n', '    if (after) return found\n']],
    tests: ['packages/server/src/areas/topology/tree/tree.test.ts'],
  },
  {
    name: 'commit what a refused change has written',
    file: `${storage}/sqlite/writes/group-commit.ts`,
    edits: [["        writer.query('ROLLBACK TO change', [])\n", '']],
    tests: ['test/hostile/fuzz.test.ts', `${storage}/change/change.test.ts`],
    named: 'on sqlite',
  },
  {
    name: 'never free the slot of a finished request',
    file: 'packages/server/src/http/limits/admission.ts',
    edits: [['    if (!watches) this.#running--\n', '']],
    tests: ['test/hostile/overload.test.ts'],
    named: 'past capacity',
  },
  {
    name: 'leak memory with every request',
    file: 'packages/server/src/http/limits/admission.ts',
    edits: [
      ['  readonly #callers =', '  readonly #all: number[][] = []\n  readonly #callers ='],
      [
        '  refuseIfFull(): void {\n',
        '  refuseIfFull(): void {\n    this.#all.push(new Array(2_000).fill(Math.random()))\n',
      ],
    ],
    tests: ['test/hostile/overload.test.ts'],
    named: 'past capacity',
  },
  {
    name: 'back up rows from several snapshots',
    file: `${storage}/sqlite/snapshot.ts`,
    edits: [["    database.exec('BEGIN')\n", '']],
    tests: ['test/faults/backup.test.ts'],
  },
  {
    name: 'commit a migration step that has failed',
    file: `${storage}/migrations/migrate.ts`,
    edits: [
      [
        'engine.transact(uniqueId(), (connection) => take(connection, engine, step),',
        'engine.transact(uniqueId(), (connection) => take(connection, engine, step).catch(() => {}),',
      ],
    ],
    tests: [`${storage}/migrations/upgrade-kept.test.ts`],
  },
  {
    name: 'share a read that has started with later requests',
    file: `${storage}/prepared.ts`,
    edits: [['    if (!reading.hasBegun) return reading.rows\n', '    if (!reading.next) return reading.rows\n']],
    tests: [`${storage}/prepared.test.ts`],
  },
  {
    name: 'read the cache inside a transaction: its handle has the cache and the count of commits',
    file: `${storage}/handles.ts`,
    edits: [
      [
        "{ dialect }: Pick<EngineParts, 'dialect'>): Writer {",
        '{ dialect, cache, generation }: EngineParts): Writer {',
      ],
      [
        '  const writer = {\n    [reaches]: connection,\n',
        '  const writer = {\n    [reaches]: connection,\n    [cacheOf]: cache,\n    generation,\n',
      ],
    ],
    tests: ['test/privileges/revoking.test.ts', `${storage}/change/change.test.ts`],
  },
  {
    name: 'read the cache inside a transaction: a change uses the model passed to it, whatever its version',
    file: `${storage}/change/change.ts`,
    edits: [['if (ahead?.version === modelVersion) model.known = ahead', 'model.known = ahead']],
    tests: ['packages/server/src/areas/model/definitions/races.test.ts'],
  },
  {
    name: 'change grants without the exclusive lock',
    file: `${storage}/change/chain.ts`,
    edits: [["if (held === 'shared' && engine.isShared)", "if (held === 'none' && engine.isShared)"]],
    tests: ['test/privileges/revoking.test.ts'],
    named: 'on postgres',
  },
  {
    name: 'search sets below an instance with levels that may have changed',
    file: 'packages/server/src/areas/hosts/search/where.ts',
    edits: [["WHERE under.object_id <> 'set'", "WHERE under.object_id <> 'set' AND node.object_id = 'set'"]],
    tests: ['packages/server/src/areas/hosts/search/hosts.search.test.ts'],
  },
  {
    name: 'let an older program write after a breaking migration',
    file: `${storage}/migrations/migrate.ts`,
    edits: [['  if (isBreaking(step.migration)) await', '  if (isBreaking(step.migration) && !step.onBegun) await']],
    tests: [`${storage}/migrations/online.test.ts`],
    named: 'a program continues',
  },
  {
    name: 'close idle connections immediately when a stop starts',
    file: 'packages/server/src/http/stop/stop.ts',
    edits: [['    this.#idleMs = idleMs\n', '    this.#idleMs = Math.min(0, idleMs)\n']],
    tests: ['packages/server/src/commands/serve/restart.test.ts'],
    named: 'keep-alive clients',
  },
  {
    name: 'consider a ticket settled while its change is in progress',
    file: `${storage}/log/settled.ts`,
    edits: [['if (!this.#candidate.writers.isDisjointFrom(writers)) return', 'if (writers.size < 0) return']],
    tests: [`${storage}/log/settled.test.ts`],
  },
  {
    name: 'one side of a move forgotten: the past places a host in its new modules, and keeps it in the business that it left',
    file: `${past}/steps.ts`,
    edits: [
      [
        '...(placement[side] && { biz_id: placement[side].biz_id })',
        '...(placement.before && { biz_id: placement.before.biz_id })',
      ],
    ],
    tests: [`${past}/past.property.test.ts`],
  },
  {
    name: 'a level change not versioned: parents in the past follow from the levels before it',
    file: `${past}/fold.ts`,
    edits: [["...changes.filter(({ kind }) => kind === 'object'),\n", '']],
    tests: [`${past}/past.property.test.ts`],
  },
  {
    name: 'a version closed one position late',
    file: `${past}/fold.ts`,
    edits: [['line.made.push({ ...edge, to: position })', 'line.made.push({ ...edge, to: position + 1 })']],
    tests: [`${past}/past.property.test.ts`],
  },
]

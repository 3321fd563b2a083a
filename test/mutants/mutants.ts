// Bugs planted on purpose: each with the tests that must notice it.
export interface Mutant {
  readonly name: string
  readonly file: string
  /** What stands in the file, exactly once, and what is put in its place. */
  readonly edits: readonly (readonly [string, string])[]
  /** Files of tests, and if need be words of the test's name. */
  readonly tests: readonly string[]
  readonly named?: string
}

const storage = 'packages/server/src/platform/storage'
const delivery = 'packages/server/src/areas/subscriptions/delivery'

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
    file: `${storage}/sqlite/engine.ts`,
    edits: [
      [
        "      stage = 'commit'\n",
        "      stage = 'commit'\n      for (const { waiting, result } of finished) waiting.done.resolve(result)\n      await nextTurn()\n",
      ],
    ],
    tests: ['test/faults/faults.test.ts'],
    named: 'on sqlite',
  },
  {
    name: 'acknowledge before commit, on PostgreSQL',
    file: `${storage}/postgres/engine.ts`,
    edits: [
      [
        "const { command } = await client.query(asking('COMMIT'))\n      client.release()",
        "const command = 'COMMIT' as string\n      client.query(asking('COMMIT')).then(() => client.release(), () => client.release(true))",
      ],
    ],
    tests: [`${storage}/postgres/outcome.test.ts`],
  },
  {
    name: "drop the sender's epoch: what it saves fits, whoever owns the subscription by now",
    file: `${delivery}/books.ts`,
    edits: [["    .where('epoch', '=', values.epoch)\n", '']],
    tests: [`${delivery}/books.test.ts`],
  },
  {
    name: 'drop the epoch of the numbering lease',
    file: `${storage}/log/numbering.ts`,
    edits: [["      .where('epoch', '=', lease.epoch)\n", '']],
    tests: [`${storage}/log/lease.test.ts`],
  },
  {
    name: 'forget one guard: anybody may create sets',
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
    name: 'ask for the wrong right: who moves hosts may delete sets',
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
    name: 'judge an edit of hosts before its turn, and there alone',
    file: 'packages/server/src/areas/privileges/guard.ts',
    edits: [['    return missing[0]\n', '    return missing.length > 1 ? missing[0] : undefined\n']],
    tests: ['test/privileges/editing.test.ts'],
  },
  {
    name: 'tell events to who may no longer hear them',
    file: 'packages/server/src/areas/feed/stream.ts',
    edits: [
      [
        'if (until.aborted || !(await mayHear(listener))) return',
        'if (until.aborted || (!listener && (await mayHear(listener)))) return',
      ],
    ],
    tests: ['packages/server/src/areas/feed/revoked.test.ts'],
  },
  {
    name: 'skip one lock: changes do not hold the chain of their account',
    file: `${storage}/change.ts`,
    edits: [["hold !== 'exclusive', (query) => query.forShare('account')", "hold !== 'exclusive', (query) => query"]],
    tests: ['packages/server/src/areas/sets/races.test.ts'],
  },
  {
    name: 'let nobody go first: changes begin although one of the model waits',
    file: `${storage}/change.ts`,
    edits: [['query.where(({ not, exists }) => not(exists(waitingIn(reader, account)))),', 'query,']],
    tests: [`${storage}/postgres/waiting.test.ts`],
  },
  {
    name: 'skip one lock: hosts that move are not held',
    file: 'packages/server/src/areas/hosts/rows.ts',
    edits: [["(tx.dialect.locksRows, (query) => query.forUpdate('host'))", '(tx.dialect.locksRows, (query) => query)']],
    tests: ['packages/server/src/areas/hosts/hosts.races.test.ts'],
  },
  {
    name: 'keep a tree under a newer stamp: the stamp is read after the rows',
    file: 'packages/server/src/areas/topology/tree.ts',
    edits: [
      [
        'const stamp = stampOf(first.tree_version, first.model_version)',
        'const now = await findBusiness(storage.read, account, business.bizId)\n  const stamp = stampOf(now.treeVersion, now.modelVersion)',
      ],
      ["import type { Business } from './hold.ts'", "import { type Business, findBusiness } from './hold.ts'"],
    ],
    tests: ['packages/server/src/areas/topology/tree.test.ts'],
  },
  {
    name: 'acknowledge a commit that the standby has not seen',
    file: `${storage}/postgres/engine.ts`,
    edits: [['      if (taken) await ask(confirmSql)\n', '']],
    tests: ['test/faults/standby.test.ts'],
  },
  {
    name: 'show a tree by other levels than its rows are of',
    file: 'packages/server/src/areas/topology/chain.ts',
    edits: [['    if (after === before) return found\n', '    if (after) return found\n']],
    tests: ['packages/server/src/areas/topology/tree.test.ts'],
  },
  {
    name: 'keep what a refused change has written',
    file: `${storage}/sqlite/engine.ts`,
    edits: [["          writer.query('ROLLBACK TO change', [])\n", '']],
    tests: ['test/hostile/fuzz.test.ts', `${storage}/change.test.ts`],
    named: 'on sqlite',
  },
  {
    name: 'forget that a request has left',
    file: 'packages/server/src/platform/http/gate.ts',
    edits: [['    if (!watches) this.#running--\n', '']],
    tests: ['test/hostile/overload.test.ts'],
    named: 'past capacity',
  },
  {
    name: 'keep something of every request, for ever',
    file: 'packages/server/src/platform/http/gate.ts',
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
    name: 'back up rows of more than one moment',
    file: `${storage}/sqlite/still.ts`,
    edits: [["    database.exec('BEGIN')\n", '']],
    tests: ['test/faults/backup.test.ts'],
  },
  {
    name: 'take a step of an upgrade before it is known to work',
    file: `${storage}/migrate.ts`,
    edits: [
      [
        'engine.transact(uniqueId(), (connection) => take(connection, engine, migration, Date.now(), begin))',
        'engine.transact(uniqueId(), (connection) => take(connection, engine, migration, Date.now(), begin).catch(() => {}))',
      ],
    ],
    tests: [`${storage}/upgrade-kept.test.ts`],
  },
  {
    name: 'share a reading that has begun',
    file: `${storage}/prepared.ts`,
    edits: [['    if (!reading.hasBegun) return reading.rows\n', '    if (!reading.next) return reading.rows\n']],
    tests: [`${storage}/prepared.test.ts`],
  },
  {
    name: 'cache read inside a transaction: its handle has the cache and the count of commits',
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
    tests: ['test/privileges/revoking.test.ts', `${storage}/change.test.ts`],
  },
  {
    name: 'cache read inside a transaction: a change takes the model that was handed to it, whatever its version',
    file: `${storage}/change.ts`,
    edits: [['model: { known: ahead?.version === modelVersion ? ahead : undefined },', 'model: { known: ahead },']],
    tests: ['packages/server/src/areas/model/races.test.ts'],
  },
  {
    name: 'cache written inside a transaction: the model of a group that may be rolled back',
    file: 'packages/server/src/areas/model/index.ts',
    edits: [
      [
        '  tx.model.known = model\n',
        '  tx.model.known = model\n  await cached(written as CommittedReader, cacheKey(tx.actor.account), tx.modelVersion, async () => model)\n',
      ],
      [
        'const model = lastCached(reader, cacheKey(account))',
        'written = reader\n    const model = lastCached(reader, cacheKey(account))',
      ],
      [
        'const cacheKey = (account: string) =>',
        'let written: CommittedReader | undefined\nconst cacheKey = (account: string) =>',
      ],
    ],
    tests: ['test/faults/model.test.ts'],
  },
  {
    name: 'change grants while others are judged by them',
    file: `${storage}/change.ts`,
    edits: [["if (held === 'shared' && engine.dialect.locksRows)", "if (held === 'none' && engine.dialect.locksRows)"]],
    tests: ['test/privileges/revoking.test.ts'],
    named: 'on postgres',
  },
  {
    name: 'look for sets below an instance by levels that may have changed',
    file: 'packages/server/src/areas/hosts/where.ts',
    edits: [["WHERE under.object_id <> 'set'", "WHERE under.object_id <> 'set' AND node.object_id = 'set'"]],
    tests: ['packages/server/src/areas/hosts/hosts.search.test.ts'],
  },
]

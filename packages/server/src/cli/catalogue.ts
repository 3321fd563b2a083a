import { connectionFlags, type FlagName, flags, type Given, type Offer } from './arguments/flags.ts'

export interface ClientCommand {
  readonly summary: string
  /** The forms of the command, without the program's name and the flags. */
  readonly usage: readonly string[]
  /** Completions for each of its arguments. */
  readonly words: readonly Offer[]
  readonly takes: readonly FlagName[]
  /** The values of --output, the default first; or that it names a file. */
  readonly outputs?: readonly string[] | 'file'
  readonly examples: readonly string[]
  /** Loaded lazily, so that other commands start faster. */
  readonly load: () => Promise<(given: Given) => Promise<void>>
}

export const resourceNames = ['hosts', 'businesses', 'sets', 'modules', 'queries', 'subscriptions', 'groups'] as const
export type ResourceName = (typeof resourceNames)[number]

export const importKinds = ['hosts', 'topology', 'estate'] as const
export const sheetKinds = ['hosts', 'topology'] as const

/** The usual objects of a history; any other can be named, too. */
export const historyObjects = ['biz', 'set', 'module', 'host'] as const

const tabular = ['table', 'json', 'csv', 'yaml']

/** The commands that call a server. Light to load: help, completion and the choice of a command need no more. */
export const clientCommands: Record<string, ClientCommand> = {
  get: {
    summary: 'list hosts, businesses, sets, modules, queries, subscriptions or groups',
    usage: ['get RESOURCE'],
    words: [resourceNames],
    takes: ['business', 'set', 'where', 'fields', 'sort', 'limit', 'as-of', ...connectionFlags],
    outputs: tabular,
    examples: [
      "get hosts --business 'Web shop' --where 'bk_os_type=1 and module.bk_module_name in (nginx, web)'",
      "get sets --business 2 --where 'bk_capacity >= 100' --sort -bk_capacity -o csv",
    ],
    load: async () => (await import('./commands/get.ts')).getCommand,
  },
  tree: {
    summary: 'draw the topology of a business',
    usage: ['tree'],
    words: [],
    takes: ['business', 'depth', 'idle', 'as-of', ...connectionFlags],
    outputs: ['text', 'json', 'yaml'],
    examples: ["tree --business 'Web shop' --depth 2", "tree --business 'Web shop' --as-of -2h"],
    load: async () => (await import('./commands/tree.ts')).treeCommand,
  },
  query: {
    summary: 'run a saved query',
    usage: ['query run NAME|ID'],
    words: [['run']],
    takes: ['business', 'fields', 'limit', 'as-of', ...connectionFlags],
    outputs: tabular,
    examples: ["query run 'web servers' --business 'Web shop' -o json"],
    load: async () => (await import('./commands/query.ts')).queryCommand,
  },
  audit: {
    summary: 'list audit records, newest first',
    usage: ['audit'],
    words: [],
    takes: ['since', 'until', 'business', 'operator', 'target', 'type', 'reason', 'limit', ...connectionFlags],
    outputs: ['text', 'json'],
    examples: ['audit --since 1h', 'audit --since 7d --operator amy --target set -o json'],
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  history: {
    summary: 'list the versions of an instance, newest first, also of a deleted one',
    usage: ['history OBJECT ID', 'history rebuild'],
    words: [[...historyObjects, 'rebuild']],
    takes: ['below', 'from', 'to', 'limit', ...connectionFlags],
    outputs: ['text', 'json'],
    examples: ['history set 12 --below', 'history host 7 --from -7d -o json'],
    load: async () => (await import('./commands/history.ts')).historyCommand,
  },
  blame: {
    summary: 'show who set each value of an instance, when and why',
    usage: ['blame OBJECT ID'],
    words: [historyObjects],
    takes: connectionFlags,
    outputs: tabular,
    examples: ['blame host 7', 'blame set 12 -o json'],
    load: async () => (await import('./commands/blame.ts')).blameCommand,
  },
  diff: {
    summary:
      'compare two moments of a business, of an instance with everything below it, or of a saved query; exits 1 when they differ',
    usage: ['diff', 'diff OBJECT ID'],
    words: [historyObjects],
    takes: ['biz', 'business', 'query', 'from', 'to', ...connectionFlags],
    outputs: ['text', 'json'],
    examples: [
      "diff --from -1d --biz 'Web shop'",
      "diff --from -1d --biz 'Web shop' --query web",
      'diff set 12 --from position:140 --to position:180',
    ],
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  undo: {
    summary: 'undo a change, all changes of a request, or single records',
    usage: ['undo --request ID', 'undo --txn ID', 'undo --position N,N'],
    words: [],
    takes: ['request', 'txn', 'position', 'dry-run', 'on-conflict', 'reason', ...connectionFlags],
    outputs: ['text', 'json'],
    examples: ['undo --request tidy-up-7 --dry-run', 'undo --position 141,142 --on-conflict skip'],
    load: async () => (await import('./commands/undo.ts')).undoCommand,
  },
  events: {
    summary: 'stream events until Ctrl+C',
    usage: ['events tail'],
    words: [['tail']],
    takes: ['resource', 'business', 'where', 'cursor', 'limit', ...connectionFlags],
    outputs: ['text', 'json'],
    examples: [
      "events tail --resource host,host_relation --business 'Web shop'",
      "events tail --resource host --where 'changed in (bk_state_name) and after.bk_os_type = 1'",
    ],
    load: async () => (await import('./commands/events.ts')).eventsCommand,
  },
  import: {
    summary: 'import hosts, a topology or a whole estate from a file',
    usage: importKinds.map((kind) => `import ${kind} FILE`),
    words: [importKinds, 'files'],
    takes: ['business', 'dry-run', 'atomic', 'restart', 'failed', 'reason', ...connectionFlags],
    examples: ["import hosts hosts.csv --business 'Web shop' --dry-run", 'import estate estate.jsonl'],
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  export: {
    summary: 'export hosts, a topology, a whole estate or an empty template to a file',
    usage: [...importKinds, ...sheetKinds.map((kind) => `template ${kind}`)].map((kind) => `export ${kind}`),
    words: [[...importKinds, 'template'], sheetKinds],
    takes: ['business', 'format', 'as-of', ...connectionFlags],
    outputs: 'file',
    examples: ["export hosts --business 'Web shop' -o hosts.xlsx", 'export template topology > topology.csv'],
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  profile: {
    summary: 'store servers and tokens under names',
    usage: ['profile add NAME', 'profile list', 'profile use NAME', 'profile remove NAME'],
    words: [['add', 'list', 'use', 'remove'], 'profiles'],
    takes: ['server', 'token', 'user', 'account'],
    examples: ['profile add live --server https://cmdb.example.org < token.txt', 'profile use live'],
    load: async () => (await import('./commands/profile.ts')).profileCommand,
  },
  completion: {
    summary: 'print the completion script for bash, zsh or fish',
    usage: ['completion bash', 'completion zsh', 'completion fish'],
    words: [['bash', 'zsh', 'fish']],
    takes: connectionFlags,
    examples: [
      'completion bash > ~/.local/share/bash-completion/completions/mainline',
      'completion fish > ~/.config/fish/completions/mainline.fish',
    ],
    load: async () => (await import('./completion/index.ts')).completionCommand,
  },
}

/** The flags that a command takes, with their spellings and descriptions. */
export const flagsOf = ({ takes, outputs }: ClientCommand) => [
  ...(outputs ? [{ ...flags.output, ...outputOf(outputs), name: 'output' }] : []),
  ...takes.map((name) => ({ ...flags[name], name })),
]

const outputOf = (outputs: readonly string[] | 'file') =>
  outputs === 'file'
    ? { value: 'FILE', help: 'the file to write (default: print it)', offers: 'files' as const }
    : { help: `${outputs.join(', ')} (default ${outputs[0]})`, offers: outputs }

export function helpOf(name: string, command: ClientCommand): string {
  const rows = flagsOf(command).map(({ name, short, value, help }) => [
    `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
    help,
  ])
  const width = Math.max(...rows.map(([spelled = '']) => spelled.length))
  return [
    `mainline ${name}: ${command.summary}`,
    '',
    ...command.usage.map((way) => `  mainline ${way} [flags]`),
    '',
    ...rows.map(([spelled = '', help]) => `  ${spelled.padEnd(width)}  ${help}`),
    '',
    'Examples:',
    '',
    ...command.examples.map((example) => `  mainline ${example}`),
    '',
    'Exit codes: 0 success, 1 the server rejected the request or a part of it, 2 invalid usage, 3 the server is unreachable.',
    '',
  ].join('\n')
}

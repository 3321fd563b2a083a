import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { flags as clientFlags } from '../cli/arguments/flags.ts'
import { clientCommands, flagsOf } from '../cli/catalogue.ts'
import { allSettings, listSettings } from '../common/config.ts'
import { Refusal } from '../common/refusal.ts'
import { runCommand } from '../testing/process.ts'
import { serverCommands } from './catalogue.ts'
import { runCommandLine } from './run.ts'

/** The output of a command line, or its error. */
async function ran(...words: string[]): Promise<{ out: string; refusal: Refusal | undefined }> {
  let out = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += chunk
    return true
  })
  onTestFinished(() => write.mockRestore())
  try {
    await runCommandLine(words)
    return { out, refusal: undefined }
  } catch (error) {
    if (error instanceof Refusal) return { out, refusal: error }
    throw error
  } finally {
    write.mockRestore()
  }
}

interface Known {
  readonly flag: string
  readonly env?: string
  readonly fallback?: string
}

/** Those of both kinds have the help of the one that calls a server. */
const onlyServers = Object.entries(serverCommands).filter(([name]) => !Object.hasOwn(clientCommands, name))

const commands: [name: string, flags: Known[]][] = [
  ...Object.entries(clientCommands).map(
    ([name, command]) => [name, flagsOf(command).map((each) => ({ flag: each.name }))] as [string, Known[]],
  ),
  ...onlyServers.map(
    ([name, { flags = [], settings }]) =>
      [name, [...flags, ...listSettings(settings === 'all' ? allSettings : settings)]] as [string, Known[]],
  ),
]

/** Invocations without a required argument; other commands require none. */
const incomplete: Record<string, string[][]> = {
  get: [[], ['pots']],
  tree: [['--depth=many']],
  query: [[], ['run'], ['walk', 'x']],
  audit: [['--since=whenever'], ['--type=party']],
  events: [[], ['head']],
  import: [[], ['hosts'], ['pots', 'file']],
  export: [[], ['template'], ['pots']],
  profile: [[], ['add'], ['use'], ['remove'], ['add', 'live']],
  completion: [[], ['tcsh']],
  serve: [['--port=eighty'], ['now']],
  migrate: [['now']],
  demo: [['--hosts=some'], ['now']],
  verify: [
    ['one', 'two'],
    ['--receipt=file'],
    ['--signed-since=1'],
    ['file', '--witness=/dev/null'],
    ['file', '--state'],
  ],
  'seal-key': [[], ['make', 'file'], ['create'], ['create', 'one', 'two']],
  backup: [[], ['one', 'two']],
  restore: [[], ['one', 'two']],
  move: [[], ['--from=sqlite'], ['--from=sqlite', '--to=mysql://x'], ['--from=sqlite', '--to=sqlite']],
  privileges: [[], ['test'], ['play', 'file'], ['test', 'one', 'two']],
  token: [
    [],
    ['sing'],
    ['create'],
    ['create', '--user'],
    ['create', '--user=amy', '--expires=soon'],
    ['revoke'],
    ['revoke', 'x'],
    ['list', '--user=amy'],
  ],
  sessions: [[], ['sing'], ['end'], ['end', 'x'], ['end', 'abcdefabcdef', '--user=amy'], ['list', 'one', 'two']],
  history: [[], ['forget'], ['rebuild', 'now'], ['set'], ['set', 'x'], ['set', '1', '2']],
  blame: [[], ['set'], ['set', 'x'], ['set', '1', '2']],
  diff: [[], ['set', '1'], ['--from=-1d'], ['--from=-1d', '--biz=2', 'set', '1'], ['set', '1', '2']],
  undo: [[], ['now'], ['--txn=x', '--request=y'], ['--position=x']],
  openapi: [['now']],
  version: [['now']],
  help: [['dance'], ['token', 'dance']],
}

describe.each(commands)('mainline %s', (name, known) => {
  it('--help, -h and help say the same', async () => {
    const { out, refusal } = await ran(name, '--help')
    expect(refusal).toBeUndefined()
    expect(out).toMatch(new RegExp(`^mainline ${name}: .+\\n\\n  mainline ${name}`))
    expect((await ran(name, '-h')).out).toBe(out)
    expect((await ran('help', name)).out).toBe(out)
    expect((await ran(name, 'whatever', '-h')).out).toBe(out)
  })

  it('help lists each flag once, with its variable and its default', async () => {
    const { out } = await ran(name, '--help')
    const lines = out.split('\n').filter((line) => /^ {2}(-\w, )?--/.test(line))
    const listed = lines.map((line) => /--([a-z-]+)/.exec(line)?.[1])
    expect(listed.toSorted()).toEqual(known.map(({ flag }) => flag).toSorted())
    for (const { flag, env, fallback } of known.filter((each) => each.env !== undefined)) {
      const line = lines.find((each) => each.includes(`--${flag} `))
      expect(line).toMatch(new RegExp(`--${flag} +${env} +`))
      expect(line).toContain(fallback || '(none)')
    }
  })

  it('an unknown flag is wrong usage, with a suggestion', async () => {
    const { refusal } = await ran(name, '--sevrer=x', '--data-dri=x')
    expect(refusal).toMatchObject({ exitCode: 2, message: expect.stringContaining(`'mainline ${name}' has no flag`) })
    if (known.length > 0) expect(refusal?.message).toMatch(/Did you mean --/)
    expect(refusal?.message).toContain(`See 'mainline ${name} --help'.`)
    expect((await ran(name, '--constructor')).refusal?.message).toContain('has no flag --constructor')
  })

  it('a missing, superfluous or wrong argument is wrong usage', async () => {
    const wrong = incomplete[name]
    expect(wrong).toBeDefined()
    for (const args of wrong ?? []) {
      const { refusal } = await ran(name, ...args)
      expect(refusal, `${name} ${args.join(' ')}`).toMatchObject({ exitCode: 2 })
    }
  })
})

it('the connection flags of client commands name their variables', async () => {
  for (const [name, { takes }] of Object.entries(clientCommands)) {
    const { out } = await ran(name, '-h')
    for (const flag of ['server', 'token', 'profile', 'user', 'account'] as const) {
      if ((takes as readonly string[]).includes(flag))
        expect(out).toMatch(new RegExp(`--${flag} .*MAINLINE_${flag.toUpperCase()}`))
    }
  }
})

it('help of a subcommand, and of an unknown one', async () => {
  const creating = (await ran('help', 'token', 'create')).out
  expect(creating).toBe((await ran('token', 'create', '-h')).out)
  expect(creating).toMatch(/token create --user NAME[\s\S]*--expires TIME/)
  expect(creating).not.toContain('token list')
  const listing = (await ran('help', 'token', 'list')).out
  expect(listing).toContain('mainline token list [flags]')
  expect(listing).not.toMatch(/--user|--expires|token create/)
  expect((await ran('help', 'events', 'tail')).out).toBe((await ran('events', '-h')).out)
  expect((await ran('help', 'tokn')).refusal).toMatchObject({
    exitCode: 2,
    message: /no command 'tokn'. Did you mean token/,
  })
  expect((await ran('constructor')).refusal).toMatchObject({ exitCode: 2 })
})

it('no command, --help and -h show all of them; version has three spellings', async () => {
  const { out } = await ran()
  for (const [name] of commands) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))
  for (const words of [['--help'], ['-h'], ['help']]) expect((await ran(...words)).out).toBe(out)
  const { out: version } = await ran('version')
  expect(version).toMatch(/^\d+\.\d+\.\d+\n$/)
  for (const word of ['--version', '-V']) expect((await ran(word)).out).toBe(version)
})

it('settings that a command does not take are not read from the environment', async () => {
  vi.stubEnv('PORT', 'eighty')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect((await ran('version')).refusal).toBeUndefined()
  expect((await ran('serve')).refusal).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("PORT is 'eighty'"),
  })
  expect((await ran('verify', '--data-dir=/nowhere')).refusal).toMatchObject({ exitCode: 1 })
})

it('the process exits with these codes, and prints the reason on stderr only', async () => {
  expect(await runCommand(['verify', '--prot=3'])).toMatchObject({ code: 2, output: /has no flag --prot/ })
  expect((await runCommand(['verify', '--data-dir=/nowhere'])).code).toBe(1)
  expect((await runCommand(['token', '-h'])).code).toBe(0)
})

/** Flags of other programs that our texts mention. */
const ofOthers = ['json', 'oauth2-bearer', 'data-binary', 'list']

it('every flag that a text of the program mentions exists', () => {
  const ours = new Set([
    ...commands.flatMap(([, known]) => known.map(({ flag }) => flag)),
    ...Object.keys(clientFlags),
    'help',
    'version',
    ...ofOthers,
  ])
  const source = fileURLToPath(new URL('../', import.meta.url))
  const files = globSync('**/*.ts', { cwd: source, exclude: (name) => name.endsWith('.test.ts') || name === 'testing' })
  const mentioned = files.flatMap((file) =>
    [...readFileSync(`${source}${file}`, 'utf8').matchAll(/(?<=[\s'"`|/])--([a-z][a-z0-9-]+)/g)].map(
      ([, flag = '']) => ({
        file,
        flag: flag.replace(/-$/, ''),
      }),
    ),
  )
  expect(mentioned.length).toBeGreaterThan(50)
  expect(mentioned.filter(({ flag }) => !ours.has(flag))).toEqual([])
})

it('a word of the server tells commands of the same name apart', async () => {
  expect((await ran('history', '--help')).out).toContain('mainline history OBJECT ID [flags]')
  const rebuild = await ran('history', 'rebuild', '--help')
  expect(rebuild.out).toMatch(/^mainline history: .*\n\n {2}mainline history rebuild/)
  expect((await ran('help', 'history', 'rebuild')).out).toBe(rebuild.out)
})

import { listProblems } from '@mainline/contract'
import { remedies } from './remedies.ts'

const groups: readonly [title: string, codes: RegExp][] = [
  ['Any request', /^(1199|9900)/],
  ['Topology and model', /^(1101|1001)/],
  ['Events', /^1103/],
  ['Hosts', /^(1106|11100[0-5])/],
  ['Files', /^111006/],
]

/** Every error code, its cause and remedy, from the contract's catalogue. */
export function errorPage(): string {
  const problems = listProblems().toSorted((one, other) => one.code - other.code || one.status - other.status)
  const entry = ({ code, status, en, zh, kind }: (typeof problems)[number]) => {
    const [when, what] = remedies[kind]
    const id = problems.find((each) => each.code === code)?.kind === kind ? ` {#${code}}` : ''
    return `### ${code} ${kind}${id}

\`${en}\` · ${zh}

HTTP **${status}**. ${when}

**What to do.** ${what}
`
  }
  return `# Errors

Every refusal is an envelope with a code. Go by the code: codes never change and are never reused, texts may. What stands
in braces is filled in; behind a colon there is often what would be right. The word beside the code is the \`kind\` of a
\`Failure\` of [the TypeScript client](../packages/client/README.md). With \`--compat bk-cmdb\` the HTTP status is always 200.

A request that was refused has changed nothing, unless its operation says otherwise.

${groups
  .map(
    ([title, codes]) => `## ${title}

${problems
  .filter(({ code }) => codes.test(String(code)))
  .map(entry)
  .join('\n')}`,
  )
  .join('\n')}`
}

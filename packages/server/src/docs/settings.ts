import { listSettings } from '../common/config.ts'

/** Every setting, from the list that the command line is parsed by. */
export function settingsPage(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
  const rows = listSettings().map(
    ({ flag, env, fallback, help }) =>
      `| \`--${flag}\` | \`${env}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${cell(help)} |`,
  )
  return `# Settings

A flag wins over the environment, the environment over the default. \`mainline serve --help\` lists the same. A value that is wrong keeps the
server from starting, and it says what would be right.

| Flag | Environment | Default | Meaning |
|---|---|---|---|
${rows.join('\n')}
`
}

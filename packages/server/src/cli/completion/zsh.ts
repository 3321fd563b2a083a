import type { CompletedCommand, SpokenFlag } from './spoken.ts'

const zshQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** Brackets and colons in a description are escaped, because they have a meaning there. */
const described = (text: string) => text.replace(/[[\]\\]/g, '\\$&').replaceAll(':', '\\:')
const zshOffers = (offers: SpokenFlag['offers']) => {
  if (offers === 'files') return '_files'
  if (typeof offers === 'string') return `{_mainline_names ${offers}}`
  return offers.length > 0 ? `(${offers.join(' ')})` : ' '
}

function flagSpec({ spellings, help, takesValue, repeats, offers }: SpokenFlag): string {
  const rest = `[${described(help)}]${takesValue ? `:value:${zshOffers(offers)}` : ''}`
  return spellings.map((each) => zshQuoted(`${repeats ? '*' : ''}${each}${rest}`)).join(' ')
}

export function zshScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, words, flags }) => {
    const specs = [
      ...flags.map(flagSpec),
      ...words.map((offers, at) => zshQuoted(`${at + 1}:word:${zshOffers(offers)}`)),
    ]
    return `    ${name})\n      _arguments \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')}\n      ;;`
  })
  return `#compdef mainline
# Completion of mainline for zsh: 'mainline completion zsh' wrote this.

_mainline_names() {
  local -a names connection
  local at
  for ((at = 2; at < $#words; at++)); do
    [[ $words[at] == --(server|profile|token|user|account) ]] && connection+=($words[at] \${(Q)words[at+1]})
  done
  names=(\${(f)"$($program completion names $1 $connection 2>/dev/null </dev/null)"})
  compadd -a names
}

_mainline() {
  local program=$words[1]
  if ((CURRENT == 2)); then
    local -a commands=(
${commands.map(({ name, summary }) => `      ${zshQuoted(`${name}:${described(summary)}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join('\n')}
  esac
}

if [[ $funcstack[1] == _mainline ]]; then _mainline "$@"; else compdef _mainline mainline; fi
`
}

import type { CompletedCommand, SpokenFlag } from './spoken.ts'

const words = (all: readonly string[]) => `'${all.join(' ')}'`
const bashOffers = (offers: SpokenFlag['offers']) =>
  typeof offers === 'string' ? `_mainline_names ${offers}` : `_mainline_words ${words(offers)}`

/** Bash offers files if the script offers nothing. */
const hasOffers = (offers: SpokenFlag['offers']) => offers !== 'files' && offers.length > 0

/** Everything but live names is in the script itself, so that pressing Tab starts no program. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const switches = new Set(
    commands.flatMap(({ flags }) => flags.filter((flag) => !flag.takesValue).flatMap(({ spellings }) => spellings)),
  )
  const flagLines = commands.map(
    ({ name, flags }) => `    ${name}) flags=${words(flags.flatMap(({ spellings }) => spellings))} ;;`,
  )
  const valueLines = commands.flatMap(({ name, flags }) =>
    flags
      .filter(({ takesValue, offers }) => takesValue && hasOffers(offers))
      .map(
        ({ spellings, offers }) =>
          `    ${spellings.map((each) => `${name}:${each}`).join('|')}) ${bashOffers(offers)} ;;`,
      ),
  )
  const wordLines = commands.flatMap(({ name, words: each }) =>
    each.flatMap((offers, at) => (hasOffers(offers) ? [`    ${name}:${at}) ${bashOffers(offers)} ;;`] : [])),
  )
  return `# Completion of mainline for bash: 'mainline completion bash' wrote this.

_mainline_words() {
  local word
  for word in $1; do
    [[ $word == "$plain"* ]] && COMPREPLY+=("$word")
  done
}

# Names may hold blanks: they are matched as they are and offered as the shell would read them.
_mainline_names() {
  local name
  while IFS= read -r name; do
    [[ $name == "$plain"* ]] || continue
    if [[ $current == [\\'\\"]* ]]; then COMPREPLY+=("$name"); else COMPREPLY+=("$(printf %q "$name")"); fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" completion names "$1" "\${connection[@]}" 2>/dev/null </dev/null)
}

_mainline() {
  COMPREPLY=()
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  # To bash a = is a word of its own.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $before == '=' ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local plain=\${current#[\\'\\"]}
  plain=\${plain//\\\\/}

  if ((COMP_CWORD == 1)); then
    _mainline_words ${words(commands.map(({ name }) => name))}
    return
  fi

  # How many words there are before this one, and which server is asked.
  local switches=' ${[...switches].join(' ')} '
  local at=2 place=0 connection=() word value
  while ((at < COMP_CWORD)); do
    word=\${COMP_WORDS[at]}
    if [[ $word == -* && "$switches" != *" $word "* ]]; then
      [[ \${COMP_WORDS[at + 1]} == '=' ]] && ((at += 1))
      ((at += 1))
      value=\${COMP_WORDS[at]}
      # And so is a colon: an address is several.
      while ((at + 1 < COMP_CWORD)) && [[ \${COMP_WORDS[at]} == : || \${COMP_WORDS[at + 1]} == : ]]; do
        ((at += 1))
        value+=\${COMP_WORDS[at]}
      done
      [[ $word =~ ^--(server|profile|token|user|account)$ ]] && ((at < COMP_CWORD)) && connection+=("$word" "$value")
    elif [[ $word != -* ]]; then
      ((place += 1))
    fi
    ((at += 1))
  done

  case $command:$before in
${valueLines.join('\n')}
    *)
      if [[ $before == -?* && "$switches" != *" $before "* ]]; then
        return
      elif [[ $current == -* ]]; then
        local flags=
        case $command in
${flagLines.map((line) => `      ${line}`).join('\n')}
        esac
        _mainline_words "$flags"
      else
        case $command:$place in
${wordLines.map((line) => `      ${line}`).join('\n')}
        esac
      fi
      ;;
  esac
}

complete -o default -F _mainline mainline
`
}

import type { CompletedCommand, SpokenFlag } from './spoken.ts'

const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fishOffers = (offers: SpokenFlag['offers']): string => {
  if (offers === 'files') return '-F'
  if (typeof offers === 'string') return `-a '(__mainline_names ${offers})'`
  return offers.length > 0 ? `-a ${fishQuoted(offers.join(' '))}` : ''
}

const flagLine = (name: string, { spellings, help, takesValue, offers }: SpokenFlag): string => {
  const spelled = spellings.map((each) => (each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`))
  // -x: takes a value other than a file; -r: takes a value that may be a file.
  const value = takesValue ? (offers === 'files' ? '-r' : '-x') : ''
  const parts = [
    `-n '__mainline_in ${name}'`,
    ...spelled,
    value,
    takesValue ? fishOffers(offers) : '',
    `-d ${fishQuoted(help)}`,
  ]
  return `complete -c mainline ${parts.filter(Boolean).join(' ')}`
}

/** Everything but live names is in the script itself, so that pressing Tab starts no program. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const valued = commands.flatMap(({ flags }) =>
    flags.filter((flag) => flag.takesValue).flatMap((flag) => flag.spellings),
  )
  const names = commands.map(
    ({ name, summary }) => `complete -c mainline -n '__mainline_at 0' -a ${name} -d ${fishQuoted(summary)}`,
  )
  const rest = commands.flatMap(({ name, words, flags }) => [
    ...words.flatMap((offers, at) =>
      offers.length > 0
        ? [`complete -c mainline -n '__mainline_in ${name}; and __mainline_at ${at + 1}' ${fishOffers(offers)}`]
        : [],
    ),
    ...flags.map((flag) => flagLine(name, flag)),
  ])
  return `# Completion of mainline for fish: 'mainline completion fish' wrote this.

# The words before the cursor that are neither flags nor their values.
function __mainline_words
    set -l valued ${[...new Set(valued)].join(' ')}
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if string match -q -- '-*' $word
            contains -- $word $valued; and set skip 1
        else
            echo $word
        end
    end
end

function __mainline_at
    test (count (__mainline_words)) = $argv[1]
end

function __mainline_in
    test (__mainline_words)[1] = $argv[1] 2>/dev/null
end

# Asked of the server that the command line names.
function __mainline_names
    set -l words (commandline -opc)
    set -l connection
    for at in (seq 2 (count $words))
        if contains -- $words[$at] --server --profile --token --user --account
            set -a connection $words[$at] $words[(math $at + 1)]
        else if string match -qr -- '^--(server|profile|token|user|account)=' $words[$at]
            set -a connection $words[$at]
        end
    end
    $words[1] completion names $argv[1] $connection 2>/dev/null </dev/null
end

complete -c mainline -f
${[...names, ...rest].join('\n')}
`
}

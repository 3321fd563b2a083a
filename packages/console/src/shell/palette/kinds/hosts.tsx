import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { patternOf } from '../../../api/pattern.ts'
import { Icon } from '../../../kit/Icon.tsx'
import { Station } from '../../../kit/Station.tsx'
import { findHosts, type HostRow, type HostSearch, readWords } from '../../../pages/hosts/questions.ts'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { best, type Ranked, rankOf, type Sought, seek } from '../rank.ts'
import type { Asking, FoundKind, Target } from '../targets.ts'

const most = 6
/** A single letter is in nearly every name. */
const fewestLetters = 2
const fields = ['bk_host_name', 'bk_asset_id', 'bk_sn']
/** After all matches that the browser can explain, such as the second address of a pasted list. */
const worst = 100

/** An address, which nothing but an address looks like. */
const isAddress = (text: string): boolean => /^[\d.]*\.[\d.]*$|:/.test(text)

const inField = (field: string, text: string): HostSearch => ({
  words: '',
  conditions: [{ bk_obj_id: 'host', condition: [{ field, operator: '$regex', value: patternOf(text) }] }],
  fields,
})

/** One identifier of hosts. The last result stays until the next one arrives. */
const useFound = (search: HostSearch, enabled: boolean) =>
  useQuery({ ...findHosts(search, 0, most), enabled, placeholderData: (before) => before })

/** By address, name, asset number and serial number. */
export function useHostTargets({ sought, sent }: Asking): FoundKind {
  const words = useWords(paletteWords)
  const navigate = useNavigate()
  const enabled = sent.length >= fewestLetters
  const mayBeName = enabled && !isAddress(sent)
  const read = readWords(sent)
  const isBoth = mayBeName && read !== null && 'addresses' in read
  const listed = useFound({ words: sent, conditions: [], fields }, enabled)
  const searches = [
    listed,
    // Of "db1" the list of hosts takes each character for one of an address.
    useFound(inField('bk_host_name', sent), isBoth),
    useFound(inField('bk_asset_id', sent), mayBeName),
    useFound(inField('bk_sn', sent), mayBeName),
  ]
  const isSettled = searches.every(({ isPlaceholderData }) => !isPlaceholderData)
  const rows = new Map(searches.flatMap(({ data }) => data?.rows ?? []).map((row) => [row.host.bk_host_id, row]))
  const isShown = sought.text.length >= fewestLetters
  const ranked = isShown ? rankRows(rows.values(), sought, isSettled ? worst : undefined) : []
  const found = ranked.map(({ item: row, rank }) => ({
    rank,
    item: asTarget(row, sought, () => navigate({ to: '/hosts/$host', params: { host: String(row.host.bk_host_id) } })),
  }))
  const isCurrent = seek(sent).text === sought.text && !listed.isPlaceholderData
  const count = isCurrent ? (listed.data?.count ?? 0) : 0
  const all: Target = {
    id: 'all hosts',
    name: words.allHosts(count),
    sign: <Icon name="hosts" />,
    go: () => navigate({ to: '/hosts', search: { q: sent } }),
  }
  return {
    id: 'hosts',
    name: words.groups.hosts,
    found: isShown && count > most ? [...found, { rank: worst, item: all }] : found,
    isSearching: searches.some(({ isFetching }) => isFetching),
  }
}

const rankRows = (rows: Iterable<HostRow>, sought: Sought, otherwise: number | undefined): Ranked<HostRow>[] =>
  best(rows, most, (row) => rankOf(sought, identifiersOf(row)) ?? otherwise)

const textIn = ({ host }: HostRow, field: string): string => String(host[field] ?? '')

const identifiersOf = (row: HostRow): string[] =>
  [...row.host.bk_host_innerip.split(','), ...fields.map((field) => textIn(row, field))].filter(Boolean)

/** Asset and serial number are shown if they are what was found. */
function asTarget(row: HostRow, sought: Sought, go: () => void): Target {
  const matched = ['bk_asset_id', 'bk_sn']
    .map((field) => textIn(row, field))
    .filter((value) => value && rankOf(sought, [value]) !== undefined)
  return {
    id: `host ${row.host.bk_host_id}`,
    name: row.host.bk_host_innerip,
    aside: [textIn(row, 'bk_host_name'), ...matched].filter(Boolean).join(' · '),
    sign: <Station object="host" />,
    go,
  }
}

import type { Endpoint } from '@mainline/contract'
import { asDocumented, type Dialect } from '../http/dialect.ts'
import { type Entry, entries } from './contents.ts'
import { nearestPages } from './nearest.ts'
import { layOut, layOutMissing, layOutTrying, pageAddress } from './pages/layout.ts'
import { linksFrom, type Rendered, render } from './pages/markdown.ts'
import { errorPage } from './reference/errors.ts'
import { areaPage, overviewPage } from './reference/reference.ts'
import { settingsPage } from './settings.ts'
import { type File, readFiles, readSource } from './sources.ts'

/** The documentation site. Pages are rendered on first request and cached. */
export interface Site {
  /** A page or a file by its path below /docs/; undefined if there is none. */
  find(path: string): File | undefined
  /** The page for an unknown path, with similar pages. */
  missing(path: string): File
  /** The page to try operations; `assets` is the path of the files of Swagger UI. */
  trying(assets: string): File
}

const asPage = (html: string): File => ({ type: 'text/html; charset=utf-8', bytes: Buffer.from(html) })

export function openSite(endpoints: readonly Endpoint[], dialect: Dialect = asDocumented): Site {
  const files = readFiles()
  const rendered = new Map<Entry, Rendered>()
  const read = (entry: Entry): Rendered => {
    const known = rendered.get(entry) ?? renderEntry(entry, endpoints, dialect, files)
    rendered.set(entry, known)
    return known
  }
  const make = (path: string): File | undefined => {
    const entry = entries.find((each) => each.path === path)
    if (entry) return asPage(layOut(entry, read(entry)))
    return path === 'search.json' ? searchIndex(read) : undefined
  }
  return {
    find(path) {
      const found = files.get(path) ?? make(path)
      if (found) files.set(path, found)
      return found
    },
    missing: (path) => asPage(layOutMissing(path, nearestPages(path))),
    trying: (assets) => asPage(layOutTrying(assets)),
  }
}

export function sourceOf({ source }: Entry, endpoints: readonly Endpoint[], dialect: Dialect = asDocumented): string {
  if ('file' in source) return readSource(source.file)
  if ('area' in source) return areaPage(source.area, endpoints, dialect)
  return { api: () => overviewPage(endpoints), errors: errorPage, settings: settingsPage }[source.made]()
}

function renderEntry(
  entry: Entry,
  endpoints: readonly Endpoint[],
  dialect: Dialect,
  files: ReadonlyMap<string, File>,
): Rendered {
  const file = 'file' in entry.source ? entry.source.file : `docs/${entry.path}.md`
  const resolve = linksFrom(file, (named) => {
    const other = entries.find(({ source }) => 'file' in source && source.file === named)
    if (other) return pageAddress(other)
    const below = named.replace(/^docs\//, '')
    if (below === 'openapi.json' || below === 'asyncapi.json') return `/${below}`
    return files.has(below) ? `/docs/${below}` : undefined
  })
  return render(sourceOf(entry, endpoints, dialect), resolve)
}

/** An entry for every heading of every page: address, title and text. */
function searchIndex(read: (entry: Entry) => Rendered): File {
  const lines = entries.flatMap((entry) =>
    read(entry).sections.map(({ id, title, text }) => [`${pageAddress(entry)}#${id}`, entry.title, title, text]),
  )
  return { type: 'application/json; charset=utf-8', bytes: Buffer.from(JSON.stringify(lines)) }
}

import type { Endpoint } from '@mainline/contract'
import { type Entry, entries } from './contents.ts'
import { errorPage } from './errors.ts'
import { addressOf, layOut } from './layout.ts'
import { linksFrom, type Rendered, render } from './markdown.ts'
import { areaPage, overviewPage } from './reference.ts'
import { settingsPage } from './settings.ts'
import { type File, readFiles, readSource } from './sources.ts'

/** The documentation as it is read in a browser. Nothing is made before it is asked for, and everything once. */
export interface Site {
  /** A page or a file by what stands behind /docs/; undefined where there is none. */
  find(path: string): File | undefined
  /** The page for addresses that lead nowhere. */
  missing(): File
}

const html = 'text/html; charset=utf-8'

export function openSite(endpoints: readonly Endpoint[]): Site {
  const files = readFiles()
  const rendered = new Map<Entry, Rendered>()
  const read = (entry: Entry): Rendered => {
    const known = rendered.get(entry) ?? renderEntry(entry, endpoints, files)
    rendered.set(entry, known)
    return known
  }
  const make = (path: string): File | undefined => {
    const entry = entries.find((each) => each.path === path)
    if (entry) return { type: html, bytes: Buffer.from(layOut(entry, read(entry))) }
    return path === 'search.json' ? searchIndex(read) : undefined
  }
  return {
    find(path) {
      const found = files.get(path) ?? make(path)
      if (found) files.set(path, found)
      return found
    },
    missing() {
      const entry: Entry = { path: '', title: 'Nothing is here', source: { file: '' } }
      const text = '# Nothing is here\n\nThe address leads nowhere. Search, or begin [at the first page](/docs).\n'
      return {
        type: html,
        bytes: Buffer.from(
          layOut(
            entry,
            render(text, (target) => target),
          ),
        ),
      }
    },
  }
}

export function sourceOf({ source }: Entry, endpoints: readonly Endpoint[]): string {
  if ('file' in source) return readSource(source.file)
  if ('area' in source) return areaPage(source.area, endpoints)
  return { api: () => overviewPage(endpoints), errors: errorPage, settings: settingsPage }[source.made]()
}

function renderEntry(entry: Entry, endpoints: readonly Endpoint[], files: ReadonlyMap<string, File>): Rendered {
  const file = 'file' in entry.source ? entry.source.file : `docs/${entry.path}.md`
  const resolve = linksFrom(file, (named) => {
    const other = entries.find(({ source }) => 'file' in source && source.file === named)
    if (other) return addressOf(other)
    const below = named.replace(/^docs\//, '')
    if (below === 'openapi.json') return '/openapi.json'
    return files.has(below) ? `/docs/${below}` : undefined
  })
  return render(sourceOf(entry, endpoints), resolve)
}

/** A line for every heading of every page: where it is, what it is called, what it says. */
function searchIndex(read: (entry: Entry) => Rendered): File {
  const lines = entries.flatMap((entry) =>
    read(entry).sections.map(({ id, title, text }) => [`${addressOf(entry)}#${id}`, entry.title, title, text]),
  )
  return { type: 'application/json; charset=utf-8', bytes: Buffer.from(JSON.stringify(lines)) }
}

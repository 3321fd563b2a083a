import { hosts as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { questions } from '../../api/ask.ts'
import { findBusinesses } from '../../api/businesses.ts'
import { call, Refusal } from '../../api/call.ts'
import { useHostAttributes } from '../../api/model.ts'
import { Button } from '../../kit/Button.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Select, TextField } from '../../kit/Field.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { type Place, pathTo, wayTo } from '../topology/tree.ts'
import { findHosts } from './questions.ts'
import { type NewHost, readHosts } from './rows.ts'

/** So many go in one request, so that there is progress to see. */
const atOnce = 500
const mostShown = 200

interface Report {
  readonly success: readonly string[]
  readonly error: readonly string[]
  readonly update_error: readonly string[]
}

interface AddHostsProps {
  business?: number
  /** The module one looks at. */
  into?: Place | undefined
  onClose(): void
}

/** How the module is named among the places to add to, beside the ids of businesses. */
const here = 'module'

/** By hand, from a list of addresses or from a file; and told before and after what becomes of every row. */
export function AddHosts({ business, into, onClose }: AddHostsProps) {
  const words = useWords(hostWords)
  const general = useWords(common)
  const attributes = useHostAttributes()
  const businesses = useQuery(findBusinesses('')).data?.businesses ?? []
  const [text, setText] = useState('')
  const [target, setTarget] = useState(into ? here : business === undefined ? '' : String(business))
  const [refused, setRefused] = useState<ReadonlyMap<number, string>>(new Map())
  const [added, setAdded] = useState<ReadonlySet<number>>(new Set())
  const [done, setDone] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const rows = useMemo(
    () => (attributes ? readHosts(text, attributes, { ...general.check, ...words }) : []),
    [text, attributes, general, words],
  )
  const good = rows.filter((row) => !row.problem && !added.has(row.row))
  const known = useKnown(good)

  /** Other rows: what became of those before says nothing about them. */
  const load = (next: string) => {
    setText(next)
    setRefused(new Map())
    setAdded(new Set())
    setError(null)
  }

  const add = async () => {
    setError(null)
    setDone(0)
    const reasons = new Map<number, string>()
    const finished = new Set(added)
    try {
      for (let first = 0; first < good.length; first += atOnce) {
        const part = good.slice(first, first + atOnce)
        const report = await send(part, target, into)
        for (const row of report.success) finished.add(Number(row))
        for (const reason of [...report.error, ...report.update_error]) {
          const [, row, why] = /^(\d+): ?(.*)$/s.exec(reason) ?? []
          reasons.set(Number(row), why ?? reason)
        }
        setDone(Math.min(first + atOnce, good.length))
      }
    } catch (failure) {
      setError(failure as Error)
    }
    setDone(null)
    setRefused(reasons)
    setAdded(finished)
    await questions.invalidateQueries()
    if (finished.size > added.size) tell(words.added(finished.size - added.size))
    if (reasons.size === 0 && finished.size === rows.length) onClose()
  }

  return (
    <Dialog
      title={words.addTitle}
      action={words.add}
      wide
      busy={done !== null}
      because={good.length === 0 ? words.nothingToAdd : undefined}
      error={error}
      onAction={add}
      onClose={onClose}
    >
      <p className="quiet">{words.addWhy}</p>
      <Select
        label={words.addTo}
        value={target}
        onChange={setTarget}
        none={words.pool}
        choices={[
          ...(into ? [{ id: here, name: wayTo(into) }] : []),
          ...businesses.map((each) => ({ id: String(each.bk_biz_id), name: words.idleOf(each.bk_biz_name) })),
        ]}
        required
      />
      <TextField
        label={words.paste}
        value={text}
        onChange={load}
        lines={5}
        mono
        required
        autoFocus
        placeholder={'10.0.0.1\n10.0.0.2'}
      />
      <div className="buttons">
        <FileTrigger
          acceptedFileTypes={['text/csv', 'text/plain', '.csv']}
          onSelect={async (files) => load((await files?.[0]?.text()) ?? '')}
        >
          <Button icon="external">{words.file}</Button>
        </FileTrigger>
      </div>
      {rows.length > 0 && <Preview rows={rows} known={known} refused={refused} added={added} />}
      {done !== null && <Progress label={words.add} done={done} of={good.length} />}
      {refused.size > 0 && (
        <p className="notice warn" role="alert">
          {words.partly(added.size, refused.size)}
        </p>
      )}
    </Dialog>
  )
}

/** With any bad row the answer is a failure that still tells what became of each. */
async function send(rows: readonly NewHost[], target: string, into: Place | undefined): Promise<Report> {
  const host_info = Object.fromEntries(rows.map((row) => [String(row.row), row.values]))
  try {
    if (into && target === here) {
      const body = { bk_biz_id: pathTo(into)[0]?.id ?? 0, bk_module_id: [into.id], host_info }
      return await call(operations.addHostsToModules, { body })
    }
    const body = { ...(target && { bk_biz_id: Number(target) }), host_info }
    return await call(operations.addHosts, { body })
  } catch (error) {
    if (error instanceof Refusal && error.data) return error.data as Report
    throw error
  }
}

/** Which of the addresses belong to a host already. */
function useKnown(rows: readonly NewHost[]): ReadonlySet<string> {
  const addresses = rows.slice(0, mostShown).map((row) => row.address)
  const search = { conditions: [], words: addresses.join(','), fields: [] }
  const found = useQuery({ ...findHosts(search, 0, mostShown), enabled: addresses.length > 1 })
  return new Set(found.data?.rows.flatMap((row) => row.host.bk_host_innerip.split(',')))
}

interface PreviewProps {
  rows: readonly NewHost[]
  known: ReadonlySet<string>
  refused: ReadonlyMap<number, string>
  added: ReadonlySet<number>
}

function Preview({ rows, known, refused, added }: PreviewProps) {
  const words = useWords(hostWords)
  const bad = rows.filter((row) => row.problem).length
  return (
    <div>
      <p>{words.rows(rows.length - bad, bad)}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section className="add-preview" tabIndex={0} aria-label={words.paste}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col" className="number">
                {words.row}
              </th>
              <th scope="col">{words.paste}</th>
              <th scope="col">{words.fate}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, mostShown).map((row) => {
              const problem = row.problem ?? refused.get(row.row)
              const fate = added.has(row.row)
                ? words.isAdded
                : known.has(row.address)
                  ? words.willUpdate
                  : words.willAdd
              return (
                <tr key={row.row}>
                  <td className="number quiet">{row.row}</td>
                  <td className="mono">{row.address}</td>
                  <td>
                    {problem ? <span className="problem">{problem}</span> : <span className="quiet">{fate}</span>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </div>
  )
}

import { useEffect, useMemo, useRef, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { refreshAfter } from '../../api/ask.ts'
import { useHostModel } from '../../api/model.ts'
import { asRequest, newRequest } from '../../api/request.ts'
import { Button } from '../../kit/Button.tsx'
import { intoSight } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { forgetUnsaved } from '../../kit/unsaved.ts'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { addHosts, type Destination, useIsThere } from './adding.ts'
import { ColumnChoices } from './ColumnChoices.tsx'
import type { ChosenColumns } from './columns.ts'
import { type HostRows, type NewHost, readHosts } from './rows.ts'

/** Rows per request, so that progress is visible and the import can be stopped. */
const atOnce = 500
const mostShown = 200

/** The results of the rows so far. */
interface Outcome {
  readonly added: ReadonlySet<number>
  readonly refused: ReadonlyMap<number, string>
  /** How many rows had been sent, and of how many, when the user stopped the import. */
  readonly stopped?: { readonly sent: number; readonly of: number }
}
const noRows: HostRows = { rows: [], columns: [] }
const nothingYet: Outcome = { added: new Set(), refused: new Map() }

/** Adds several hosts, from a list of addresses or a table. */
export function useHostList(to: Destination, onClose: () => void) {
  const words = useWords(hostWords)
  const general = useWords(common)
  const model = useHostModel()
  const { attributes } = model
  const [text, setText] = useState('')
  const [outcome, setOutcome] = useState(nothingYet)
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [stopping, setStopping] = useState(false)
  const isStopped = useRef(false)
  // Leaving the page stops the import, too.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const [chosen, setChosen] = useState<ChosenColumns>({})
  const { rows, columns } = useMemo(
    () => (attributes ? readHosts(text, attributes, { ...general.check, ...words }, chosen) : noRows),
    [text, attributes, general, words, chosen],
  )
  const good = rows.filter((row) => !row.problem && !outcome.added.has(row.row))

  /** New rows: results of previous ones do not apply. */
  const load = (next: string) => {
    setText(next)
    setOutcome(nothingYet)
    setError(null)
  }

  const loadFile = async (file: File | undefined) => {
    setChosen({})
    load((await file?.text()) ?? '')
  }

  const run = async () => {
    const of = good.length
    const added = new Set(outcome.added)
    const refused = new Map<number, string>()
    isStopped.current = false
    setStopping(false)
    setError(null)
    const request = newRequest()
    try {
      let done = 0
      while (done < of && !isStopped.current) {
        setProgress({ done, of })
        const rows = good.slice(done, done + atOnce)
        const report = await asRequest(request, () => addHosts(rows, to))
        for (const row of report.done) added.add(row)
        for (const [row, why] of report.refused) refused.set(row, why)
        done = Math.min(done + atOnce, of)
        setOutcome({
          added: new Set(added),
          refused: new Map(refused),
          ...(done < of && { stopped: { sent: done, of } }),
        })
      }
    } catch (failure) {
      setOutcome({ added, refused })
      setError(failure as Error)
    }
    setProgress(null)
    forgetUnsaved()
    await refreshAfter('hosts')
    if (added.size > outcome.added.size) tell(words.added(added.size - outcome.added.size), { request_id: request.id })
    if (refused.size === 0 && added.size === rows.length) onClose()
  }
  const stop = () => {
    isStopped.current = true
    setStopping(true)
  }
  const because = attributes ? (good.length === 0 ? words.nothingToAdd : undefined) : general.loading
  const choose = (index: number, attribute: string) => setChosen((before) => ({ ...before, [index]: attribute }))
  const busy = progress !== null
  return {
    model,
    text,
    load,
    loadFile,
    rows,
    columns,
    choose,
    outcome,
    progress,
    busy,
    error,
    because,
    run,
    stop,
    stopping,
  }
}

export function HostList({
  model,
  text,
  load,
  loadFile,
  rows,
  columns,
  choose,
  outcome,
  progress,
  busy,
}: ReturnType<typeof useHostList>) {
  const words = useWords(hostWords)
  const { added, refused, stopped } = outcome
  return (
    <>
      <p className="quiet">{words.addWhy}</p>
      <TextField
        label={words.paste}
        value={text}
        onChange={load}
        isDisabled={busy}
        lines={5}
        mono
        required
        autoFocus
        placeholder={'10.0.0.1\n10.0.0.2'}
      />
      <div className="buttons">
        <FileTrigger acceptedFileTypes={['text/csv', 'text/plain', '.csv']} onSelect={(files) => loadFile(files?.[0])}>
          <Button icon="external" isDisabled={busy}>
            {words.file}
          </Button>
        </FileTrigger>
      </div>
      {model.error && <Failure error={model.error} retry={model.retry} />}
      {columns.length > 0 && (
        <ColumnChoices columns={columns} attributes={model.attributes ?? []} onChoose={choose} isDisabled={busy} />
      )}
      {rows.length > 0 && <Preview rows={rows} outcome={outcome} />}
      {progress && (
        <div ref={intoSight}>
          <Progress label={words.add} {...progress} />
        </div>
      )}
      {!progress && stopped && (
        <p className="notice warn" role="alert" ref={intoSight}>
          {words.stopped(stopped.sent, stopped.of)}
        </p>
      )}
      {refused.size > 0 && (
        <p className="notice warn" role="alert" ref={intoSight}>
          {words.partly(added.size, refused.size)}
        </p>
      )}
    </>
  )
}

/** Rows with problems come first, because only the first rows are shown. */
function Preview({ rows, outcome: { added, refused } }: { rows: readonly NewHost[]; outcome: Outcome }) {
  const words = useWords(hostWords)
  const problemOf = (row: NewHost) => row.problem ?? refused.get(row.row)
  const bad = rows.filter((row) => row.problem).length
  const ordered = [...rows.filter(problemOf), ...rows.filter((row) => !problemOf(row))]
  const shown = ordered.slice(0, mostShown)
  const hidden = ordered.slice(mostShown)
  const isThere = useIsThere(shown.filter((row) => !row.problem))
  const resultOf = (row: NewHost) => {
    if (added.has(row.row)) return words.isAdded
    const there = isThere(row)
    return there === undefined ? words.willAddOrUpdate : there ? words.willUpdate : words.willAdd
  }
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
              <th scope="col">{words.rowResult}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => {
              const problem = problemOf(row)
              return (
                <tr key={row.row}>
                  <td className="number quiet">{row.row}</td>
                  <td className="mono">{row.address}</td>
                  <td>
                    {problem ? (
                      <span className="problem">{problem}</span>
                    ) : (
                      <span className="quiet">{resultOf(row)}</span>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      {hidden.length > 0 && <p className="quiet">{words.notShown(hidden.length, hidden.filter(problemOf).length)}</p>}
    </div>
  )
}

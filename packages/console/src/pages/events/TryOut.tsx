import { callbacks } from '@mainline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRefusal } from '../../api/may.ts'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { type Draft, wouldConfirm } from './draft.ts'
import { queryIn } from './names.ts'
import { type CatalogueEntry, catalogue, ping, telnet } from './questions.ts'

/** Tests the receiver before saving, and shows its answer. */
export function TryOut({ draft }: { draft: Draft }) {
  const words = useWords(eventWords)
  const refused = useRefusal(callbacks.pingSubscription)
  const entries = useQuery(catalogue()).data ?? []
  const url = draft.url.trim()
  const trying = useMutation<Answer, Error, 'ping' | 'telnet'>({
    mutationFn: async (how) => {
      if (how === 'ping') return { url, answer: await ping(url, sampleFor(draft.events[0], entries)) }
      await telnet(url)
      return { url, answer: undefined }
    },
  })
  const because = refused ?? (url ? undefined : words.urlFirst)
  // An answer belongs to the address it came from.
  const answered = trying.data && trying.data.url === url ? trying.data : undefined
  return (
    <section className="try-out" aria-label={words.tryOut}>
      <div className="buttons">
        <Button
          because={because}
          busy={trying.isPending && trying.variables === 'telnet'}
          onPress={() => trying.mutate('telnet')}
        >
          {words.telnet}
        </Button>
        <Button
          icon="events"
          because={because}
          busy={trying.isPending && trying.variables === 'ping'}
          onPress={() => trying.mutate('ping')}
        >
          {words.ping}
        </Button>
      </div>
      {trying.error ? (
        <Failure error={trying.error} />
      ) : answered ? (
        <Outcome draft={draft} {...answered} />
      ) : (
        <p className="help">{words.tryWhy}</p>
      )}
    </section>
  )
}

interface Answer {
  readonly url: string
  /** Undefined: only a connection was tried. */
  readonly answer: { http_status: number; response_body: string } | undefined
}

function Outcome({ draft, answer }: { draft: Draft } & Answer) {
  const words = useWords(eventWords)
  if (!answer) {
    return (
      <p className="outcome" role="status">
        <span className="tag good">
          <Icon name="check" size={12} />
        </span>
        {words.reached}
      </p>
    )
  }
  const confirms = wouldConfirm(draft, answer.http_status)
  return (
    <div className="outcome" role="status">
      <strong>{words.answered(answer.http_status)}</strong>
      {confirms !== undefined && (
        <span className={`tag ${confirms ? 'good' : 'bad'}`}>
          {confirms ? words.confirms : words.rejects(draft.pattern.trim())}
        </span>
      )}
      {answer.response_body ? (
        <pre className="mono">{answer.response_body}</pre>
      ) : (
        <span className="quiet">{words.emptyAnswer}</span>
      )}
    </div>
  )
}

/** The body of the first selected event. */
function sampleFor(name: string | undefined, entries: readonly CatalogueEntry[]): unknown {
  const found = entries.find(
    (entry) =>
      entry.event_name === name || (name !== undefined && queryIn(name) !== undefined && queryIn(entry.event_name)),
  )
  return (found ?? entries[0])?.sample ?? {}
}

import { queries as operations } from '@mainline/contract'
import { Button } from '../../kit/Button.tsx'
import { copyText } from '../../kit/clipboard.ts'
import { tell } from '../../kit/Toasts.tsx'
import { useWords } from '../../words/index.ts'
import { queries } from '../../words/queries.ts'

/** How to run a saved query from elsewhere, ready to be copied. */
export function Snippets({ business, id }: { business: number; id: string | undefined }) {
  const words = useWords(queries)
  const values: Record<string, string | number> = { bk_biz_id: business, id: id ?? '', start: 0, limit: 200 }
  const path = operations.runQuery.path.replace(/:(\w+)/g, (_, name: string) => String(values[name]))
  const command = `curl -s '${location.origin}/api/v3${path}'`
  return (
    <section>
      <h2>{words.use}</h2>
      {id ? (
        <figure className="snippet">
          <figcaption>{words.curl}</figcaption>
          <code>{command}</code>
          <Button
            look="quiet"
            icon="copy"
            label={words.copy}
            onPress={async () => {
              await copyText(command)
              tell(words.copied)
            }}
          />
        </figure>
      ) : (
        <p className="quiet">{words.saveFirst}</p>
      )}
    </section>
  )
}

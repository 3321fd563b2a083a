import { Button } from '../../kit/Button.tsx'
import { copyText } from '../../kit/clipboard.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'

/** The secret is shown only once, so the dialog does not close by accident. */
export function SecretDialog({ secret, why, onKept }: { secret: string; why: string; onKept(): void }) {
  const words = useWords(eventWords)
  return (
    <Dialog title={words.secretTitle} action={words.kept} onAction={onKept} onClose={onKept} must>
      <p>{why}</p>
      <figure className="secret">
        <figcaption className="unseen">{words.secret}</figcaption>
        <code>{secret}</code>
        <Button
          icon="copy"
          label={words.copy}
          onPress={async () => {
            await copyText(secret)
            tell(words.copied)
          }}
        />
      </figure>
    </Dialog>
  )
}

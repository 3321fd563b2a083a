import { type FormEvent, useState } from 'react'
import { Dialog as Frame, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { type Session, signInAgain } from '../api/session.ts'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { Refused } from './Refused.tsx'

/** Over the page, which keeps what was typed. */
export function SignInAgain({ session, user }: { session: Session; user: string | null }) {
  const words = useWords(shell)
  const { way } = session.sign_in
  const [token, setToken] = useState('')
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState(false)
  const enter = async (event: FormEvent) => {
    event.preventDefault()
    // The form behind it in React's tree must not be submitted, too.
    event.stopPropagation()
    if (busy || (way === 'token' && !token.trim())) return
    setBusy(true)
    setRefused(!(await signInAgain(user, way === 'token' ? token.trim() : undefined)))
    setBusy(false)
  }
  return (
    <ModalOverlay className="overlay above" isOpen isKeyboardDismissDisabled>
      <Modal className="modal">
        <Frame className="dialog" role="alertdialog">
          <header>
            <Heading slot="title">{words.expired}</Heading>
          </header>
          <form className="dialog-body" onSubmit={enter}>
            <p>{words.expiredWhy}</p>
            {way === 'token' && (
              <TextField label={words.token} value={token} onChange={setToken} mono required autoFocus />
            )}
            {way === 'login' && (
              <p>
                <a href={session.sign_in.url} target="_blank" rel="noreferrer">
                  {words.loginElsewhere}
                </a>
              </p>
            )}
            {way === 'none' && <p>{words.noWay}</p>}
            {refused && <Refused text={way === 'token' ? words.tokenRefused : words.stillSignedOut} />}
            <div className="buttons ends">
              <Button look="primary" type="submit" busy={busy}>
                {way === 'token' ? words.signIn : words.signedInAgain}
              </Button>
            </div>
          </form>
        </Frame>
      </Modal>
    </ModalOverlay>
  )
}

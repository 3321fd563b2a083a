import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Dialog as Frame, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'
import { Failure } from './Failure.tsx'
import { UnsavedForm, useUnsavedForm } from './unsaved.ts'

interface DialogProps {
  title: string
  children: ReactNode
  onClose(): void
  /** The action: its button, and what it does. */
  action: string
  /** Replaces "Cancel". */
  cancel?: string
  danger?: boolean
  busy?: boolean
  because?: string | undefined
  error?: Error | null
  onAction(): void
  wide?: boolean
  /** An important message without a choice: it is only closed by its button. */
  must?: boolean
}

/** For errors at the end of a long form. */
export const intoSight = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** A dialog with two buttons. Enter in a field equals the action; Escape equals Cancel, but does not discard typed values without a question. */
export function Dialog({
  title,
  children,
  onClose,
  action,
  cancel,
  danger,
  busy,
  because,
  error,
  onAction,
  wide,
  must,
}: DialogProps) {
  const words = useWords(common)
  const form = useId()
  const unsaved = useUnsavedForm()
  const [leaving, setLeaving] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (because || busy) return
    setLeaving(false)
    onAction()
    const asked = event.currentTarget
    // The invalid field may be scrolled out of sight.
    requestAnimationFrame(() => asked.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const leave = () => {
    if (unsaved.has() && !busy) setLeaving(!leaving)
    else onClose()
  }
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={!busy && !must}
      isKeyboardDismissDisabled={must ?? false}
      onOpenChange={(open) => !open && leave()}
    >
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <Frame className="dialog" role={danger ? 'alertdialog' : 'dialog'}>
          <header>
            <Heading slot="title">{title}</Heading>
          </header>
          <form id={form} className="dialog-body" onSubmit={submit} noValidate>
            <UnsavedForm value={unsaved}>{children}</UnsavedForm>
            {error && (
              <div ref={intoSight}>
                <Failure error={error} />
              </div>
            )}
          </form>
          {leaving ? (
            <footer key="leaving">
              <p className="leaving" role="alert">
                {words.discardWhy}
              </p>
              <Button autoFocus onPress={() => setLeaving(false)}>
                {words.keepEditing}
              </Button>
              <Button look="danger" onPress={onClose}>
                {words.discard}
              </Button>
            </footer>
          ) : (
            <footer>
              {!must && <Button onPress={onClose}>{cancel ?? words.cancel}</Button>}
              <Button
                look={danger ? 'danger' : 'primary'}
                type="submit"
                form={form}
                busy={busy ?? false}
                because={because}
              >
                {action}
              </Button>
            </footer>
          )}
        </Frame>
      </Modal>
    </ModalOverlay>
  )
}

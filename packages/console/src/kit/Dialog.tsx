import { type FormEvent, type ReactNode, useId } from 'react'
import { Dialog as Frame, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'
import { Failure } from './Failure.tsx'

interface DialogProps {
  title: string
  children: ReactNode
  onClose(): void
  /** What the dialog is for: its button, and what it does. */
  action: string
  /** Said in place of "Cancel". */
  cancel?: string
  danger?: boolean
  busy?: boolean
  because?: string | undefined
  error?: Error | null
  onAction(): void
  wide?: boolean
  /** There is nothing to decide, but something not to miss: it only goes by its button. */
  must?: boolean
}

/** For what is to be noticed at the end of a long form. */
export const intoSight = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** A question with two answers. Escape and Cancel are the same; Enter in a field is the action. */
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
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (because || busy) return
    onAction()
    const asked = event.currentTarget
    // What is not right may be out of sight by now.
    requestAnimationFrame(() => asked.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={!busy && !must}
      isKeyboardDismissDisabled={must ?? false}
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <Frame className="dialog" role={danger ? 'alertdialog' : 'dialog'}>
          <header>
            <Heading slot="title">{title}</Heading>
          </header>
          <form id={form} className="dialog-body" onSubmit={submit} noValidate>
            {children}
            {error && (
              <div ref={intoSight}>
                <Failure error={error} />
              </div>
            )}
          </form>
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
        </Frame>
      </Modal>
    </ModalOverlay>
  )
}

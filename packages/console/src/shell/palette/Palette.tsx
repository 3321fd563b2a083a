import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useRefusals } from '../../api/may.ts'
import { Icon } from '../../kit/Icon.tsx'
import { Picker } from '../../kit/Picker.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { paletteWords } from '../../words/palette.ts'
import { shell } from '../../words/shell.ts'
import type { Target } from './targets.ts'
import { useTargets } from './useTargets.ts'

interface PaletteProps {
  business: number | null
  /** What was typed while the palette was loading. */
  typed: RefObject<string>
  onClose(): void
}

/** Ctrl+K: finds whatever has a name, and does what the console can do. */
export function Palette({ business, typed, onClose }: PaletteProps) {
  const { hint } = useWords(paletteWords)
  const { palette } = useWords(shell)
  const { nothingFound, searching } = useWords(common)
  const [sought, setSought] = useState('')
  useLayoutEffect(() => setSought(typed.current), [typed])
  const [refused, setRefused] = useState('')
  const { groups, isSearching, isPending } = useTargets(business, sought)
  const refusalOf = useRefusals()
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])
  const pick = async (target: Target) => {
    const why = target.needs && (await refusalOf(target.needs.operation, target.needs.about))
    // It may have been closed meanwhile.
    if (!isOpen.current) return
    if (why) return setRefused(why)
    onClose()
    target.go()
  }
  return (
    <ModalOverlay className="overlay high" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label={palette}>
          <Picker
            label={palette}
            placeholder={hint}
            sought={sought}
            onSought={(text) => {
              setSought(text)
              setRefused('')
            }}
            groups={groups}
            empty={isSearching ? searching : nothingFound}
            isPending={isPending}
            onPick={pick}
          />
          {refused && (
            <p className="notice warn palette-refused" role="alert">
              <Icon name="warning" />
              {refused}
            </p>
          )}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

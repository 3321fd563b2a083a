import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components'
import { Icon } from './Icon.tsx'
import { useReported } from './unsaved.ts'

interface CheckProps {
  children: ReactNode
  /** The accessible name, if the visible text is not sufficient. */
  label?: string
  isSelected: boolean
  /** Only where the reason is obvious. */
  isDisabled?: boolean
  onChange(on: boolean): void
}

export const Check = ({ children, label, isSelected, isDisabled = false, onChange }: CheckProps) => (
  <Checkbox
    className="check"
    isSelected={isSelected}
    isDisabled={isDisabled}
    onChange={useReported(isSelected, onChange)}
    {...(label && { 'aria-label': label })}
  >
    <span className="box">
      <Icon name="check" size={12} />
    </span>
    {children}
  </Checkbox>
)

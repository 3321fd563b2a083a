import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components'
import { Icon } from './Icon.tsx'

interface CheckProps {
  children: ReactNode
  /** The accessible name, if the visible text is not sufficient. */
  label?: string
  isSelected: boolean
  onChange(on: boolean): void
}

export const Check = ({ children, label, ...rest }: CheckProps) => (
  <Checkbox className="check" {...rest} {...(label && { 'aria-label': label })}>
    <span className="box">
      <Icon name="check" size={12} />
    </span>
    {children}
  </Checkbox>
)

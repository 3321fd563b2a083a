import type { ReactNode } from 'react'
import { Focusable, Button as Pressable, Tooltip, TooltipTrigger } from 'react-aria-components'
import { Icon, type IconName } from './Icon.tsx'

interface ButtonProps {
  children?: ReactNode
  /** The accessible name of an icon button. */
  label?: string
  icon?: IconName
  look?: 'plain' | 'primary' | 'quiet' | 'danger'
  type?: 'button' | 'submit'
  /** Why it is disabled: every disabled button has a reason. */
  because?: string | undefined
  busy?: boolean
  autoFocus?: boolean
  form?: string
  /** Only where the reason is obvious, as on the first page of many. */
  isDisabled?: boolean
  onPress?: () => void
  /** On hover: data that a press would need can be prefetched. */
  onHoverStart?: () => void
}

export function Button({
  children,
  label,
  icon,
  look = 'plain',
  type = 'button',
  because,
  busy,
  onPress,
  ...rest
}: ButtonProps) {
  const inside = (
    <>
      {icon && <Icon name={icon} />}
      {children}
    </>
  )
  const looks = `button ${look}${children ? '' : ' only-icon'}`
  if (because) {
    return (
      <Hint text={because}>
        <button type="button" className={looks} aria-disabled="true" aria-label={label}>
          {inside}
        </button>
      </Hint>
    )
  }
  const button = (
    <Pressable
      // Not isPending: its announcement names the button by id, also after the button has been removed with its dialog.
      className={busy ? `${looks} busy` : looks}
      type={type}
      {...(label && { 'aria-label': label })}
      {...(onPress && { onPress: () => !busy && onPress() })}
      {...rest}
    >
      {inside}
    </Pressable>
  )
  if (children || !label) return button
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      {button}
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  )
}

/** A description of the element with hover or focus. */
export const Hint = ({
  text,
  children,
}: {
  text: string
  children: React.ComponentProps<typeof Focusable>['children']
}) => (
  <TooltipTrigger delay={200} closeDelay={0}>
    <Focusable>{children}</Focusable>
    <Tooltip className="tooltip" offset={6}>
      {text}
    </Tooltip>
  </TooltipTrigger>
)

import { Menu as BaseMenu } from '@base-ui/react/menu'
import { type ReactNode, useId } from 'react'
import { buttonClass } from './button.tsx'

type Props = {
  /** Label of the button that opens the menu. */
  label: string
  /** Names the button more precisely for screen readers. */
  ariaLabel?: string
  size?: 'medium' | 'small'
  look?: 'primary' | 'secondary' | 'quiet'
  /** Returns the element that gets the focus after a choice; defaults to the button. */
  focusAfter?: () => HTMLElement | null | undefined
  children: ReactNode
}

/** A button with a menu of actions. */
export const Menu = ({ label, ariaLabel, size, look, focusAfter, children }: Props) => (
  <BaseMenu.Root modal={false}>
    <BaseMenu.Trigger aria-label={ariaLabel} className={`${buttonClass(look, size)} max-w-full`}>
      <span className="truncate">{label}</span>
    </BaseMenu.Trigger>
    <BaseMenu.Portal>
      <BaseMenu.Positioner className="z-30 outline-none" align="start" sideOffset={4}>
        <BaseMenu.Popup
          finalFocus={() => focusAfter?.() ?? true}
          className="max-h-(--available-height) w-64 max-w-(--available-width) overflow-y-auto rounded-card border border-line bg-surface p-1.5 text-text shadow-float outline-none"
        >
          {children}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
)

type ItemProps = {
  onClick: () => void
  hint?: string | undefined
  /** Explains the choice in a line below it. */
  description?: string | undefined
  children: ReactNode
}

export function MenuItem({ onClick, hint, description, children }: ItemProps) {
  const id = useId()
  return (
    <BaseMenu.Item
      onClick={onClick}
      {...(description && { 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-description` })}
      className="cursor-default rounded-control px-2.5 py-1.5 outline-none data-highlighted:bg-accent-quiet data-highlighted:text-accent"
    >
      <span className="flex items-baseline justify-between gap-3">
        <span id={`${id}-label`}>{children}</span>
        {hint && <code className="min-w-0 truncate font-mono text-muted text-xs">{hint}</code>}
      </span>
      {description && (
        <span id={`${id}-description`} className="block text-muted text-xs">
          {description}
        </span>
      )}
    </BaseMenu.Item>
  )
}

export const MenuGroup = ({ label, children }: { label: string; children: ReactNode }) => (
  <BaseMenu.Group>
    <BaseMenu.GroupLabel className="px-2.5 pt-2 pb-1 text-muted text-xs">{label}</BaseMenu.GroupLabel>
    {children}
  </BaseMenu.Group>
)

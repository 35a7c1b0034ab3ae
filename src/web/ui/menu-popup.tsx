import { Menu as BaseMenu } from '@base-ui/react/menu'
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import type { MenuState } from './menu.tsx'

type Props = {
  id: string
  button: RefObject<HTMLButtonElement | null>
  state: MenuState
  /** Returns the element that receives focus after a choice; defaults to the button. */
  focusAfter: (() => HTMLElement | null | undefined) | undefined
  onClose: () => void
  children: ReactNode
}

export function MenuPopup({ id, button, state, focusAfter, onClose, children }: Props) {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <BaseMenu.Root
      modal={false}
      open={state !== 'closed'}
      onOpenChange={(_isOpen, { event, cancel }) => {
        // The button closes its menu itself. If the menu also closed here, the button would open it again.
        if (event.target instanceof Node && button.current?.contains(event.target)) cancel()
        else onClose()
      }}
    >
      <BaseMenu.Portal>
        <BaseMenu.Positioner anchor={button} className="z-30 outline-none" align="start" sideOffset={4}>
          <BaseMenu.Popup
            id={id}
            ref={popup}
            finalFocus={() => focusAfter?.() ?? button.current}
            className="max-h-(--available-height) w-64 max-w-(--available-width) overflow-y-auto rounded-card border border-line bg-surface p-1.5 text-text shadow-float outline-none"
          >
            {children}
            {state === 'by keyboard' && <FocusOnFirstItem popup={popup} />}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

function FocusOnFirstItem({ popup }: { popup: RefObject<HTMLDivElement | null> }) {
  useEffect(
    () => popup.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true }),
    [popup],
  )
  return null
}

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

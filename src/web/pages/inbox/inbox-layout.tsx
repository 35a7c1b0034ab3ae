import { createContext, type ReactNode, use, useState } from 'react'
import { createPortal } from 'react-dom'
import { EmptyState } from '../../ui/empty-state.tsx'

const PersonPaneContext = createContext<Element | null>(null)

type Props = {
  isOpen: boolean
  /** The filters, which stay above the list while it scrolls. */
  filters: ReactNode
  list: ReactNode
  /** The actions, which stay above the open conversation while it scrolls. */
  actions: ReactNode
  children: ReactNode
}

/**
 * Shows the list, the open conversation and the person, which scroll independently. A conversation is no wider than a
 * line of text of maximum length. Narrow screens show the list, or the conversation with the person below it. The panes
 * are positioned elements, so that hidden text for screen readers doesn't lengthen the page.
 */
export function InboxLayout({ isOpen, filters, list, actions, children }: Props) {
  const [personPane, setPersonPane] = useState<Element | null>(null)
  return (
    <div className="wide:flex wide:min-h-0 wide:flex-1 wide:gap-5">
      <div
        className={`min-w-0 wide:flex wide:w-80 wide:shrink-0 wide:flex-col triple:w-90 ${isOpen ? 'hidden' : ''}`}
      >
        {filters}
        <div className="relative wide:min-h-0 wide:flex-1 wide:overflow-y-auto wide:pb-5 wide:[container-type:size]">
          {list}
        </div>
      </div>
      <div
        className={`min-w-0 wide:flex wide:min-h-0 wide:flex-1 wide:flex-col ${isOpen ? '' : 'hidden wide:block'}`}
      >
        {isOpen ? (
          <PersonPaneContext value={personPane}>
            {actions}
            <div className="relative wide:flex wide:min-h-0 wide:flex-1 wide:flex-col wide:overflow-y-auto triple:grid triple:grid-cols-[minmax(0,calc(72ch+2rem+2px))_minmax(18rem,1fr)] triple:grid-rows-[minmax(0,1fr)] triple:gap-5 triple:overflow-hidden">
              <div className="relative min-w-0 pb-5 wide:max-w-[calc(72ch+2rem+2px)] triple:overflow-y-auto">
                {children}
              </div>
              <aside
                ref={setPersonPane}
                aria-label="Person"
                className="relative pb-5 empty:hidden triple:overflow-y-auto"
              />
            </div>
          </PersonPaneContext>
        ) : (
          <EmptyState title="No conversation selected">
            Select a conversation to read it, or press j and Enter. Press ? to show all shortcuts.
          </EmptyState>
        )}
      </div>
    </div>
  )
}

/** Shows its children in the pane beside the open conversation. */
export function PersonPane({ children }: { children: ReactNode }) {
  const pane = use(PersonPaneContext)
  return pane && createPortal(children, pane)
}

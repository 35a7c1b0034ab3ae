import { loadDialog } from './load-dialog.tsx'

export type Command = {
  label: string
  hint?: string | undefined
  /** Distinguishes commands with the same label. */
  key?: string
  run: () => void
}

/** Search results. `isCurrent` is false while the search for the current text is still running. */
export type CommandResults = { commands: Command[]; isCurrent: boolean }

export type CommandPaletteProps = {
  isOpen: boolean
  onClose: () => void
  title: string
  /** Shows the title, which otherwise only names the dialog. */
  isTitled?: boolean
  /** Names the text field. */
  placeholder: string
  commands: Command[]
  /** Shown when nothing matches. */
  emptyText?: string
  /** A hook that finds more commands for the text. */
  useResults?: (text: string) => CommandResults
}

/** A list of commands: type to search, arrow keys to select, Enter to run. */
export const CommandPalette = loadDialog(
  async () => (await import('./command-palette-popup.tsx')).CommandPalettePopup,
)

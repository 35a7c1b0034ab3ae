import { type RefObject, useRef, useState } from 'react'
import { htmlTagPattern } from '../../../contract/html-tags.ts'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { CommandPalette, type CommandResults } from '../../ui/command-palette.tsx'
import { insertText } from '../../ui/insert-text.ts'
import { isSearchable } from '../../ui/is-searchable.ts'
import { htmlToText } from './message-text.ts'

const KEY = ';'
const MAX_SNIPPETS = 50

type Props = {
  personId?: string | undefined
  repId?: string | undefined
  onChoose: (text: string) => void
  onClose: () => void
}

/** Finds a snippet by its name or text, and shows it as the person will read it. */
export function SnippetPicker({ personId, repId, onChoose, onClose }: Props) {
  const useSnippets = (text: string): CommandResults => {
    const query = text.trim()
    const { data, error } = useOperation('listSnippets', {
      limit: MAX_SNIPPETS,
      ...(personId && { personId, repId }),
      ...(isSearchable(query) && { query }),
    })
    return {
      commands: (data?.data ?? []).map(snippet => ({
        key: snippet.id,
        label: snippet.name,
        hint: getHint(snippet),
        run: () => onChoose(toPlainText(snippet)),
      })),
      isCurrent: data !== undefined || error !== null,
    }
  }
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="Insert snippet"
      placeholder="Search snippets"
      commands={[]}
      emptyText="No snippets found. Your team creates them in Settings → Snippets."
      useResults={useSnippets}
    />
  )
}

type Snippet = Output<'listSnippets'>['data'][number]

const getText = ({ text, rendered }: Snippet): string => rendered?.text ?? text

/** Returns the snippet without formatting, because a composer holds only text. */
const toPlainText = (snippet: Snippet): string =>
  htmlTagPattern.test(getText(snippet)) ? htmlToText(getText(snippet)) : getText(snippet)

const getHint = (snippet: Snippet): string => {
  const missing = snippet.rendered?.missing ?? []
  return missing.length > 0 ? `Missing: ${missing.join(', ')}` : toPlainText(snippet).replace(/\s+/g, ' ')
}

/**
 * Opens the snippets when a button is clicked or `;` is typed at the beginning of a word. This `;` is removed from the
 * text; a second one typed at the same position stays.
 */
export function useSnippetKey(field: RefObject<HTMLTextAreaElement | null>) {
  const [isOpen, setOpen] = useState(false)
  /** Position of the `;` that opened the snippets. */
  const removedPosition = useRef(-1)
  return {
    isOpen,
    open: () => setOpen(true),
    close: () => setOpen(false),
    handleInput: ({ data }: InputEvent) => {
      const { current } = field
      if (data !== KEY || !current || !startsWord(current)) return
      const position = current.selectionStart - KEY.length
      if (position === removedPosition.current) return
      removedPosition.current = position
      current.setSelectionRange(position, current.selectionStart)
      insertText(current, '')
      setOpen(true)
    },
    insert: (text: string) => {
      if (!field.current) return
      insertText(field.current, text)
      field.current.focus()
    },
  }
}

/** Reports whether the key just typed begins a word. */
const startsWord = ({ value, selectionStart }: HTMLTextAreaElement): boolean =>
  !/\S/.test(value.charAt(selectionStart - KEY.length - 1))

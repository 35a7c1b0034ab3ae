import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { CloseIcon } from '../../ui/icons.tsx'
import { useComposerFocus } from './focus-composer.ts'
import { type Contact, formatAddress } from './message.ts'
import { parseContacts } from './parse-contacts.ts'
import { useSuggestions } from './recipient-suggestions.tsx'

export type Recipients = { to: readonly Contact[]; cc: readonly Contact[]; bcc: readonly Contact[] }

type Kind = keyof Recipients

const labels: Record<Kind, string> = { to: 'To', cc: 'Cc', bcc: 'Bcc' }
const kinds = Object.keys(labels) as Kind[]
const emptyTexts: Record<Kind, string> = { to: '', cc: '', bcc: '' }

/** Holds the text typed into the fields until it becomes recipients. */
export function useTypedRecipients(change: (update: (recipients: Recipients) => Recipients) => void) {
  const [texts, setTexts] = useState(emptyTexts)
  const [invalid, setInvalid] = useState<readonly Kind[]>([])
  const setText = (kind: Kind, text: string) => setTexts(before => ({ ...before, [kind]: text }))
  const addContacts = (kind: Kind, added: readonly Contact[]) => {
    setText(kind, '')
    if (added.length > 0)
      change(before => {
        const known = new Set(before[kind].map(({ email }) => email.toLowerCase()))
        const fresh = added.filter(({ email }) => !known.has(email.toLowerCase()))
        return { ...before, [kind]: [...before[kind], ...fresh] }
      })
  }
  const add = (kind: Kind, text: string): boolean => {
    const added = parseContacts(text)
    if (added) addContacts(kind, added)
    return added !== undefined
  }
  const unmark = (kind: Kind) => setInvalid(before => before.filter(other => other !== kind))
  /** Adds these texts to the recipients. Returns false and marks the fields if any contain an invalid address. */
  const commit = (entries = kinds.map((kind): [Kind, string] => [kind, texts[kind]])): boolean => {
    const failed = entries.filter(([kind, text]) => !add(kind, text)).map(([kind]) => kind)
    setInvalid(failed)
    return failed.length === 0
  }
  return {
    texts,
    invalid,
    setText: (kind: Kind, text: string) => {
      setText(kind, text)
      unmark(kind)
    },
    commit,
    choose: (kind: Kind, contact: Contact) => {
      addContacts(kind, [contact])
      unmark(kind)
    },
    remove: (kind: Kind, contact: Contact | undefined) =>
      change(before => ({ ...before, [kind]: before[kind].filter(other => other !== contact) })),
  }
}

type Props = { recipients: Recipients; typed: ReturnType<typeof useTypedRecipients> }

/** Shows the recipients of a draft, each with a button that removes them. Takes focus when it appears. */
export const RecipientFields = (props: Props) => (
  <div className="grid max-w-[72ch] gap-2">
    {kinds.map(kind => (
      <RecipientField key={kind} kind={kind} {...props} />
    ))}
  </div>
)

/** Input types that insert whole addresses: autofill and paste. */
const wholeInputs = new Set([undefined, 'insertReplacementText', 'insertFromPaste'])

function RecipientField({ kind, recipients, typed }: Props & { kind: Kind }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useComposerFocus(input, { isNew: kind === 'to' })
  const label = labels[kind]
  const contacts = recipients[kind]
  const text = typed.texts[kind]
  const hasError = typed.invalid.includes(kind)
  const suggestions = useSuggestions({
    ...{ id, text, chosen: contacts },
    onChoose: contact => typed.choose(kind, contact),
  })
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (suggestions.handleKey(event)) return
    const isEnd = ['Enter', ',', ';'].includes(event.key) && !event.ctrlKey && !event.metaKey
    if (isEnd && text.trim() !== '') {
      event.preventDefault()
      typed.commit([[kind, text]])
    } else if (event.key === 'Backspace' && text === '') typed.remove(kind, contacts.at(-1))
  }
  return (
    <div className="relative">
      <div className="flex min-h-9 flex-wrap items-center gap-1.5 rounded-control border border-edge bg-surface px-2 py-1 text-sm focus-within:outline-2 focus-within:outline-accent">
        <label htmlFor={id} className="w-7 text-muted">
          {label}
        </label>
        {contacts.map(contact => (
          <span
            key={contact.email}
            className="flex min-w-0 items-center gap-1 rounded-full bg-accent-quiet py-0.5 pr-1 pl-2.5 text-accent"
          >
            <span className="wrap-anywhere min-w-0">{formatAddress(contact)}</span>
            <button
              type="button"
              aria-label={`Remove ${contact.email} from ${label}`}
              onClick={() => {
                input.current?.focus()
                typed.remove(kind, contact)
              }}
              className="rounded-full p-1 hover:bg-sunken"
            >
              <CloseIcon size={14} />
            </button>
          </span>
        ))}
        <input
          id={id}
          ref={input}
          type="text"
          inputMode="email"
          autoComplete="off"
          {...suggestions.inputProps}
          value={text}
          aria-invalid={hasError || undefined}
          aria-describedby={hasError ? `${id}-error` : undefined}
          onChange={({ target, nativeEvent }) => {
            typed.setText(kind, target.value)
            const isWhole = wholeInputs.has((nativeEvent as InputEvent).inputType)
            if (isWhole && parseContacts(target.value)) typed.commit([[kind, target.value]])
          }}
          onKeyDown={handleKeyDown}
          // Do nothing when a button takes focus: the fields would move, and the click would miss the button.
          onBlur={({ relatedTarget }) => {
            suggestions.close()
            if (relatedTarget?.matches('input, textarea')) typed.commit([[kind, text]])
          }}
          className="min-w-32 flex-1 bg-transparent outline-none"
        />
      </div>
      {suggestions.list}
      {hasError && (
        <p id={`${id}-error`} className="mt-1 text-red text-sm">
          Enter an email address such as ada@acme.example
        </p>
      )}
    </div>
  )
}

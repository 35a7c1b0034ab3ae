import { useState } from 'react'
import { z } from 'zod'
import { useOperationMutation } from '../../api.ts'
import { formatInFlight } from '../../components/in-flight.ts'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const MAX_ENTRIES = 500
const MAX_ERRORS = 5
const MAX_QUOTE_LENGTH = 80

const fields = z.object({
  lines: z
    .string()
    .trim()
    .min(1)
    .refine(
      text => toEntries(text).length <= MAX_ENTRIES,
      `Add at most ${MAX_ENTRIES} lines at a time. Import longer lists as a CSV file.`,
    ),
})

type Entry = { line: number; identifier: string }

/** Returns the non-empty lines with their line numbers, counted from 1. */
const toEntries = (text: string): Entry[] =>
  text
    .split('\n')
    .map((line, index) => ({ line: index + 1, identifier: line.trim() }))
    .filter(({ identifier }) => identifier !== '')

export function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add to list">
      <AddForm onAdded={onClose} />
    </Dialog>
  )
}

function AddForm({ onAdded }: { onAdded: () => void }) {
  const add = useOperationMutation('addOptOuts', 'listOptOuts')
  const [confirming, setConfirming] = useState<{ lines: string; question: string }>()
  const [text, setText] = useState('')
  const addLines = async (lines: string, confirmPublicDomain: boolean) => {
    const entries = toEntries(lines)
    const { added, alreadyPresent, inFlight } = await add({
      identifiers: entries.map(({ identifier }) => ({ identifier })),
      confirmPublicDomain,
    }).catch(error => {
      throw toLineError(error, entries)
    })
    showToast(
      [
        `${formatNumber(added)} added`,
        alreadyPresent > 0 && `${formatNumber(alreadyPresent)} already on the list`,
        formatInFlight(inFlight),
      ]
        .filter(Boolean)
        .join(', ') + '.',
    )
    onAdded()
  }
  const form = useSchemaForm(fields, {
    values: { lines: '' },
    onSubmit: async ({ lines }) => {
      await addLines(lines, false).catch(error => {
        const question = findPublicDomainQuestion(error)
        if (!question) throw error
        setConfirming({ lines, question })
      })
    },
  })
  const field = form.field('lines')
  return (
    <FormBody form={form} submit="Add to list">
      <LongTextField
        label="Contacts to block"
        rows={6}
        placeholder={'ada@analytical.example\n+44 20 7946 0018\nrival.example'}
        help="One per line, up to 500: email address, phone number, LinkedIn profile or domain. Contact stops as soon as they are added."
        {...field}
        onChange={event => {
          setText(event.target.value)
          return field.onChange(event)
        }}
      />
      <Preview entries={toEntries(text)} />
      <ConfirmDialog
        isOpen={confirming !== undefined}
        title="Block public email domains?"
        confirm="Block domains"
        onConfirm={() => addLines(confirming!.lines, true)}
        onCancel={() => setConfirming(undefined)}
      >
        {confirming?.question}
      </ConfirmDialog>
    </FormBody>
  )
}

/** The kinds of lines, matched in order. An estimate: the server determines the kind when it adds a line. */
const kinds: { plural: string; singular: string; matches: (identifier: string) => boolean }[] = [
  {
    plural: 'LinkedIn profiles',
    singular: 'LinkedIn profile',
    matches: identifier => /linkedin\.com/i.test(identifier),
  },
  {
    plural: 'domains',
    singular: 'domain',
    matches: identifier => /^([*%]@)?[^\s@]+\.[^\s@\d]+$/.test(identifier),
  },
  {
    plural: 'email addresses',
    singular: 'email address',
    matches: identifier => identifier.includes('@'),
  },
  {
    plural: 'phone numbers',
    singular: 'phone number',
    matches: identifier => /^[+()\d\s./-]{5,}$/.test(identifier),
  },
  { plural: 'other lines', singular: 'other line', matches: () => true },
]

/** Counts the lines by kind before they are added. */
function Preview({ entries }: { entries: readonly Entry[] }) {
  const unique = new Set(entries.map(({ identifier }) => identifier.toLowerCase()))
  const counts = Map.groupBy(unique, identifier => kinds.find(({ matches }) => matches(identifier))!)
  const parts = kinds.flatMap(kind => {
    const count = counts.get(kind)?.length ?? 0
    return count > 0 ? [`${formatNumber(count)} ${count === 1 ? kind.singular : kind.plural}`] : []
  })
  const repeated = entries.length - unique.size
  if (repeated > 0) parts.push(`${formatNumber(repeated)} repeated`)
  return (
    <p aria-live="polite" className="min-h-5 text-muted text-sm">
      {parts.join(', ')}
    </p>
  )
}

type DisplayError = Error & { details?: { path: string; message: string }[] }

/** Returns a field error that quotes the invalid lines, or the original error when it isn't about lines. */
function toLineError(error: DisplayError, entries: readonly Entry[]): DisplayError {
  const errors = (error.details ?? []).flatMap(({ path, message }) => {
    const entry = entries[Number(/^identifiers\.(\d+)\./.exec(path)?.[1])]
    return entry ? [`Line ${entry.line}, “${entry.identifier.slice(0, MAX_QUOTE_LENGTH)}”: ${message}.`] : []
  })
  if (errors.length === 0) return error
  const more = errors.length - MAX_ERRORS
  const shown = [...errors.slice(0, MAX_ERRORS), ...(more > 0 ? [`And ${formatNumber(more)} more.`] : [])]
  return Object.assign(new Error(error.message), { details: [{ path: 'lines', message: shown.join('\n') }] })
}

/** Returns the server's question about public email domains, which are added only after confirmation. */
const findPublicDomainQuestion = (error: DisplayError): string | undefined =>
  error.details?.find(({ path }) => path === 'confirmPublicDomain')?.message

import { useState } from 'react'
import { z } from 'zod'
import { useOperationMutation } from '../../api.ts'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const MAX_ENTRIES = 500
const MAX_FAULTS = 5
const MAX_QUOTED = 80

const lines = z.object({
  lines: z
    .string()
    .trim()
    .min(1)
    .refine(text => toEntries(text).length <= MAX_ENTRIES, `Add at most ${MAX_ENTRIES} lines at a time.`),
})

type Entry = { line: number; identifier: string }

/** Returns the lines that are not empty, numbered from 1 as the person sees them. */
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
  const [asking, setAsking] = useState<{ lines: string; question: string }>()
  const addLines = async (lines: string, confirmPublicDomain: boolean) => {
    const entries = toEntries(lines)
    const { added, alreadyPresent, inFlight } = await add({
      identifiers: entries.map(({ identifier }) => ({ identifier })),
      confirmPublicDomain,
    }).catch(error => {
      throw asLineFault(error, entries)
    })
    showToast(
      [
        `${formatNumber(added)} added`,
        alreadyPresent > 0 && `${formatNumber(alreadyPresent)} were there already`,
        inFlight > 0 && `${formatNumber(inFlight)} messages had left a moment before`,
      ]
        .filter(Boolean)
        .join(', ') + '.',
    )
    onAdded()
  }
  const form = useSchemaForm(lines, {
    values: { lines: '' },
    onSubmit: async ({ lines }) => {
      await addLines(lines, false).catch(error => {
        const question = publicDomainsIn(error)
        if (!question) throw error
        setAsking({ lines, question })
      })
    },
  })
  return (
    <FormBody form={form} submit="Add to list">
      <LongTextField
        label="Who"
        rows={6}
        placeholder={'ada@analytical.example\n+44 20 7946 0018\nrival.example'}
        help="One a line, up to 500: an email address, phone number, LinkedIn profile or whole domain. They are not contacted from the moment you add them."
        {...form.field('lines')}
      />
      <ConfirmDialog
        isOpen={asking !== undefined}
        title="Block everyone there?"
        confirm="Block everyone there"
        onConfirm={() => addLines(asking!.lines, true)}
        onCancel={() => setAsking(undefined)}
      >
        {asking?.question}
      </ConfirmDialog>
    </FormBody>
  )
}

type DisplayError = Error & { details?: { path: string; message: string }[] }

/** Returns an error at the field that quotes the lines at fault, or the error itself when it is not about lines. */
function asLineFault(error: DisplayError, entries: readonly Entry[]): DisplayError {
  const faults = (error.details ?? []).flatMap(({ path, message }) => {
    const entry = entries[Number(/^identifiers\.(\d+)\./.exec(path)?.[1])]
    return entry ? [`Line ${entry.line}, “${entry.identifier.slice(0, MAX_QUOTED)}”: ${message}.`] : []
  })
  if (faults.length === 0) return error
  const more = faults.length - MAX_FAULTS
  const shown = [...faults.slice(0, MAX_FAULTS), ...(more > 0 ? [`And ${formatNumber(more)} more.`] : [])]
  return Object.assign(new Error(error.message), { details: [{ path: 'lines', message: shown.join('\n') }] })
}

/** What the server says of domains where anybody may have an address, which it adds only when told to. */
const publicDomainsIn = (error: DisplayError): string | undefined =>
  error.details?.find(({ path }) => path === 'confirmPublicDomain')?.message

import { useState } from 'react'
import { z } from 'zod'
import { useChange } from '../../api.ts'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const lines = z.object({ lines: z.string().trim().min(1) })

export function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add to list">
      <AddForm onAdded={onClose} />
    </Dialog>
  )
}

function AddForm({ onAdded }: { onAdded: () => void }) {
  const add = useChange('addOptOuts', 'listOptOuts')
  const [asking, setAsking] = useState<{ lines: string; question: string }>()
  const addLines = async (lines: string, confirmPublicDomain: boolean) => {
    const identifiers = lines.split(/\s*\n\s*/).filter(Boolean)
    const { added, alreadyPresent, inFlight } = await add({
      identifiers: identifiers.map(identifier => ({ identifier })),
      confirmPublicDomain,
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

/** What the server says of domains where anybody may have an address, which it adds only when told to. */
const publicDomainsIn = (error: { details?: { path: string; message: string }[] }): string | undefined =>
  error.details?.find(({ path }) => path === 'confirmPublicDomain')?.message

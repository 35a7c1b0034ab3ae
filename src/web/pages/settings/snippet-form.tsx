import type { MouseEvent } from 'react'
import { templateVariables } from '../../../contract/campaigns.ts'
import { createSnippet } from '../../../contract/snippets.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, LongTextField, TextField } from '../../ui/field.tsx'
import { FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Snippet } from './snippets.tsx'

type Props = { snippet: Snippet | undefined; onClose: () => void }

/** Edits a snippet, or creates one when there is none. */
export const SnippetDialog = ({ snippet, onClose }: Props) => (
  <Dialog isOpen onClose={onClose} title={snippet ? `Edit ${snippet.name}` : 'Create snippet'}>
    <SnippetForm snippet={snippet} onClose={onClose} />
  </Dialog>
)

function SnippetForm({ snippet, onClose }: Props) {
  const create = useOperationMutation('createSnippet', 'listSnippets')
  const update = useOperationMutation('updateSnippet', 'listSnippets', 'getSnippet')
  const canShare = usePermission('Campaign.EditCampaign')
  const { name = '', text = '', isShared = false } = snippet ?? {}
  const form = useSchemaForm(createSnippet.input, {
    values: { name, text, isShared },
    onSubmit: async (input, initial) => {
      if (snippet) await update({ ...getChangedValues(input, initial), snippetId: snippet.id })
      else await create(input)
      showToast(snippet ? 'Snippet saved.' : `${input.name} was created.`)
      onClose()
    },
  })
  return (
    <FormBody form={form} submit={snippet ? 'Save snippet' : 'Create snippet'}>
      <TextField label="Name" placeholder="Book a call" {...form.field('name')} />
      <LongTextField
        label="Text"
        rows={8}
        placeholder={'Hi {{ firstName }},\n\nWould a call on Thursday suit you?'}
        {...form.field('text')}
      />
      <Variables />
      {canShare && (
        <CheckField
          label="Share with the team"
          help="Otherwise only you can use it."
          {...form.field('isShared')}
        />
      )}
    </FormBody>
  )
}

/** Shows buttons that insert a variable at the cursor. */
function Variables() {
  const { data } = useOperation('listCustomFields', { limit: 100 })
  const names = [...templateVariables, ...(data?.data.map(({ key }) => key) ?? [])]
  return (
    <details className="text-sm">
      <summary className="cursor-pointer rounded-control text-muted hover:text-text">
        Insert a variable
      </summary>
      <p className="mt-2 text-muted">
        A variable is replaced with a detail about the person or the sender. For people without the detail,{' '}
        <code className="text-xs">{"{{ firstName | default: 'there' }}"}</code> uses another word.
      </p>
      <ul className="mt-2 flex flex-wrap gap-1.5">
        {names.map(name => (
          <li key={name} className="min-w-0">
            <button
              type="button"
              onClick={event => insertVariable(event, name)}
              className="wrap-anywhere rounded-control border border-line px-2 py-0.5 font-mono text-xs hover:bg-sunken"
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function insertVariable({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>, name: string): void {
  const area = form?.elements.namedItem('text')
  if (!(area instanceof HTMLTextAreaElement)) return
  area.setRangeText(`{{ ${name} }}`, area.selectionStart, area.selectionEnd, 'end')
  // The form detects changes only through this event.
  area.dispatchEvent(new Event('input', { bubbles: true }))
  area.focus()
}

import { useState } from 'react'
import { z } from 'zod'
import { addMailboxAlias } from '../../../contract/mailbox-aliases.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'

const POLL_MS = 3_000
const affected = ['getMailbox', 'listMailboxes'] as const

/** Lists the addresses that a mailbox may send as, and chooses the one that it sends from. */
export function MailboxAliasesDialog({
  mailbox,
  onClose,
}: {
  mailbox: Mailbox | undefined
  onClose: () => void
}) {
  return (
    <Dialog isOpen={mailbox !== undefined} onClose={onClose} title={`Aliases of ${mailbox?.email ?? ''}`}>
      {mailbox && <Aliases mailboxId={mailbox.id} />}
    </Dialog>
  )
}

function Aliases({ mailboxId }: { mailboxId: string }) {
  // Polls, because a test email arrives after a moment.
  const query = useOperation('getMailbox', { mailboxId }, { refetchIntervalMs: POLL_MS })
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
      {mailbox => (
        <div className="grid gap-6">
          <p className="max-w-[60ch]">
            Other addresses that this mailbox may send as. Overture sends a test email from each address to
            the same address. The email must arrive in this mailbox with that sender.
          </p>
          {mailbox.aliases && (
            <>
              <ul aria-label="Aliases" className="grid gap-3">
                {mailbox.aliases.map(alias => (
                  <AliasRow key={alias.email} mailboxId={mailboxId} alias={alias} />
                ))}
              </ul>
              <SenderField mailbox={mailbox} />
            </>
          )}
          <AddForm mailboxId={mailboxId} />
        </div>
      )}
    </Loaded>
  )
}

type Alias = NonNullable<Mailbox['aliases']>[number]

const states = {
  unverified: <Badge tone="amber">Waiting for the test email</Badge>,
  verified: <Badge tone="green">Verified</Badge>,
  failing: <Badge tone="red">Not accepted</Badge>,
}

function AliasRow({
  mailboxId,
  alias: { email, status, statusReason },
}: {
  mailboxId: string
  alias: Alias
}) {
  const test = useOperationMutation('addMailboxAlias', ...affected)
  const remove = useOperationMutation('removeMailboxAlias', ...affected)
  const [busy, setBusy] = useState<'test' | 'removal'>()
  const run = async (action: 'test' | 'removal') => {
    setBusy(action)
    try {
      await (action === 'test' ? test : remove)({ mailboxId, email })
      showToast(action === 'test' ? `Test email sent from ${email}.` : `${email} removed.`)
    } catch (error) {
      showToast((error as Error).message)
    }
    setBusy(undefined)
  }
  return (
    <li className="flex flex-wrap items-center justify-between gap-2">
      <span className="grid justify-items-start gap-1">
        <span className="wrap-anywhere font-medium">{email}</span>
        {states[status]}
        {statusReason && (
          <span className="max-w-[60ch] wrap-anywhere text-amber text-xs">{statusReason}</span>
        )}
      </span>
      <span className="flex gap-2">
        <Button
          size="small"
          isBusy={busy === 'test'}
          aria-label={`Test ${email}`}
          onClick={() => void run('test')}
        >
          Test
        </Button>
        <Button
          size="small"
          isBusy={busy === 'removal'}
          aria-label={`Remove ${email}`}
          onClick={() => void run('removal')}
        >
          Remove
        </Button>
      </span>
    </li>
  )
}

const sender = z.object({ fromEmail: z.string() })

function SenderField({
  mailbox: { id: mailboxId, email, fromEmail = '', aliases = [] },
}: {
  mailbox: Mailbox
}) {
  const update = useOperationMutation('updateMailbox', ...affected)
  const form = useSchemaForm(sender, {
    values: { fromEmail },
    onSubmit: async ({ fromEmail }) => {
      await update({ mailboxId, fromEmail: fromEmail || null })
      showToast(`Emails are sent from ${fromEmail || email}.`)
    },
  })
  const verified = aliases.filter(({ status }) => status === 'verified')
  if (verified.length === 0) return null
  return (
    <FormBody form={form} submit="Save sender" allowsDiscard isMinor>
      <SelectField
        label="Send from"
        help="The sender of new emails and replies."
        {...form.field('fromEmail')}
      >
        <option value="">{email}</option>
        {verified.map(({ email }) => (
          <option key={email}>{email}</option>
        ))}
      </SelectField>
    </FormBody>
  )
}

function AddForm({ mailboxId }: { mailboxId: string }) {
  const add = useOperationMutation('addMailboxAlias', ...affected)
  const form = useSchemaForm(addMailboxAlias.input, {
    values: { mailboxId, email: '' },
    isCleared: true,
    onSubmit: input => add(input),
  })
  return (
    <FormBody form={form} submit="Add alias" allowsDiscard>
      <TextField
        label="Address"
        type="email"
        help="In Gmail, first add it under Settings, Accounts, “Send mail as”."
        {...form.field('email')}
      />
    </FormBody>
  )
}

import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { inviteMember } from '../../../contract/members.ts'
import { roles } from '../../../contract/permissions.ts'
import { useInvalidate, useOperationMutation, usePages } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Invitation = Output<'listInvitations'>['data'][number]

/** Those who were invited and have not come yet; nothing where nobody was. */
export function Invitations() {
  const { query, more } = usePages('listInvitations', {})
  const [revoking, setRevoking] = useState<Invitation>()
  if (!query.data || query.data.length === 0) return null
  return (
    <Section title="Invited" intro="They have not accepted their invitation yet.">
      <Table
        label="Invitations"
        rows={query.data}
        more={more}
        columns={[
          { head: 'Email', cell: ({ email }) => email },
          { head: 'Role', cell: ({ role }) => role },
          { head: 'Invited by', cell: ({ invitedBy }) => invitedBy, isMinor: true },
          { head: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            head: '',
            cell: invitation => (
              <Button
                size="small"
                aria-label={`Revoke invitation of ${invitation.email}`}
                onClick={() => setRevoking(invitation)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
      <RevokeDialog invitation={revoking} onClose={() => setRevoking(undefined)} />
    </Section>
  )
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation | undefined; onClose: () => void }) {
  const revoke = useOperationMutation('revokeInvitation', 'listInvitations')
  return (
    <ConfirmDialog
      isOpen={invitation !== undefined}
      title="Revoke this invitation?"
      confirm="Revoke invitation"
      onCancel={onClose}
      onConfirm={async () => {
        await revoke({ invitationId: invitation!.id })
        showToast('The invitation is revoked.')
        onClose()
      }}
    >
      The link that {invitation?.email} has stops working.
    </ConfirmDialog>
  )
}

/** What each role is for; the exact rights are in the reference. */
const roleDescriptions = {
  viewer: 'sees everything, changes nothing',
  member: 'works with prospects and their own conversations',
  manager: 'runs campaigns and works for all reps',
  admin: 'manages members and settings too',
  owner: 'may do everything',
}

export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [link, setLink] = useState<string>()
  const close = () => {
    onClose()
    setLink(undefined)
  }
  const done = ({ email, link }: Output<'inviteMember'>) => {
    if (link) return setLink(new URL(link, location.origin).href)
    showToast(`Invitation sent to ${email}.`)
    close()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={link ? 'Send this link' : 'Invite member'}>
      {link ? (
        <div className="grid gap-5">
          <SecretBox secret={link} label="Invitation link">
            It is shown this once, and works once. Anybody who opens it can join the account, so send it only
            to the person it is for.
          </SecretBox>
          <Button look="primary" className="justify-self-start" onClick={close}>
            Done
          </Button>
        </div>
      ) : (
        <InviteForm onInvited={done} />
      )}
    </Dialog>
  )
}

function InviteForm({ onInvited }: { onInvited: (answer: Output<'inviteMember'>) => void }) {
  const invite = useOperationMutation('inviteMember')
  const refresh = useInvalidate('listInvitations')
  const form = useSchemaForm(inviteMember.input, {
    values: { email: '', role: 'member' },
    // Also after a failure: an invitation whose mail was not sent is saved.
    onSubmit: async input => onInvited(await invite(input).finally(refresh)),
  })
  return (
    <FormBody form={form} submit="Invite member">
      <TextField label="Email" type="email" autoComplete="off" {...form.field('email')} />
      <SelectField label="Role" {...form.field('role')}>
        {roles.map(role => (
          <option key={role} value={role}>
            {role}: {roleDescriptions[role]}
          </option>
        ))}
      </SelectField>
    </FormBody>
  )
}

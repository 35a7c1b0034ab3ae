import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages, usePermission, useRepPermission } from '../../api.ts'
import { type Mailbox, MailboxState } from '../../components/mailbox-state.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { formatNumber, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { MailboxLimitsDialog } from './mailbox-limits-dialog.tsx'
import { RepDialog } from './rep-dialog.tsx'

export type Rep = Output<'listReps'>['data'][number]

export function SendersPage() {
  const reps = usePages('listReps', {})
  const mailboxes = usePages('listMailboxes', {})
  const canEdit = usePermission('Rep.EditRep')
  const canEditRep = useRepPermission('Rep.EditRep')
  const [editing, setEditing] = useState<Rep | 'new'>()
  return (
    <Page
      title="Senders"
      intro="The reps who send your messages, and their mailboxes."
      action={
        canEdit && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setEditing('new')}>Add rep</Button>
            <ConnectLink />
          </div>
        )
      }
    >
      <Loaded query={reps.query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            rows.map(rep => (
              <RepSection
                key={rep.id}
                rep={rep}
                mailboxes={mailboxes.query.data?.filter(({ repId }) => repId === rep.id)}
                onEdit={canEditRep(rep) ? () => setEditing(rep) : undefined}
              />
            ))
          ) : (
            <EmptyState title="Nobody sends yet">
              Connect a mailbox, and campaigns can send from it and read its replies.
              {canEdit && <ConnectLink />}
            </EmptyState>
          )
        }
      </Loaded>
      <LoadMore
        hasMore={reps.more.hasMore || mailboxes.more.hasMore}
        isLoading={reps.more.isLoading || mailboxes.more.isLoading}
        load={() => {
          for (const list of [reps.more, mailboxes.more]) if (list.hasMore) list.load()
        }}
        newRows={reps.more.newRows}
        count={reps.query.data?.length ?? 0}
      />
      <RepDialog
        key={editing === 'new' ? 'new' : editing?.id}
        isOpen={editing !== undefined}
        rep={editing === 'new' ? undefined : editing}
        onClose={() => setEditing(undefined)}
      />
    </Page>
  )
}

const ConnectLink = () => (
  <Link to="/settings/senders/connect" className={buttonClass('primary')}>
    Connect mailbox
  </Link>
)

type SectionProps = { rep: Rep; mailboxes: Mailbox[] | undefined; onEdit: (() => void) | undefined }

function RepSection({ rep, mailboxes, onEdit }: SectionProps) {
  return (
    <Section
      title={rep.name}
      action={
        onEdit && (
          <Button size="small" aria-label={`Edit rep ${rep.name}`} onClick={onEdit}>
            Edit rep
          </Button>
        )
      }
    >
      {mailboxes === undefined ? (
        <TableSkeleton rows={1} />
      ) : mailboxes.length > 0 ? (
        <Mailboxes label={`Mailboxes of ${rep.name}`} mailboxes={mailboxes} canEdit={onEdit !== undefined} />
      ) : (
        <p className="text-muted">
          No mailbox yet.{' '}
          {onEdit && (
            <Link
              to="/settings/senders/connect"
              search={{ repId: rep.id }}
              className="text-accent underline underline-offset-2"
            >
              Connect one
            </Link>
          )}
        </p>
      )}
    </Section>
  )
}

function Mailboxes({ label, mailboxes, canEdit }: { label: string; mailboxes: Mailbox[]; canEdit: boolean }) {
  const [limiting, setLimiting] = useState<Mailbox>()
  const [removing, setRemoving] = useState<Mailbox>()
  return (
    <>
      <Table
        label={label}
        rows={mailboxes}
        columns={[
          { head: 'Mailbox', cell: ({ email }) => <span className="break-all">{email}</span> },
          { head: 'State', cell: mailbox => <MailboxState mailbox={mailbox} /> },
          { head: 'Limit', cell: mailbox => <Limit mailbox={mailbox} />, isMinor: true },
          {
            head: 'Replies read',
            cell: ({ lastReadAt, kind }) =>
              lastReadAt ? <Time at={lastReadAt} /> : kind === 'sandbox' ? '' : 'Never',
            isMinor: true,
          },
          {
            head: '',
            cell: mailbox =>
              canEdit && (
                <span className="flex flex-wrap gap-2">
                  <RestoreButton mailbox={mailbox} />
                  <Button
                    size="small"
                    aria-label={`Limits of ${mailbox.email}`}
                    onClick={() => setLimiting(mailbox)}
                  >
                    Limits
                  </Button>
                  <Button
                    size="small"
                    aria-label={`Remove ${mailbox.email}`}
                    onClick={() => setRemoving(mailbox)}
                  >
                    Remove
                  </Button>
                </span>
              ),
          },
        ]}
      />
      <MailboxLimitsDialog key={limiting?.id} mailbox={limiting} onClose={() => setLimiting(undefined)} />
      <RemoveMailbox mailbox={removing} onClose={() => setRemoving(undefined)} />
    </>
  )
}

function Limit({ mailbox: { dailyCap, rampUp } }: { mailbox: Mailbox }) {
  if (dailyCap === undefined) return 'None'
  return (
    <>
      {formatNumber(dailyCap)} a day
      {rampUp && <span className="block text-muted text-xs">warming up, +{rampUp.increase} a day</span>}
    </>
  )
}

/** Tests a mailbox that cannot sign in again, or resumes one that paused itself. */
function RestoreButton({ mailbox: { id, email, status, pausedAt, readingStatus } }: { mailbox: Mailbox }) {
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes')
  const resume = useOperationMutation('resumeMailbox', 'listMailboxes')
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      const tested = await verify({ mailboxId: id })
      showToast(tested.status === 'active' ? `${email} is connected.` : `${email} still cannot sign in.`)
    } catch (error) {
      showToast((error as Error).message)
    }
    setBusy(false)
  }
  if (pausedAt)
    return (
      <>
        <Button size="small" aria-label={`Resume ${email}`} onClick={() => setAsking(true)}>
          Resume
        </Button>
        <ConfirmDialog
          isOpen={isAsking}
          title={`Resume ${email}?`}
          confirm="Resume sending"
          look="primary"
          onConfirm={async () => {
            await resume({ mailboxId: id })
            setAsking(false)
          }}
          onCancel={() => setAsking(false)}
        >
          It paused because too many emails bounced or were reported as spam. Find out where these addresses
          come from first: more of them harm the reputation of your domain.
        </ConfirmDialog>
      </>
    )
  if (status === 'active' && readingStatus !== 'failing') return null
  return (
    <Button size="small" isBusy={isBusy} aria-label={`Test ${email} again`} onClick={() => void test()}>
      Test again
    </Button>
  )
}

function RemoveMailbox({ mailbox, onClose }: { mailbox: Mailbox | undefined; onClose: () => void }) {
  const remove = useOperationMutation('deleteMailbox', 'listMailboxes', 'listReps')
  return (
    <ConfirmDialog
      isOpen={mailbox !== undefined}
      title={`Remove ${mailbox?.email}?`}
      confirm="Remove mailbox"
      onConfirm={async () => {
        await remove({ mailboxId: mailbox!.id })
        onClose()
      }}
      onCancel={onClose}
    >
      Campaigns no longer send from it, and its replies are no longer read. Its messages stay.
    </ConfirmDialog>
  )
}

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { usePages, usePermission, useRepPermission } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { LinkedinConnection } from './linkedin-connection.tsx'
import { MailboxCard } from './mailbox-card.tsx'
import { RepDialog } from './rep-dialog.tsx'

export type Rep = Output<'listReps'>['data'][number]
export type LinkedinAccount = Output<'listLinkedinAccounts'>['data'][number]

export function SendersPage() {
  const reps = usePages('listReps', {})
  const mailboxes = usePages('listMailboxes', {})
  const linkedin = usePages('listLinkedinAccounts', {})
  const lists = [reps, mailboxes, linkedin].map(({ more }) => more)
  const canEdit = usePermission('Rep.EditRep')
  const canEditRep = useRepPermission('Rep.EditRep')
  const [editing, setEditing] = useState<Rep | 'new'>()
  const filterByRep = <T extends { repId: string }>(items: T[] | undefined, rep: Rep) =>
    items?.filter(({ repId }) => repId === rep.id)
  return (
    <Page
      title="Senders"
      intro="The reps who send your messages, with their mailboxes and LinkedIn accounts."
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
            <div className="grid grid-cols-1 gap-x-8 gap-y-8 triple:grid-cols-2">
              {rows.map(rep => (
                <div key={rep.id}>
                  <RepSection
                    rep={rep}
                    mailboxes={{ ...mailboxes.query, data: filterByRep(mailboxes.query.data, rep) }}
                    accounts={filterByRep(linkedin.query.data, rep)}
                    onEdit={canEditRep(rep) ? () => setEditing(rep) : undefined}
                  />
                </div>
              ))}
            </div>
          ) : (
            <EmptyState title="No senders yet">
              Connect a mailbox so that campaigns can send from it and Overture can read the replies.
              {canEdit && <ConnectLink />}
            </EmptyState>
          )
        }
      </Loaded>
      <LoadMore
        hasMore={lists.some(({ hasMore }) => hasMore)}
        isLoading={lists.some(({ isLoading }) => isLoading)}
        load={() => {
          for (const list of lists) if (list.hasMore) list.load()
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

type SectionProps = {
  rep: Rep
  mailboxes: ReturnType<typeof usePages<'listMailboxes'>>['query']
  accounts: LinkedinAccount[] | undefined
  onEdit: (() => void) | undefined
}

function RepSection({ rep, mailboxes, accounts, onEdit }: SectionProps) {
  const canEdit = onEdit !== undefined
  return (
    <Section
      title={rep.name}
      action={
        onEdit && (
          <div className="flex flex-wrap gap-2">
            <Link
              to="/settings/senders/connect"
              search={{ repId: rep.id }}
              aria-label={`Connect mailbox for ${rep.name}`}
              className={buttonClass('secondary', 'small')}
            >
              Connect mailbox
            </Link>
            <Button size="small" aria-label={`Edit rep ${rep.name}`} onClick={onEdit}>
              Edit rep
            </Button>
          </div>
        )
      }
    >
      <Loaded query={mailboxes} skeleton={<TableSkeleton rows={1} />}>
        {mailboxes => <MailboxList rep={rep} mailboxes={mailboxes} canEdit={canEdit} />}
      </Loaded>
      {accounts && <LinkedinConnection rep={rep} accounts={accounts} canEdit={canEdit} />}
    </Section>
  )
}

type ListProps = { rep: Rep; mailboxes: Mailbox[]; canEdit: boolean }

function MailboxList({ rep, mailboxes, canEdit }: ListProps) {
  if (mailboxes.length === 0) return <p className="text-muted">No mailbox yet.</p>
  return (
    <ul
      aria-label={`Mailboxes of ${rep.name}`}
      {...listKeys}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,20rem),1fr))] gap-4"
    >
      {mailboxes.map((mailbox, index) => (
        <li key={mailbox.id} tabIndex={index === 0 ? 0 : -1} className="grid rounded-card">
          <MailboxCard mailbox={mailbox} canEdit={canEdit} />
        </li>
      ))}
    </ul>
  )
}

import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { usePages, usePermission } from '../../api.ts'
import { kindLabels } from '../../components/consent-labels.ts'
import { type Consent, NumberConsentStatus } from '../../components/number-consent-status.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CallsLayout } from './calls-layout.tsx'
import { ConsentRules } from './consent-rules.tsx'
import { ImportConsentsDialog } from './import-consents.tsx'
import { RecordConsentDialog } from './record-consent.tsx'
import { WithdrawConsentDialog } from './withdraw-consent.tsx'

const route = getRouteApi('/shell/calls/consents')

export function ConsentsPage() {
  const { phoneNumber } = route.useSearch()
  const { query, more } = usePages('listConsents', { phoneNumber })
  const canEdit = usePermission('DoNotContact.EditDoNotContact')
  const [isRecording, setRecording] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const [withdrawing, setWithdrawing] = useState<Consent>()
  return (
    <CallsLayout
      action={
        canEdit && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setImporting(true)}>Import CSV</Button>
            <Button look="primary" onClick={() => setRecording(true)}>
              Record consent
            </Button>
          </div>
        )
      }
    >
      <p className="mb-4 max-w-[72ch] text-muted">
        People who agreed to be called by an AI voice, with proof. Records can’t be edited or deleted, only
        withdrawn. Adding a number to Do Not Contact also withdraws its consent.
      </p>
      <Search key={phoneNumber} phoneNumber={phoneNumber} />
      {!phoneNumber && <ConsentRules />}
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows => (
          <>
            {phoneNumber && (
              <div className="mb-4">
                <NumberConsentStatus phoneNumber={phoneNumber} consents={rows} />
              </div>
            )}
            {rows.length > 0 ? (
              <Table
                label="Consents"
                rows={rows}
                more={more}
                columns={columns(canEdit ? setWithdrawing : undefined)}
              />
            ) : (
              <NoConsents phoneNumber={phoneNumber} />
            )}
          </>
        )}
      </Loaded>
      <RecordConsentDialog
        isOpen={isRecording}
        phoneNumber={phoneNumber}
        onClose={() => setRecording(false)}
      />
      <ImportConsentsDialog isOpen={isImporting} onClose={() => setImporting(false)} />
      {withdrawing && (
        <WithdrawConsentDialog consent={withdrawing} onClose={() => setWithdrawing(undefined)} />
      )}
    </CallsLayout>
  )
}

/** Filters by phone number. The URL holds the filter. */
function Search({ phoneNumber }: { phoneNumber: string | undefined }) {
  const navigate = route.useNavigate()
  const handleSubmit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('phoneNumber')).trim()
    void navigate({ search: { phoneNumber: text || undefined } })
  }
  return (
    <search>
      <form onSubmit={handleSubmit} className="mb-4 flex max-w-md items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Phone number"
            name="phoneNumber"
            type="tel"
            defaultValue={phoneNumber}
            placeholder="+44 20 7946 0018"
          />
        </div>
        <Button type="submit">Search</Button>
        {phoneNumber && (
          <Button look="quiet" onClick={() => void navigate({ search: {} })}>
            Show all
          </Button>
        )}
      </form>
    </search>
  )
}

const columns = (onWithdraw: ((consent: Consent) => void) | undefined) => [
  { head: 'Contact', cell: (consent: Consent) => <ConsentCell consent={consent} /> },
  { head: 'Kind', cell: ({ kind }: Consent) => kindLabels[kind] },
  { head: 'Status', cell: (consent: Consent) => <ConsentStatusBadge consent={consent} /> },
  { head: 'Given', cell: ({ givenAt }: Consent) => <Time at={givenAt} /> },
  {
    head: '',
    cell: (consent: Consent) =>
      onWithdraw &&
      !consent.withdrawnAt && (
        <Button
          size="small"
          aria-label={`Withdraw consent of ${consent.name ?? consent.phoneNumber}`}
          onClick={() => onWithdraw(consent)}
        >
          Withdraw
        </Button>
      ),
  },
]

const ConsentCell = ({
  consent: { name, phoneNumber, source, proof, withdrawalReason },
}: {
  consent: Consent
}) => (
  <div className="max-w-[48ch] wrap-anywhere">
    <span>{name ?? phoneNumber}</span>
    {name && <span className="block text-muted text-xs">{phoneNumber}</span>}
    <details className="text-xs">
      <summary className="cursor-pointer rounded-control text-muted hover:text-text">Proof</summary>
      {source && <p>{source}</p>}
      <p className="whitespace-pre-wrap">{proof}</p>
      {withdrawalReason && (
        <p className="text-muted">
          Withdrawn:{' '}
          {withdrawalReason === 'opt_out' ? 'the number was added to Do Not Contact' : withdrawalReason}
        </p>
      )}
    </details>
  </div>
)

function ConsentStatusBadge({ consent: { withdrawnAt, covers } }: { consent: Consent }) {
  if (withdrawnAt) return <Badge>Withdrawn</Badge>
  return covers === 'ai_voice_service' ? (
    <Badge tone="amber">Service calls only</Badge>
  ) : (
    <Badge tone="green">Active</Badge>
  )
}

const NoConsents = ({ phoneNumber }: { phoneNumber: string | undefined }) =>
  phoneNumber ? (
    <EmptyState title="No consent for this number">Record a consent before calling {phoneNumber}.</EmptyState>
  ) : (
    <EmptyState title="No consents yet">
      Many countries require consent before an AI voice calls. Record each consent with its proof to allow the
      calls.
    </EmptyState>
  )

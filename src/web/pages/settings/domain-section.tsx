import { Link } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePermission } from '../../api.ts'
import { formatRolesWith } from '../../components/permission-roles.ts'
import { NextSteps, useProblemsAbout } from '../../components/problems.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { toSentence } from '../../ui/sentence.ts'
import { Time } from '../../ui/time.tsx'

type Domain = Output<'listDomains'>['data'][number]
type Check = Domain['checks'][number]

type Props = {
  domain: Domain
  /** Checks the domain when it is shown, if it was never checked. */
  isAutoChecked?: boolean
}

/** Shows the DNS records of a domain: what was found, what to add, and a button to check again. */
export function DomainSection({
  domain: { id, domain, checkedAt, checks, dkimKeys },
  isAutoChecked = false,
}: Props) {
  const problems = useProblemsAbout('domain', id)
  const check = useOperationMutation('checkDomain', 'listDomains', 'listProblems')
  const createKey = useOperationMutation('createDkimKey', 'listDomains')
  const canCheck = usePermission('Campaign.EditCampaign')
  const canSign = usePermission('Account.ManageSettings')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  const run = async (action: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    await action().catch(setError)
    setBusy(false)
  }
  const isDue = isAutoChecked && canCheck && !checkedAt
  const runCheck = useEffectEvent(() => run(() => check({ domainId: id })))
  useEffect(() => {
    if (isDue) void runCheck()
  }, [isDue])
  const key = dkimKeys.find(({ status }) => status !== 'retired')
  return (
    <Section
      title={domain}
      intro={
        checkedAt ? (
          <>
            Checked <Time at={checkedAt} />
          </>
        ) : isBusy ? (
          'Checking its records…'
        ) : (
          'Not checked yet'
        )
      }
      action={
        canCheck && (
          <Button
            isBusy={isBusy}
            look={checkedAt ? 'secondary' : 'primary'}
            onClick={() => void run(() => check({ domainId: id }))}
          >
            {checkedAt ? 'Check again' : 'Check now'}
            <span className="sr-only">: {domain}</span>
          </Button>
        )
      }
    >
      <Card>
        {error && <ErrorState error={error} />}
        {problems.length > 0 && (
          <div className="mb-4">
            <NextSteps problems={problems} />
          </div>
        )}
        <ul className="grid gap-4">
          {checks.map(result => (
            <CheckResult key={result.name} check={result} />
          ))}
        </ul>
        {checks.length === 0 && (
          <p className="text-muted">
            {canCheck
              ? 'Check the domain to see which records are right and what to add.'
              : toSentence(`${formatRolesWith('Campaign.EditCampaign')} can check the domain`)}
          </p>
        )}
        <p className="mt-4">
          <Link
            to="/settings/domains/$domainId/dmarc"
            params={{ domainId: id }}
            search={{ days: 30 }}
            className="text-accent underline-offset-2 hover:underline"
          >
            DMARC results
            <span className="sr-only"> for {domain}</span>
          </Link>
        </p>
        {key && <SigningKey domain={domain} signingKey={key} />}
        {!key && canSign && (
          <div className="mt-4 grid justify-items-start gap-2">
            <p className="max-w-[72ch] text-muted text-sm">
              If your mail server does not sign mail (DKIM), Overture can sign it. Create a key and publish
              its record.
            </p>
            <Button
              size="small"
              isBusy={isBusy}
              aria-label={`Create signing key for ${domain}`}
              onClick={() => void run(() => createKey({ domainId: id }))}
            >
              Create signing key
            </Button>
          </div>
        )}
      </Card>
    </Section>
  )
}

const names: Record<Check['name'], string> = { mx: 'MX', spf: 'SPF', dkim: 'DKIM', dmarc: 'DMARC' }
const tones: Record<Check['status'], [Tone, string]> = {
  ok: ['green', 'OK'],
  advice: ['amber', 'Advice'],
  error: ['red', 'To fix'],
  unknown: ['neutral', 'Unknown'],
}

function CheckResult({ check: { name, status, message, record, recordToAdd } }: { check: Check }) {
  const [tone, label] = tones[status]
  return (
    <li className="grid gap-1">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        {names[name]} <Badge tone={tone}>{label}</Badge>
      </p>
      <p className="max-w-[72ch] wrap-anywhere">{message}</p>
      {record && (
        <div className="flex flex-wrap items-start gap-3">
          <code className="wrap-anywhere min-w-0 flex-1 text-muted text-xs">{record}</code>
          <CopyButton text={record} label={`Copy ${names[name]} record`} />
        </div>
      )}
      {recordToAdd && (
        <div className="mt-1 grid gap-2">
          <RecordLine label="Name" value={recordToAdd.name} />
          <RecordLine label="Value" value={recordToAdd.value} />
        </div>
      )}
    </li>
  )
}

function SigningKey({
  domain,
  signingKey: { status, recordName, recordValue },
}: {
  domain: string
  signingKey: Domain['dkimKeys'][number]
}) {
  if (status === 'signing') return <p className="mt-4 text-green">Overture signs mail from {domain}.</p>
  return (
    <div className="mt-4 grid gap-2">
      <p className="max-w-[72ch]">
        Add this TXT record at your DNS provider, then check again. Overture signs mail once it finds the
        record.
      </p>
      <RecordLine label="Name" value={recordName} />
      <RecordLine label="Value" value={recordValue} />
    </div>
  )
}

const RecordLine = ({ label, value }: { label: string; value: string }) => (
  <div className="grid gap-1 narrow:grid-cols-[4rem_minmax(0,1fr)_auto] narrow:items-start narrow:gap-3">
    <span className="text-muted text-sm">{label}</span>
    <code className="wrap-anywhere text-sm">{value}</code>
    <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
  </div>
)

import { useState } from 'react'
import { useInvalidate, useOperationMutation, usePermission } from '../../api.ts'
import { BulkGuard } from '../../components/bulk-guard.tsx'
import { CampaignField } from '../../components/campaign-field.tsx'
import { downloadFile, toCsv } from '../../components/download.ts'
import { formatInFlight } from '../../components/in-flight.ts'
import { MAX_OPTED_OUT_PEOPLE, NO_IDENTIFIERS, toIdentifiers } from '../../components/opt-out-identifiers.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import {
  isIdentifiable,
  NOT_IDENTIFIABLE,
  skipReasons,
  toProspectInput,
} from '../../components/prospect-input.ts'
import { RepField } from '../../components/rep-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { usePreventClose } from '../../ui/prevent-close.ts'
import { toBatches } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import type { PersonColumn } from './columns.tsx'
import { KNOWN_TAGS_ID, KnownTags } from './known-tags.tsx'
import { type BatchResult, type BulkRun, toFailure, useBulkRun } from './use-bulk-run.ts'

type Action = 'campaign' | 'tag' | 'owner' | 'optOut'

/** The number of people in one request. */
const batchSizes: Record<Action, number> = {
  campaign: 20,
  tag: 1,
  owner: 1,
  optOut: MAX_OPTED_OUT_PEOPLE,
}

const titles: Record<Action, string> = {
  campaign: 'Add to campaign',
  tag: 'Add tag',
  owner: 'Set owner',
  optOut: 'Opt out',
}

/** Shows the actions on the selected people. */
export function BulkActions({
  people,
  columns,
  campaignId,
  onDone,
}: {
  people: Person[]
  columns: PersonColumn[]
  /** The suggested campaign. */
  campaignId: string | undefined
  onDone: () => void
}) {
  const [action, setAction] = useState<Action>()
  const canTag = usePermission('Inbox.EditTags')
  const canOptOut = usePermission('DoNotContact.EditDoNotContact')
  const exportSelected = () => {
    const header = ['Name', ...columns.map(({ head }) => head)]
    const rows = people.map(person => [getPersonName(person), ...columns.map(({ text }) => text(person))])
    downloadFile('people.csv', 'text/csv', toCsv([header, ...rows]))
  }
  const button = (action: Action) => (
    <Button size="small" onClick={() => setAction(action)}>
      {titles[action]}
    </Button>
  )
  return (
    <>
      {button('campaign')}
      {canTag && button('tag')}
      {button('owner')}
      {canOptOut && button('optOut')}
      <Button size="small" onClick={exportSelected}>
        Export CSV
      </Button>
      {action && (
        <BulkDialog
          action={action}
          people={people}
          campaignId={campaignId}
          onClose={isDone => {
            setAction(undefined)
            if (isDone) onDone()
          }}
        />
      )}
    </>
  )
}

type BulkDialogProps = {
  action: Action
  people: Person[]
  campaignId: string | undefined
  onClose: (isDone: boolean) => void
}

function BulkDialog({ action, people, campaignId, onClose }: BulkDialogProps) {
  // Rows that no longer match the filters leave the selection; the dialog keeps the people it was opened for.
  const [chosen] = useState(people)
  const [value, setValue] = useState((action === 'campaign' && campaignId) || '')
  const { run, start } = useBulkRun()
  const act = useBulkAction(action)
  const isRunning = run !== undefined && !run.isFinished
  const refresh = useInvalidate('listPersons', 'getPerson', 'listOptOuts', 'listProspects', 'listTags')
  const handleSubmit = async (event: React.FormEvent) => {
    event.preventDefault()
    await start(toBatches(chosen, batchSizes[action]), batch => act(batch, value.trim()))
    await refresh()
  }
  const count = `${formatNumber(chosen.length)} ${chosen.length === 1 ? 'person' : 'people'}`
  return (
    <Dialog isOpen onClose={() => onClose(run !== undefined)} title={`${titles[action]}: ${count}`}>
      <PreventClose isRunning={isRunning} />
      {run ? (
        <RunResult run={run} onClose={() => onClose(true)} />
      ) : (
        <form onSubmit={event => void handleSubmit(event)} className="grid gap-5">
          <ActionField action={action} value={value} onChange={setValue} />
          <div>
            <Button
              type="submit"
              look={action === 'optOut' ? 'danger' : 'primary'}
              disabled={action !== 'optOut' && action !== 'owner' && value.trim() === ''}
            >
              {action === 'optOut' ? `Opt out ${count}` : titles[action]}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function PreventClose({ isRunning }: { isRunning: boolean }) {
  usePreventClose(isRunning ? 'always' : undefined)
  return <BulkGuard isRunning={isRunning} />
}

type ActionFieldProps = { action: Action; value: string; onChange: (value: string) => void }

function ActionField({ action, value, onChange }: ActionFieldProps) {
  if (action === 'campaign')
    return <CampaignField value={value} onChange={({ target }) => onChange(target.value)} />
  if (action === 'owner')
    return (
      <RepField label="Owner" none="Nobody" value={value} onChange={({ target }) => onChange(target.value)} />
    )
  if (action === 'tag') return <TagInput value={value} onChange={onChange} />
  return (
    <p className="text-muted">
      Their email addresses, phone numbers and LinkedIn profiles will be added to the Do Not Contact list.
      Their sequences stop, and nobody on your team can write to or call them until someone removes the
      entries.
    </p>
  )
}

type ChoiceProps = { value: string; onChange: (value: string) => void }

function TagInput({ value, onChange }: ChoiceProps) {
  return (
    <>
      <TextField
        label="Tag"
        list={KNOWN_TAGS_ID}
        maxLength={100}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        help="A tag that doesn’t exist yet is created."
      />
      <KnownTags />
    </>
  )
}

/** Returns a function that applies the action to a batch. */
function useBulkAction(action: Action): (people: Person[], value: string) => Promise<BatchResult> {
  const addProspects = useOperationMutation('addProspectsToCampaign')
  const assignTags = useOperationMutation('assignTags')
  const update = useOperationMutation('updatePerson')
  const addOptOuts = useOperationMutation('addOptOuts')
  const actions: Record<Action, (people: Person[], value: string) => Promise<BatchResult>> = {
    campaign: async (people, campaignId) => {
      const { yes: sent = [], no: unidentifiable = [] } = Object.groupBy(people, person =>
        isIdentifiable(person) ? 'yes' : 'no',
      )
      const failures = unidentifiable.map(person => toFailure(person, NOT_IDENTIFIABLE))
      if (sent.length === 0) return { failures }
      const { data } = await addProspects({ campaignId, data: sent.map(toProspectInput) })
      const skipped = data
        .filter(({ outcome }) => outcome !== 'added')
        .map(({ index, outcome, reason }) => toFailure(sent[index]!, reason ?? skipReasons[outcome]))
      return { failures: [...failures, ...skipped] }
    },
    tag: async ([person], tag) => {
      await assignTags({ entityType: 'person', entityId: person!.id, tags: [tag] })
      return { failures: [] }
    },
    owner: async ([person], repId) => {
      await update({ personId: person!.id, ownerRepId: repId || null })
      return { failures: [] }
    },
    optOut: async people => {
      const identifiers = people.flatMap(getIdentifiers)
      const { inFlight = 0 } = identifiers.length > 0 ? await addOptOuts({ identifiers }) : {}
      const failures = people
        .filter(person => getIdentifiers(person).length === 0)
        .map(person => toFailure(person, NO_IDENTIFIERS))
      return { failures, inFlight }
    },
  }
  return actions[action]
}

const getIdentifiers = (person: Person) => toIdentifiers(person, getPersonName(person))

const MAX_FAILURES = 50

function RunResult({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { total, done, failures, inFlight, isFinished } = run
  return (
    <div className="grid gap-4">
      {!isFinished && <progress aria-label="Progress" max={total} value={done} className="w-full" />}
      <p role="status">
        {isFinished
          ? failures.length === 0
            ? `Done for all ${formatNumber(total)}.`
            : `Done, with ${formatNumber(failures.length)} left out:`
          : `${formatNumber(done)} of ${formatNumber(total)}`}
      </p>
      {isFinished && inFlight > 0 && <p>{formatInFlight(inFlight)}.</p>}
      {failures.length > 0 && (
        <ul aria-label="Left out" className="grid gap-1.5 text-sm">
          {failures.slice(0, MAX_FAILURES).map(({ name, reason }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
            <li key={index} className="wrap-anywhere">
              <span className="font-medium">{name}</span>: {reason}
            </li>
          ))}
          {failures.length > MAX_FAILURES && (
            <li>And {formatNumber(failures.length - MAX_FAILURES)} more.</li>
          )}
        </ul>
      )}
      {isFinished && (
        <div>
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
    </div>
  )
}

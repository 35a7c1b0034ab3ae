import { useState } from 'react'
import type { Output, RawInput } from '../../../contract/index.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { SelectField } from '../../ui/field.tsx'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { showToast } from '../../ui/toast.tsx'

type Settings = Output<'getNotificationSettings'>
type Change = RawInput<'updateNotificationSettings'>
type Kind = keyof Settings['kinds']
type Email = Settings['kinds'][Kind]['email']

const kinds: [kind: Kind, label: string, help: string][] = [
  ['reply', 'New reply', 'In your conversations or those of your reps.'],
  ['approval', 'Approval request', 'A message or call that an assistant prepared.'],
  ['task', 'Due task', 'Tasks from sequences are in the daily digest only.'],
  ['problem', 'Problem', 'Something keeps campaigns from working.'],
  ['campaign', 'Completed campaign', 'Everyone in it has finished.'],
]

const emailLabels: Record<Email, string> = {
  at_once: 'Email immediately',
  digest: 'In the daily digest',
  never: 'No email',
}

/** Edits the user's notification settings in the current account. Each change is saved immediately. */
export function NotificationSettingsPage() {
  const query = useOperation('getNotificationSettings', {})
  return (
    <Page
      title="Notifications"
      intro="Your own notifications in this account. Changes are saved immediately."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {settings => <Choices settings={settings} />}
      </Loaded>
    </Page>
  )
}

function Choices({ settings }: { settings: Settings }) {
  const update = useOperationMutation('updateNotificationSettings', 'getNotificationSettings')
  /** The changes that are being saved, the latest last. */
  const [pending, setPending] = useState<readonly Change[]>([])
  const save = async (change: Change) => {
    setPending(changes => [...changes, change])
    try {
      await update(change)
      showToast('Saved.')
    } catch (error) {
      showToast((error as Error).message)
    }
    setPending(changes => changes.filter(each => each !== change))
  }
  const { canEmail } = settings
  return (
    <>
      {!canEmail && (
        <p className="mb-5 max-w-[72ch] text-muted">
          This installation cannot send email. Its administrator can set that up; until then, notifications
          are shown here only.
        </p>
      )}
      <Card>
        <ul aria-label="Kinds of notifications" className="grid grid-cols-1 divide-y divide-line">
          {kinds.map(([kind, label, help]) => (
            <KindRow
              key={kind}
              {...{ kind, label, help, canEmail }}
              choice={Object.assign({}, settings.kinds[kind], ...pending.map(({ kinds }) => kinds?.[kind]))}
              onChange={choice => void save({ kinds: { [kind]: choice } })}
            />
          ))}
        </ul>
      </Card>
      {canEmail && (
        <Digest
          settings={{
            ...settings,
            digestHour:
              pending.findLast(({ digestHour }) => digestHour !== undefined)?.digestHour ??
              settings.digestHour,
          }}
          save={save}
        />
      )}
    </>
  )
}

type Choice = Settings['kinds'][Kind]
type KindRowProps = {
  kind: Kind
  label: string
  help: string
  canEmail: boolean
  choice: { isInApp?: boolean | undefined; email?: Email | undefined }
  onChange: (choice: Partial<Choice>) => void
}

const KindRow = ({ kind, label, help, canEmail, choice, onChange }: KindRowProps) => (
  <li className="flex flex-wrap items-center gap-x-5 gap-y-2 py-3 first:pt-0 last:pb-0">
    <div className="min-w-0 flex-1 basis-60">
      <p id={`${kind}-label`} className="font-medium">
        {label}
      </p>
      <p className="text-muted text-sm">{help}</p>
    </div>
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        aria-describedby={`${kind}-label`}
        checked={choice.isInApp ?? true}
        onChange={({ target }) => onChange({ isInApp: target.checked })}
        className="size-4 accent-solid"
      />
      In the app
    </label>
    {canEmail && (
      <FilterSelect
        label={`Email: ${label}`}
        value={choice.email ?? 'never'}
        onChange={value => onChange({ email: value as Email })}
      >
        {Object.entries(emailLabels).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </FilterSelect>
    )}
  </li>
)

type DigestProps = {
  settings: Settings
  save: (change: Change) => Promise<void>
}

function Digest({ settings: { kinds, digestHour, timezone, isAccountTimezone }, save }: DigestProps) {
  const isOn = Object.values(kinds).some(({ email }) => email === 'digest')
  return (
    <Section
      title="Daily digest"
      intro={
        isOn
          ? 'Everything that needs your attention, and yesterday’s numbers. Not sent on days with nothing to report.'
          : 'Off: choose “In the daily digest” above for at least one kind.'
      }
    >
      <Card>
        <div className="grid gap-4 narrow:grid-cols-2">
          <SelectField
            label="Sent at"
            value={String(digestHour)}
            onChange={({ target }) => void save({ digestHour: Number(target.value) })}
          >
            {Array.from({ length: 24 }, (_, hour) => (
              <option key={String(hour)} value={hour}>
                {String(hour).padStart(2, '0')}:00
              </option>
            ))}
          </SelectField>
          <TimezoneField
            none={isAccountTimezone ? `The account’s (${timezone})` : 'The account’s'}
            value={isAccountTimezone ? '' : timezone}
            onChange={({ target }) => void save({ timezone: target.value || null })}
          />
        </div>
      </Card>
    </Section>
  )
}

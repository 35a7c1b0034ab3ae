import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, useOperationMutation, useRepPermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { getChangedValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Assistant, type AssistantFields, AssistantForm } from './assistant-form.tsx'
import { AssistantStatus } from './assistant-status.tsx'
import { BackToAssistants } from './new-assistant.tsx'
import { providerNames, type VoiceProvider } from './voice-providers.tsx'

const route = getRouteApi('/shell/calls/assistants/$assistantId')

export function AssistantPage() {
  const { assistantId } = route.useParams()
  const query = useOperation('getAssistant', { assistantId })
  const { data: assistant } = query
  const repId = assistant?.repId ?? ''
  const { data: rep } = useOperation('getRep', { repId }, { isEnabled: repId !== '' })
  const canEdit = useRepPermission('Rep.EditRep')(rep)
  return (
    <Page
      above={<BackToAssistants />}
      title={assistant?.name ?? 'Assistant'}
      intro={assistant && <AssistantStatus assistant={assistant} />}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={6} />}>
        {assistant => (
          <>
            {assistant.provider !== 'simulated' && <Verification assistant={assistant} canVerify={canEdit} />}
            <Section title="Settings">
              <Card>
                {canEdit ? (
                  <Settings key={assistant.id} assistant={assistant} />
                ) : (
                  <AssistantDetails {...assistant} />
                )}
              </Card>
            </Section>
            {assistant.provider !== 'simulated' && <Callbacks assistant={assistant} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Shows whether the provider accepts the settings, and checks it on demand without placing a call. */
function Verification({ assistant, canVerify }: { assistant: Assistant; canVerify: boolean }) {
  const { id: assistantId, name, provider, status, statusReason, verifiedAt } = assistant
  const verify = useOperationMutation('verifyAssistant', 'getAssistant', 'listAssistants')
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const handleVerify = async () => {
    setBusy(true)
    setError(undefined)
    await verify({ assistantId }).then(
      ({ status }) => status === 'active' && showToast(`${name} is ready to call.`),
      setError,
    )
    setBusy(false)
  }
  return (
    <Card>
      <div className="grid grid-cols-1 justify-items-start gap-3">
        <p className="max-w-[72ch]">
          {status === 'active' && verifiedAt && (
            <>
              Verified with {providerNames[provider]} <Time at={verifiedAt} />: calls can be placed.
            </>
          )}
          {status === 'unverified' &&
            'These settings are not verified yet. Verifying checks with the provider that calls can be placed, without calling anyone.'}
          {status === 'failing' && 'The provider can’t place calls with these settings:'}
        </p>
        {status === 'failing' && (
          <ErrorState error={new Error(statusReason ?? 'The provider gave no reason.')} />
        )}
        {error && <ErrorState error={error} />}
        {canVerify && (
          <Button look={status === 'active' ? 'secondary' : 'primary'} isBusy={isBusy} onClick={handleVerify}>
            {isBusy ? 'Verifying…' : 'Verify assistant'}
          </Button>
        )}
      </div>
    </Card>
  )
}

/** Optional fields. Leaving one empty clears its stored value. */
const clearableFields = [
  'disclosure',
  'firstMessage',
  'voicemailMessage',
  'maxDurationSeconds',
  'transferNumber',
] as const

function Settings({ assistant }: { assistant: Assistant }) {
  const update = useOperationMutation('updateAssistant', 'getAssistant', 'listAssistants')
  const save = async (input: AssistantFields, _provider: VoiceProvider, initial: object) => {
    const cleared = Object.fromEntries(clearableFields.map(name => [name, input[name] ?? null]))
    const changed = getChangedValues({ ...input, ...cleared }, initial)
    const { name } = await update({ ...changed, assistantId: assistant.id })
    showToast(`${name} saved.`)
  }
  return <AssistantForm assistant={assistant} submit="Save assistant" onSubmit={save} />
}

const AssistantDetails = (assistant: Assistant) => (
  <DescriptionList
    items={{
      'Caller number': assistant.fromNumber,
      Provider: providerNames[assistant.provider],
      Disclosure: assistant.disclosure,
      'First message': assistant.firstMessage,
      'Voicemail message': assistant.voicemailMessage,
      'Maximum call duration': assistant.maxDurationSeconds && `${assistant.maxDurationSeconds} seconds`,
      'Transfer number': assistant.transferNumber,
      'Daily limit per assistant': assistant.dailyCap,
      'Daily limit per recipient': assistant.dailyCapPerNumber,
    }}
  />
)

const Callbacks = ({ assistant: { callbackUrl, provider } }: { assistant: Assistant }) => (
  <Section title="Callbacks" intro="The provider reports the progress of calls to this address.">
    {callbackUrl ? (
      <div className="max-w-lg">
        <CopyBox value={callbackUrl} label="Callback address">
          {provider === 'http'
            ? 'Each call includes this address. Your service posts callbacks to it.'
            : `Each call passes this address to ${providerNames[provider]}. No setup is needed.`}
        </CopyBox>
      </div>
    ) : (
      <p className="max-w-[72ch] text-muted">
        This server has no public address, so Overture polls the provider at least every 40 seconds during a
        call. The server’s administrator can set the address (PUBLIC_URL).
      </p>
    )}
  </Section>
)

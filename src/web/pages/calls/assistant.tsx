import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Assistant, type AssistantFields, AssistantForm } from './assistant-form.tsx'
import { AssistantStatus } from './assistant-status.tsx'
import { BackToAssistants } from './new-assistant.tsx'
import { providerNames } from './voice-providers.tsx'

const route = getRouteApi('/shell/calls/assistants/$assistantId')

export function AssistantPage() {
  const { assistantId } = route.useParams()
  const query = useOperation('getAssistant', { assistantId })
  const canEdit = usePermission('Rep.EditRep')
  const { data: assistant } = query
  return (
    <Page
      above={<BackToAssistants />}
      title={assistant?.name ?? 'Assistant'}
      intro={assistant && <AssistantStatus assistant={assistant} />}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={6} />}>
        {found => (
          <>
            {found.provider !== 'simulated' && <Verification assistant={found} canVerify={canEdit} />}
            <Section title="Settings">
              <Card>{canEdit ? <Settings key={found.id} assistant={found} /> : <FactsOf {...found} />}</Card>
            </Section>
            {found.provider !== 'simulated' && <Callbacks assistant={found} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Whether its provider says that calls can be placed. Asking it calls nobody. */
function Verification({ assistant, canVerify }: { assistant: Assistant; canVerify: boolean }) {
  const { id: assistantId, name, provider, status, statusReason, verifiedAt } = assistant
  const verify = useOperationMutation('verifyAssistant', 'getAssistant', 'listAssistants')
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    setError(undefined)
    await verify({ assistantId }).then(
      answer => answer.status === 'active' && showToast(`${name} can call.`),
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
              {providerNames[provider]} said <Time at={verifiedAt} /> that calls can be placed.
            </>
          )}
          {status === 'unverified' &&
            'Not verified with these settings yet. Verifying asks the provider whether calls can be placed, and calls nobody.'}
          {status === 'failing' && 'The provider can’t place calls with these settings:'}
        </p>
        {status === 'failing' && <ErrorState error={new Error(statusReason ?? 'It gave no reason.')} />}
        {error && <ErrorState error={error} />}
        {canVerify && (
          <Button look={status === 'active' ? 'secondary' : 'primary'} isBusy={isBusy} onClick={check}>
            {isBusy ? 'Asking the provider…' : 'Verify assistant'}
          </Button>
        )}
      </div>
    </Card>
  )
}

/** What an emptied field clears. */
const clearable = [
  'disclosure',
  'firstMessage',
  'voicemailMessage',
  'maxDurationSeconds',
  'transferNumber',
] as const

function Settings({ assistant }: { assistant: Assistant }) {
  const update = useOperationMutation('updateAssistant', 'getAssistant', 'listAssistants')
  const save = async (input: AssistantFields) => {
    const cleared = Object.fromEntries(clearable.map(name => [name, input[name] ?? null]))
    const { name } = await update({ ...input, ...cleared, assistantId: assistant.id })
    showToast(`${name} is saved.`)
  }
  return <AssistantForm assistant={assistant} submit="Save assistant" onSubmit={save} />
}

const FactsOf = (assistant: Assistant) => (
  <DescriptionList
    facts={{
      'Calls from': assistant.fromNumber,
      Provider: providerNames[assistant.provider],
      Disclosure: assistant.disclosure,
      'First message': assistant.firstMessage,
      'Voicemail message': assistant.voicemailMessage,
      'Longest call': assistant.maxDurationSeconds && `${assistant.maxDurationSeconds} seconds`,
      'Hands over to': assistant.transferNumber,
      'Calls in 24 hours': assistant.dailyCap,
      '… to the same number': assistant.dailyCapPerNumber,
    }}
  />
)

const Callbacks = ({ assistant: { callbackUrl, provider } }: { assistant: Assistant }) => (
  <Section title="Callbacks" intro="How the provider tells what becomes of calls.">
    {callbackUrl ? (
      <div className="max-w-lg">
        <SecretBox secret={callbackUrl} label="Callback address">
          {provider === 'http'
            ? 'Your software gets this address with each call, and posts to it.'
            : `Each call tells ${providerNames[provider]} to post here. Nothing has to be set up there.`}
        </SecretBox>
      </div>
    ) : (
      <p className="max-w-[72ch] text-muted">
        This server has no address that can be reached from outside, so it asks the provider instead, every 40
        seconds at least while a call is under way. Whoever runs the server sets the address (PUBLIC_URL).
      </p>
    )}
  </Section>
)

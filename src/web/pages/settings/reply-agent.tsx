import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ReplyAgentForm } from './reply-agent-form.tsx'

export type ReplyAgent = Output<'setReplyAgent'>

export function ReplyAgentPage() {
  const query = useOperation('getReplyAgent', {})
  return (
    <Page
      title="Reply agent"
      intro="A language model classifies replies and drafts responses. A person sends them, unless autopilot is on."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {({ replyAgent }) => (
          <>
            <AgentStatus agent={replyAgent} />
            <ReplyAgentForm key={replyAgent?.id} agent={replyAgent} />
            <Usage />
            {replyAgent && <RemoveModel />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Shows what classifies replies now, and whether the model was tested. */
function AgentStatus({ agent }: { agent: ReplyAgent | undefined }) {
  if (!agent?.isEnabled) {
    return (
      <p className="mb-5 max-w-[72ch]">
        <Badge>Rules only</Badge> {agent ? 'The model is disabled' : 'No model is set up'}: replies are
        classified by rules, and no responses are drafted.
      </p>
    )
  }
  return (
    <div className="mb-5 grid grid-cols-1 justify-items-start gap-3">
      <p className="max-w-[72ch]">
        <Badge tone={agent.verifiedAt ? 'green' : 'amber'}>
          {agent.verifiedAt ? 'Working' : 'Not tested'}
        </Badge>{' '}
        {agent.provider === 'simulated' ? (
          'The simulated model of the demo, inside this server, classifies replies and drafts responses.'
        ) : (
          <>
            <span className="break-words">{agent.model}</span> classifies replies and drafts responses
            {agent.verifiedAt && (
              <>
                , last tested successfully <Time at={agent.verifiedAt} />
              </>
            )}
            .
          </>
        )}
      </p>
      <TestModel />
    </div>
  )
}

function TestModel() {
  const verify = useOperationMutation('verifyReplyAgent', 'getReplyAgent')
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const handleTest = async () => {
    setBusy(true)
    setError(undefined)
    await verify({}).then(({ problem }) => {
      if (problem) setError(new Error(problem))
      else showToast('The model works.')
    }, setError)
    setBusy(false)
  }
  return (
    <>
      {error && <ErrorState error={error} />}
      <Button isBusy={isBusy} onClick={handleTest}>
        {isBusy ? 'Testing…' : 'Test model'}
      </Button>
    </>
  )
}

const DAYS = 30

function Usage() {
  const [from] = useState(() => new Date(Date.now() - DAYS * 86_400_000).toISOString())
  const { data: usage } = useOperation('getReplyAgentUsage', { from })
  if (!usage || usage.replies === 0) return null
  return (
    <Section
      title={`Last ${DAYS} days`}
      intro="Costs use the prices above, for replies received since the prices were set."
    >
      <Metrics
        label="Usage"
        metrics={[
          { label: 'Replies', value: usage.replies },
          { label: 'Classified by model', value: usage.byModel, total: usage.replies },
          { label: 'Drafts', value: usage.drafts },
          { label: 'Sent by autopilot', value: usage.autopilotSent },
          { label: 'Drafts failed', value: usage.failed },
          { label: 'Input tokens', value: usage.inputTokens },
          { label: 'Output tokens', value: usage.outputTokens },
          { label: 'Cost (USD)', value: usage.costUsd },
        ]}
      />
    </Section>
  )
}

function RemoveModel() {
  const remove = useOperationMutation('deleteReplyAgent', 'getReplyAgent')
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="mt-8">
      <Button look="danger" onClick={() => setOpen(true)}>
        Remove model
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Remove the model and its API key?"
        confirm="Remove model"
        onCancel={() => setOpen(false)}
        onConfirm={async () => {
          await remove({})
          setOpen(false)
          showToast('Model removed.')
        }}
      >
        Replies will be classified by rules only. Existing drafts are kept.
      </ConfirmDialog>
    </div>
  )
}

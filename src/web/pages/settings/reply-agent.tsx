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
      intro="A language model of yours reads replies and drafts answers. A person sends them, unless autopilot is on."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {({ replyAgent }) => (
          <>
            <State agent={replyAgent} />
            <ReplyAgentForm key={replyAgent?.id} agent={replyAgent} />
            <Usage />
            {replyAgent && <Removal />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Who reads replies now, and whether it was tried. */
function State({ agent }: { agent: ReplyAgent | undefined }) {
  if (!agent?.isEnabled) {
    return (
      <p className="mb-5 max-w-[72ch]">
        <Badge>rules only</Badge> {agent ? 'The model is switched off' : 'No model is set'}: rules alone tell
        what a reply means, and no answers are drafted.
      </p>
    )
  }
  return (
    <div className="mb-5 grid grid-cols-1 justify-items-start gap-3">
      <p className="max-w-[72ch]">
        <Badge tone={agent.verifiedAt ? 'green' : 'amber'}>{agent.verifiedAt ? 'works' : 'not tried'}</Badge>{' '}
        {agent.provider === 'simulated' ? (
          'The model of the demo, which is asked inside this server, reads replies and drafts answers.'
        ) : (
          <>
            <span className="break-words">{agent.model}</span> reads replies and drafts answers
            {agent.verifiedAt && (
              <>
                ; tried with success <Time at={agent.verifiedAt} />
              </>
            )}
            .
          </>
        )}
      </p>
      <Trial />
    </div>
  )
}

function Trial() {
  const verify = useOperationMutation('verifyReplyAgent', 'getReplyAgent')
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const attempt = async () => {
    setBusy(true)
    setError(undefined)
    await verify({}).then(({ problem }) => {
      if (problem) setError(new Error(problem))
      else showToast('The model answered as it should.')
    }, setError)
    setBusy(false)
  }
  return (
    <>
      {error && <ErrorState error={error} />}
      <Button isBusy={isBusy} onClick={attempt}>
        {isBusy ? 'Asking the model…' : 'Try model'}
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
      title={`The last ${DAYS} days`}
      intro="Costs are told by the prices above, for replies that came since they were given."
    >
      <Metrics
        label="Usage"
        metrics={[
          { label: 'Replies', value: usage.replies },
          { label: 'Read by the model', value: usage.byModel, of: usage.replies },
          { label: 'Drafts', value: usage.drafts },
          { label: 'Sent by autopilot', value: usage.autopilotSent },
          { label: 'No draft possible', value: usage.failed },
          { label: 'Tokens in', value: usage.inputTokens },
          { label: 'Tokens out', value: usage.outputTokens },
          { label: 'Cost in USD', value: usage.costUsd },
        ]}
      />
    </Section>
  )
}

function Removal() {
  const remove = useOperationMutation('deleteReplyAgent', 'getReplyAgent')
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="mt-8">
      <Button look="danger" onClick={() => setOpen(true)}>
        Remove model
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Remove the model with its key?"
        confirm="Remove model"
        onCancel={() => setOpen(false)}
        onConfirm={async () => {
          await remove({})
          setOpen(false)
          showToast('The model and its key are removed.')
        }}
      >
        Rules alone read replies again. Drafts that were written stay.
      </ConfirmDialog>
    </div>
  )
}

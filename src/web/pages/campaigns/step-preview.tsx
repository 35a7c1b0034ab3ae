import { useState } from 'react'
import { useOperation, useOperationMutation, usePages, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { LeftIcon, RightIcon } from '../../ui/icons.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'
import { PreviewBody } from './preview-body.tsx'

const samplePerson = {
  firstName: 'Ada',
  lastName: 'Byron',
  jobTitle: 'Head of Research',
  company: 'Analytical Engines',
  email: 'ada@analytical.example',
}

type Props = {
  campaignId: string
  /** Undefined until the step is saved. */
  stepId: string | undefined
  variants: { id: string; letter: string }[]
  /** The variant being edited, shown unless the user has chosen another one. */
  editedVariantId?: string | undefined
  /** A note that the preview lacks the latest changes. */
  note: string | undefined
}

/** Shows the open step as a prospect will receive it. The arrow keys show the previous or the next person. */
export function StepPreview({ campaignId, stepId, variants, editedVariantId, note }: Props) {
  const { query, more } = usePages('listCampaignProspects', { campaignId })
  const people = query.data ?? []
  const [index, setIndex] = useState(0)
  const [choice, setChoice] = useState<{ variantId: string; replacedId: string | undefined }>()
  const prospect = people[index]
  const go = (to: number) => {
    if (to < 0 || to >= people.length) return
    setIndex(to)
    if (to >= people.length - 5 && more.hasMore && !more.isLoading) more.load()
  }
  const handleKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step || event.target instanceof HTMLSelectElement) return
    event.preventDefault()
    go(index + step)
  }
  const variantId = choice && choice.replacedId === editedVariantId ? choice.variantId : editedVariantId
  const variant = variants.find(({ id }) => id === variantId)
  const person = prospect ? { prospectId: prospect.id } : { person: samplePerson }
  const input = {
    campaignId,
    ...(stepId && { stepId }),
    ...(variant && { variantId: variant.id }),
    ...person,
  }
  return (
    <section aria-label="Preview" onKeyDown={handleKeyDown} className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-0 flex-1 truncate">
          <span className="text-muted">Preview for </span>
          <span className="font-medium">{prospect ? getName(prospect.person) : 'Ada Byron (sample)'}</span>
        </p>
        {people.length > 1 && (
          <div className="flex gap-1">
            <Button size="small" aria-label="Previous person" onClick={() => go(index - 1)}>
              <LeftIcon size={16} />
            </Button>
            <Button size="small" aria-label="Next person" onClick={() => go(index + 1)}>
              <RightIcon size={16} />
            </Button>
          </div>
        )}
      </div>
      {variants.length > 1 && (
        <select
          aria-label="Variant in the preview"
          value={variant?.id ?? ''}
          onChange={event => setChoice({ variantId: event.target.value, replacedId: editedVariantId })}
          className="h-8 rounded-control border border-edge bg-surface px-2 text-sm"
        >
          <option value="">The variant this person gets</option>
          {variants.map(({ id, letter }) => (
            <option key={id} value={id}>
              Variant {letter}
            </option>
          ))}
        </select>
      )}
      {note && <p className="text-muted text-sm">{note}</p>}
      {stepId ? (
        <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
          {() => <Preview input={input} />}
        </Loaded>
      ) : (
        <EmptyState title="No preview yet">Write the step, and its preview appears here.</EmptyState>
      )}
    </section>
  )
}

type PreviewInput = Parameters<typeof useOperation<'previewCampaign'>>[1]

function Preview({ input }: { input: PreviewInput }) {
  const query = useOperation('previewCampaign', input)
  const canSend = usePermission('Campaign.EditCampaign')
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
      {preview => (
        <>
          <PreviewBody preview={preview} />
          {preview.channel === 'email' && canSend && <SendTest input={input} />}
        </>
      )}
    </Loaded>
  )
}

function SendTest({ input }: { input: PreviewInput }) {
  const sendTest = useOperationMutation('sendTestEmail')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  const handleClick = async () => {
    setBusy(true)
    setError(undefined)
    await sendTest(input).then(({ to }) => showToast(`Test email sent to ${to.email}.`), setError)
    setBusy(false)
  }
  return (
    <>
      <Button className="justify-self-start" isBusy={isBusy} onClick={handleClick}>
        {isBusy ? 'Sending…' : 'Send test email'}
      </Button>
      {error && <ErrorState error={error} />}
    </>
  )
}

type Person = { firstName?: string | null; lastName?: string | null; email?: string | null }

const getName = ({ firstName, lastName, email }: Person): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email || 'a person without a name'

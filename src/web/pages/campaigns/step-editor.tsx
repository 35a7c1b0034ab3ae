import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { memo, useCallback, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { IncompleteProspectsButton } from './incomplete-prospects-button.tsx'
import { SaveStatus } from './save-status.tsx'
import { StepCard } from './step-card.tsx'
import type { Channel, StepDraft, StoredStep } from './step-drafts.ts'
import { channelDescriptions, channelLabels, letters } from './step-labels.ts'
import { StepPreview } from './step-preview.tsx'
import { useStepEditor } from './use-step-editor.ts'

type Props = {
  campaign: Output<'getCampaign'>
  /** Position of the step that is open at first; defaults to the first one. */
  openAt: number | undefined
}

/** Edits the steps of a campaign, with a preview of the open one. */
export function StepEditor({ campaign, openAt }: Props) {
  const editor = useStepEditor(campaign, openAt)
  const { state, dispatch, unmetRequirements } = editor
  const { steps, open } = state
  const list = useRef<HTMLOListElement>(null)
  const [announcement, setAnnouncement] = useState('')
  const isWide = useMediaQuery('(min-width: 80rem)')
  const [isPreviewing, setPreviewing] = useState(false)
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }))
  const count = steps.length
  const order = steps.map(({ key }) => key).join(' ')
  const items = useMemo(() => order.split(' '), [order])

  const handleMove = useCallback(
    (key: string, to: number) => {
      const focused = document.activeElement
      flushSync(() => dispatch({ type: 'move', key, to }))
      // An element loses focus when it moves within the document.
      if (focused instanceof HTMLElement) focused.focus()
      if (to >= 0 && to < count) setAnnouncement(`Step moved to position ${to + 1} of ${count}.`)
    },
    [dispatch, count],
  )
  const handleRemove = useCallback(
    (step: StepDraft, index: number) => {
      dispatch({ type: 'remove', key: step.key })
      showToast(`Step ${index + 1} removed.`, () => dispatch({ type: 'restore', step, index }))
      list.current?.focus()
    },
    [dispatch],
  )
  const handleDragEnd = ({ active, over }: DragEndEvent) => {
    const to = steps.findIndex(({ key }) => key === over?.id)
    if (to >= 0) handleMove(String(active.id), to)
  }
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const onlyAssistant = assistants?.data.length === 1 ? assistants.data[0] : undefined
  const openKey = open ?? steps[0]?.key
  const openStep = steps.find(({ key }) => key === openKey)
  const preview = (
    <OpenStepPreview
      campaignId={campaign.id}
      step={editor.stored.find(({ id }) => id === openStep?.id)}
      editedVariantId={openStep?.variants.find(({ key }) => key === state.variant)?.id}
      isOutdated={editor.saving.status !== 'saved' && !editor.isDraft}
    />
  )
  const handleAdd = useCallback(
    (channel: Channel) => dispatch({ type: 'add', channel, assistantId: onlyAssistant?.id }),
    [dispatch, onlyAssistant],
  )
  let hasEmail = false
  return (
    <div className={isWide ? 'grid grid-cols-[minmax(0,1fr)_minmax(0,28rem)] items-start gap-6' : ''}>
      <LeaveGuard
        isDirty={editor.isUnsaved}
        save={async () =>
          editor.isDraft && editor.canSave && unmetRequirements.size === 0 && (await editor.save())
        }
      />
      <div className="grid grid-cols-1 gap-3">
        <div className="top-0 z-10 flex flex-wrap items-start justify-between gap-2 bg-page py-1 narrow:sticky">
          <SaveStatus editor={editor} campaignId={campaign.id} />
          {editor.isDraft && <IncompleteProspectsButton campaignId={campaign.id} />}
          {!isWide && count > 0 && <Button onClick={() => setPreviewing(true)}>Preview step</Button>}
        </div>
        {count > 0 && (
          <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={handleDragEnd}>
            <SortableContext items={items} strategy={verticalListSortingStrategy}>
              <ol ref={list} tabIndex={-1} aria-label="Steps" className="grid grid-cols-1 gap-3 outline-none">
                {steps.map((step, index) => {
                  const hasEarlierEmail = hasEmail
                  hasEmail ||= step.channel === 'email'
                  return (
                    <StepCard
                      key={step.key}
                      step={step}
                      index={index}
                      isLast={index === count - 1}
                      isOpen={step.key === open}
                      hasEarlierEmail={hasEarlierEmail}
                      requirement={unmetRequirements.get(step.key)}
                      errors={state.errors[step.key]}
                      dispatch={dispatch}
                      onMove={handleMove}
                      onRemove={handleRemove}
                    />
                  )
                })}
              </ol>
            </SortableContext>
          </DndContext>
        )}
        {/* The menu stays mounted while the first step replaces the empty state, so that it can move focus. */}
        <div className={count === 0 ? emptyClass : 'flex flex-wrap items-center gap-3'}>
          {count === 0 && (
            <p className="text-muted">Each prospect goes through the steps in order until they reply.</p>
          )}
          <AddStep list={list} isFirst={count === 0} onAdd={handleAdd} />
          {count > 1 && (
            <p className="hidden text-muted text-sm narrow:block">
              Alt ↑ and Alt ↓ move the step you are in.
            </p>
          )}
        </div>
        <p role="status" className="sr-only">
          {announcement}
        </p>
      </div>
      {isWide ? (
        count > 0 && (
          <aside className="sticky top-4 max-h-[calc(100dvh-2rem)] overflow-y-auto">{preview}</aside>
        )
      ) : (
        <Dialog isOpen={isPreviewing} onClose={() => setPreviewing(false)} title="Preview">
          {preview}
        </Dialog>
      )}
    </div>
  )
}

const emptyClass =
  'grid justify-items-center gap-4 rounded-card border border-line border-dashed px-4 py-12 text-center'

type AddStepProps = {
  list: React.RefObject<HTMLOListElement | null>
  onAdd: (channel: Channel) => void
  isFirst: boolean
}

// Memoized, so that typing in a field doesn't re-render the menu.
const AddStep = memo(({ list, onAdd, isFirst }: AddStepProps) => (
  <Menu
    label="Add step"
    look={isFirst ? 'primary' : 'secondary'}
    focusAfter={() => {
      const last = list.current?.lastElementChild
      return last?.querySelector<HTMLElement>('[data-autofocus]') ?? last?.querySelector<HTMLElement>('input')
    }}
  >
    {Object.entries(channelLabels).map(([channel, label]) => (
      <MenuItem
        key={channel}
        description={channelDescriptions[channel as Channel]}
        onClick={() => onAdd(channel as Channel)}
      >
        {label}
      </MenuItem>
    ))}
  </Menu>
))

type PreviewProps = {
  campaignId: string
  step: StoredStep | undefined
  editedVariantId: string | undefined
  isOutdated: boolean
}

const OpenStepPreview = memo(({ campaignId, step, editedVariantId, isOutdated }: PreviewProps) => (
  <StepPreview
    campaignId={campaignId}
    stepId={step?.id}
    variants={step?.variants.map(({ id }, index) => ({ id, letter: letters[index] ?? '' })) ?? []}
    editedVariantId={editedVariantId}
    note={isOutdated ? 'Shows the saved text, without your latest changes.' : undefined}
  />
))

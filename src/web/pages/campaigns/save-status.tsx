import { useOperation } from '../../api.ts'
import { EditConflict } from '../../components/edit-conflict.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/time.tsx'
import type { useStepEditor } from './use-step-editor.ts'

type Editor = ReturnType<typeof useStepEditor>

/** Shows whether the steps are saved, with the possible actions when they aren't. */
export function SaveStatus({ editor, campaignId }: { editor: Editor; campaignId: string }) {
  const { saving, isDraft, save, unmetRequirements, state } = editor
  const { status, error } = saving
  const missing = state.steps.flatMap(({ key }, index) =>
    unmetRequirements.has(key) ? [`step ${index + 1} needs ${unmetRequirements.get(key)}`] : [],
  )
  return (
    <div className="grid flex-1 gap-3">
      <div className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="font-medium text-sm">
          {status === 'conflict' || state.steps.length === 0 ? '' : formatStatus(status, missing)}
        </p>
        {!isDraft && <AffectedPeople campaignId={campaignId} />}
        {!isDraft && editor.canSave && (
          <Button look="primary" size="small" isBusy={status === 'saving'} onClick={save}>
            Save changes
          </Button>
        )}
        {!isDraft && editor.isUnsaved && status !== 'saving' && status !== 'conflict' && (
          <Button size="small" onClick={editor.discard}>
            Discard changes
          </Button>
        )}
      </div>
      {status === 'failed' && error && (
        <div className="grid gap-2">
          <ErrorState error={error} onRetry={save} />
        </div>
      )}
      {status === 'conflict' && (
        <EditConflict onLoadTheirs={editor.loadTheirs} onKeepMine={editor.keepMine}>
          Someone else changed these steps while you were editing. Your changes are not saved.
        </EditConflict>
      )}
    </div>
  )
}

function formatStatus(status: Editor['saving']['status'], missing: string[]): string {
  if (status === 'saving') return 'Saving…'
  if (status === 'rejected') return 'Not saved. Correct the marked fields.'
  if (status === 'failed') return 'Not saved.'
  const rest = missing.length > 0 ? `: ${missing.join(', ')}` : ''
  if (status === 'unsaved') return `Not saved yet${rest}`
  return missing.length > 0 ? `Saved, but ${missing.join(', ')}` : 'Saved'
}

/** Shows how many people a change to a launched campaign affects. */
function AffectedPeople({ campaignId }: { campaignId: string }) {
  const { data } = useOperation('getCampaignStats', { campaignId })
  if (!data) return null
  const waiting = ['pending', 'active', 'paused', 'out_of_office'].reduce(
    (sum, status) => sum + (data.prospects[status] ?? 0),
    0,
  )
  return (
    <p className="max-w-[72ch] text-muted text-sm">
      Changes apply to the {formatNumber(waiting)} {waiting === 1 ? 'person' : 'people'} still in the
      sequence, from their next step on. Messages already sent stay as they are.
    </p>
  )
}

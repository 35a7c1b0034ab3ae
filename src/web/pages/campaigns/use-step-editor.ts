import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ApiError } from '../../../contract/api-error.ts'
import type { Output } from '../../../contract/index.ts'
import { call, useInvalidate, useOperationMutation } from '../../api.ts'
import { showToast } from '../../ui/toast.tsx'
import { prepareSteps, type StepDraft, type StepInput, type StoredStep, toStepUpdate } from './step-drafts.ts'
import { assignErrors, createEditorState, reduceEditor } from './step-reducer.ts'

type Campaign = Output<'getCampaign'>

const SAVE_DELAY_MS = 1_000

export type SaveState = {
  status: 'saved' | 'unsaved' | 'saving' | 'rejected' | 'failed' | 'conflict'
  error?: ApiError
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Edits the steps of a campaign. A draft campaign is saved automatically, a second after the last change. A launched
 * campaign could send a half-written sentence, so its changes are saved only by `save`. Every save therefore checks
 * first whether somebody else has just launched the campaign.
 */
export function useStepEditor(campaign: Campaign, openAt: number | undefined) {
  const { id: campaignId, steps: loaded, status: campaignStatus } = campaign
  const isDraft = campaignStatus === 'draft'
  const [state, dispatch] = useReducer(reduceEditor, loaded, stored => createEditorState(stored, openAt))
  const [stored, setStored] = useState(loaded)
  const [saving, setSaving] = useState<SaveState>({ status: 'saved' })
  const conflictingSteps = useRef<StoredStep[]>(loaded)
  const seen = useRef(loaded)
  const write = useWriteSteps(campaignId, isDraft)
  const refreshPreview = useInvalidate('previewCampaign')
  const refreshCampaign = useInvalidate('getCampaign')

  const prepared = useMemo(() => prepareSteps(state.steps, stored), [state.steps, stored])
  const current = JSON.stringify(prepared.input)
  const [savedInput, setSavedInput] = useState(current)
  const [attempted, setAttempted] = useState('')
  const isDirty = current !== savedInput
  const canSave = isDirty && !prepared.isBlocked && prepared.input.length > 0

  const latest = useRef({ prepared, stored, current, savedInput })
  latest.current = { prepared, stored, current, savedInput }
  const pending = useRef<Promise<boolean>>(undefined)

  const attempt = async (): Promise<boolean> => {
    const { prepared, stored, current, savedInput } = latest.current
    if (current === savedInput) return true
    setAttempted(current)
    setSaving({ status: 'saving' })
    try {
      const { steps: found, status } = await call('getCampaign', { campaignId })
      if (isDraft && status !== 'draft') {
        void refreshCampaign()
        setSaving({ status: 'unsaved' })
        return false
      }
      if (!isSame(found, stored)) {
        conflictingSteps.current = found
        setSaving({ status: 'conflict' })
        return false
      }
      const { steps: saved } = await write(prepared.input, stored)
      // Update the state synchronously: the next save may begin immediately and compares its changes with this state.
      flushSync(() => {
        dispatch({ type: 'saved', sent: prepared.drafts, stored: saved })
        setStored(saved)
        setSavedInput(JSON.stringify(withIds(prepared.input, saved)))
        setSaving({ status: 'saved' })
      })
      void refreshPreview()
      return true
    } catch (thrown) {
      const error = thrown as ApiError
      const errors = assignErrors(error.details ?? [], prepared.drafts)
      dispatch({ type: 'rejected', errors })
      setSaving({ status: Object.keys(errors).length > 0 ? 'rejected' : 'failed', error })
      return false
    }
  }
  /** Saves after the previous save has ended. Resolves to false if something stays unsaved. */
  const save = (): Promise<boolean> => {
    pending.current = (pending.current ?? Promise.resolve(true)).then(attempt)
    return pending.current
  }

  const isSaving = saving.status === 'saving'
  const isConflict = saving.status === 'conflict'
  useEffect(() => {
    if (!isDraft || !canSave || isSaving || isConflict || current === attempted) return
    const timer = setTimeout(save, SAVE_DELAY_MS)
    return () => clearTimeout(timer)
  })
  // Load changes that others saved, unless that would discard unsaved changes.
  useEffect(() => {
    if (loaded === seen.current || isDirty || isSaving || prepared.unmetRequirements.size > 0) return
    seen.current = loaded
    if (isSame(loaded, stored)) return
    dispatch({ type: 'load', stored: loaded })
    setStored(loaded)
    setSavedInput(JSON.stringify(prepareSteps(createEditorState(loaded).steps, loaded).input))
  })

  const load = (steps: StoredStep[]) => {
    dispatch({ type: 'load', stored: steps })
    setStored(steps)
    setSavedInput(JSON.stringify(prepareSteps(createEditorState(steps).steps, steps).input))
    setSaving({ status: 'saved' })
  }
  const loadTheirs = () => load(conflictingSteps.current)
  /** Restores the saved steps. */
  const discard = () => {
    const { steps } = state
    load(stored)
    showToast('Changes discarded.', () => dispatch({ type: 'undo_load', steps }))
  }
  /** Makes the next save overwrite someone else's version with the steps on screen. */
  const keepMine = () => {
    latest.current = { ...latest.current, stored: conflictingSteps.current }
    setStored(conflictingSteps.current)
    setSavedInput('')
    setAttempted('')
    setSaving({ status: 'unsaved' })
  }
  const isUnsaved = isDirty || hasText(state.steps, prepared.unmetRequirements)
  const status = saving.status === 'saved' && isDirty ? 'unsaved' : saving.status
  return {
    state,
    dispatch,
    stored,
    unmetRequirements: prepared.unmetRequirements,
    isDraft,
    canSave,
    isUnsaved,
    saving: { ...saving, status } as SaveState,
    save,
    loadTheirs,
    keepMine,
    discard,
  }
}

/** Reports whether an incomplete step has text that would be lost. */
const hasText = (steps: readonly StepDraft[], unmetRequirements: Map<string, string>): boolean =>
  steps.some(
    ({ key, variants, call }) =>
      unmetRequirements.has(key) &&
      (variants.some(({ subject, body }) => subject.trim() || body.trim()) || call.facts.length > 0),
  )

/** Adds the IDs of the stored steps and variants to the input, as `prepareSteps` will once the drafts have them. */
const withIds = (input: StepInput[], stored: StoredStep[]): StepInput[] =>
  input.map((step, index) => {
    const { id, variants } = stored[index]!
    return {
      id,
      ...step,
      ...(step.variants && {
        variants: step.variants.map((variant, position) => ({ id: variants[position]!.id, ...variant })),
      }),
    }
  })

/** Returns a function that saves all steps, or only the changed step if a single step of a launched campaign differs. */
function useWriteSteps(campaignId: string, isDraft: boolean) {
  const setSteps = useOperationMutation('setCampaignSteps', 'getCampaign', 'forecastCampaign')
  const updateStep = useOperationMutation('updateCampaignStep', 'getCampaign')
  return (steps: StepInput[], stored: StoredStep[]): Promise<Campaign> => {
    const index = isDraft ? -1 : findOnlyChange(steps, stored)
    const step = steps[index]
    if (!step) return setSteps({ campaignId, steps })
    return updateStep({ campaignId, ...toStepUpdate(step) }).catch(error => {
      throw prefixPaths(error as ApiError, index)
    })
  }
}

/** Returns the index of the changed step if only one differs, and only in its text or settings; else -1. */
function findOnlyChange(steps: StepInput[], stored: StoredStep[]): number {
  const toShape = (list: (StepInput | StoredStep)[]) =>
    list.map(({ id, channel, variants, call }) => [
      id,
      channel,
      variants?.map(variant => variant.id) ?? [],
      call?.assistantId !== undefined,
    ])
  if (!isSame(toShape(steps), toShape(stored))) return -1
  const before = prepareSteps(createEditorState(stored).steps, stored).input
  const changed = steps.flatMap((step, index) => (isSame(step, before[index]) ? [] : [index]))
  return changed.length === 1 ? changed[0]! : -1
}

/** Prefixes the error's paths with the index of the step among all steps. */
function prefixPaths(error: ApiError, index: number): ApiError {
  for (const detail of error.details ?? [])
    detail.path = detail.path ? `steps.${index}.${detail.path}` : `steps.${index}`
  return error
}

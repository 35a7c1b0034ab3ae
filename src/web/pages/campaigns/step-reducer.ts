import { capitalize } from '../../ui/sentence.ts'
import {
  type Channel,
  createStep,
  createVariant,
  mergeIds,
  type StepDraft,
  type StoredStep,
  toDraft,
  type VariantDraft,
} from './step-drafts.ts'

/** The server's messages by the key of the step, then by the path of the field; '' is the step itself. */
export type StepErrors = Record<string, Record<string, string>>

export type EditorState = {
  steps: StepDraft[]
  errors: StepErrors
  /** Key of the open step. */
  open: string | undefined
  /** Key of the variant that was edited last. */
  variant?: string | undefined
}

export type EditorAction =
  | { type: 'add'; channel: Channel; assistantId?: string | undefined }
  | { type: 'remove'; key: string }
  | { type: 'restore'; step: StepDraft; index: number }
  | { type: 'move'; key: string; to: number }
  | { type: 'open'; key: string | undefined }
  | { type: 'focus_variant'; variant: string }
  | { type: 'change'; key: string; change: Partial<StepDraft> }
  | { type: 'change_variant'; key: string; variant: string; change: Partial<VariantDraft> }
  | { type: 'add_variant'; key: string }
  | { type: 'remove_variant'; key: string; variant: string }
  | { type: 'saved'; sent: StepDraft[]; stored: StoredStep[] }
  | { type: 'rejected'; errors: StepErrors }
  | { type: 'load'; stored: StoredStep[] }
  | { type: 'undo_load'; steps: StepDraft[] }

/** Returns the initial state. Opens the step at the position `openAt`, or the first one if there is none. */
export const createEditorState = (stored: readonly StoredStep[], openAt = 1): EditorState => ({
  steps: stored.map(toDraft),
  errors: {},
  open: (stored[openAt - 1] ?? stored[0])?.id,
})

export function reduceEditor(state: EditorState, action: EditorAction): EditorState {
  const { steps } = state
  switch (action.type) {
    case 'add': {
      const step = createStep(action.channel, steps, action.assistantId)
      return { ...state, steps: [...steps, step], open: step.key }
    }
    case 'remove': {
      const index = steps.findIndex(({ key }) => key === action.key)
      const others = steps.toSpliced(index, 1)
      return { ...state, steps: others, open: (others[index] ?? others.at(-1))?.key }
    }
    case 'restore':
      return { ...state, steps: steps.toSpliced(action.index, 0, action.step), open: action.step.key }
    case 'move': {
      const index = steps.findIndex(({ key }) => key === action.key)
      if (index < 0 || action.to < 0 || action.to >= steps.length || index === action.to) return state
      return { ...state, steps: steps.toSpliced(index, 1).toSpliced(action.to, 0, steps[index]!) }
    }
    case 'open':
      return { ...state, open: action.key }
    case 'focus_variant':
      return state.variant === action.variant ? state : { ...state, variant: action.variant }
    case 'change':
      return changeStep(state, action.key, step => ({ ...step, ...action.change }))
    case 'change_variant':
      return changeStep(state, action.key, step => ({
        ...step,
        variants: step.variants.map(variant =>
          variant.key === action.variant ? { ...variant, ...action.change } : variant,
        ),
      }))
    case 'add_variant':
      return changeStep(state, action.key, step => ({
        ...step,
        variants: [...step.variants, createVariant(step.variants.at(-1))],
      }))
    case 'remove_variant':
      return changeStep(state, action.key, step => ({
        ...step,
        variants: step.variants.filter(({ key }) => key !== action.variant),
      }))
    case 'saved':
      return { ...state, steps: mergeIds(steps, action.sent, action.stored), errors: {} }
    case 'rejected':
      return { ...state, errors: action.errors }
    case 'load': {
      const loaded = createEditorState(action.stored)
      const open = steps.find(({ key }) => key === state.open)?.id
      return action.stored.some(({ id }) => id === open) ? { ...loaded, open } : loaded
    }
    case 'undo_load':
      return { ...state, steps: action.steps }
  }
}

/** Changes a step and clears its errors, which the next save checks again. Errors of other steps stay. */
function changeStep(state: EditorState, key: string, change: (step: StepDraft) => StepDraft): EditorState {
  const { [key]: _, ...errors } = state.errors
  return {
    ...state,
    steps: state.steps.map(step => (step.key === key ? change(step) : step)),
    errors: key in state.errors ? errors : state.errors,
  }
}

type Detail = { path: string; message: string }

/** Assigns the server's messages to the steps that were sent, matching their paths by position. */
export function assignErrors(details: readonly Detail[], sent: readonly StepDraft[]): StepErrors {
  const errors: StepErrors = {}
  for (const { path, message } of details) {
    const [, index = '', field = ''] = /^steps\.(\d+)\.?(.*)$/.exec(path) ?? []
    const step = sent[Number(index)]
    if (!step || index === '') continue
    const name = field.replace(/^variants\.(\d+)/, (whole, variantIndex: string) => {
      const variant = step.variants[Number(variantIndex)]
      return variant ? `variants.${variant.key}` : whole
    })
    errors[step.key] = { ...errors[step.key], [name]: capitalize(message) }
  }
  return errors
}

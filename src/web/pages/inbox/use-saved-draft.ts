import { useRef } from 'react'
import { isOutcomeUnknown } from '../../api.ts'
import type { Content } from './use-autosave.ts'

/** Returns an idempotency key. Not randomUUID, which browsers offer only over HTTPS. */
const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export type DraftStore<C extends Content> = {
  /** The id of an existing draft. */
  id: string | undefined
  /** Resolves to the id of the new draft. */
  create: (content: C, options: { idempotencyKey: string }) => Promise<string>
  /** `saved` is the content of the last save. */
  update: (id: string, content: C, saved: C) => Promise<unknown>
  onCreated?: ((id: string) => void) | undefined
}

/** Creates a draft with its first save, exactly once even if the response is lost, and updates it afterwards. */
export function useSavedDraft<C extends Content>(
  initial: C,
  { id, create, update, onCreated }: DraftStore<C>,
) {
  const draftId = useRef(id)
  const saved = useRef(initial)
  const firstSave = useRef<{ content: C; idempotencyKey: string }>(undefined)
  const save = async (content: C) => {
    if (!draftId.current) {
      // Retries send the same content: an idempotency key covers one request body.
      firstSave.current ??= { content, idempotencyKey: createKey() }
      const { content: firstContent, idempotencyKey } = firstSave.current
      draftId.current = await create(firstContent, { idempotencyKey }).catch(error => {
        if (!isOutcomeUnknown(error)) firstSave.current = undefined
        throw error
      })
      saved.current = firstContent
      onCreated?.(draftId.current)
      if (firstContent === content) return
    }
    await update(draftId.current, content, saved.current)
    saved.current = content
  }
  return { draftId, save }
}

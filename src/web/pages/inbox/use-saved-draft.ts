import { useRef } from 'react'
import { isOutcomeUnknown } from '../../api.ts'

/** Returns an idempotency key. Not randomUUID, which browsers offer only over HTTPS. */
const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export type DraftStore = {
  /** The id of an existing draft. */
  id: string | undefined
  /** Resolves to the id of the new draft. */
  create: (text: string, options: { idempotencyKey: string }) => Promise<string>
  update: (id: string, text: string) => Promise<unknown>
  onCreated?: ((id: string) => void) | undefined
}

/** Creates a draft with its first save, exactly once even if the response is lost, and updates it afterwards. */
export function useSavedDraft({ id, create, update, onCreated }: DraftStore) {
  const draftId = useRef(id)
  const firstSave = useRef<{ text: string; idempotencyKey: string }>(undefined)
  const save = async (text: string) => {
    if (!draftId.current) {
      // Retries send the same text: an idempotency key covers one request body.
      firstSave.current ??= { text, idempotencyKey: createKey() }
      const { text: firstText, idempotencyKey } = firstSave.current
      draftId.current = await create(firstText, { idempotencyKey }).catch(error => {
        if (!isOutcomeUnknown(error)) firstSave.current = undefined
        throw error
      })
      onCreated?.(draftId.current)
      if (firstText === text) return
    }
    await update(draftId.current, text)
  }
  return { draftId, save }
}

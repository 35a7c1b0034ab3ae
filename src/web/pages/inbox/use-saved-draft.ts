import { useRef } from 'react'
import { isOutcomeUnknown } from '../../api.ts'

/** Not randomUUID, which a browser has over HTTPS alone. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export type DraftStore = {
  /** Of a draft that is there already. */
  id: string | undefined
  /** Gives the id of the new draft. */
  create: (text: string, options: { idempotencyKey: string }) => Promise<string>
  update: (id: string, text: string) => Promise<unknown>
  onCreated?: ((id: string) => void) | undefined
}

/** A draft that comes to be with its first save; once, also when the answer to that is lost. */
export function useSavedDraft({ id, create, update, onCreated }: DraftStore) {
  const draftId = useRef(id)
  const first = useRef<{ text: string; idempotencyKey: string }>(undefined)
  const save = async (text: string) => {
    if (!draftId.current) {
      // Asked for again in the same words, else the server could not know it as the same.
      first.current ??= { text, idempotencyKey: newKey() }
      const { text: words, idempotencyKey } = first.current
      draftId.current = await create(words, { idempotencyKey }).catch(error => {
        if (!isOutcomeUnknown(error)) first.current = undefined
        throw error
      })
      onCreated?.(draftId.current)
      if (words === text) return
    }
    await update(draftId.current, text)
  }
  return { draftId, save }
}

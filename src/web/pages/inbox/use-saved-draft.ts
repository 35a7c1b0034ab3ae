import { useRef } from 'react'
import { isOutcomeUnknown } from '../../api.ts'
import type { Content } from './use-autosave.ts'

/** Returns an idempotency key. Avoids randomUUID, which browsers offer only over HTTPS. */
const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export type DraftStore<C extends Content> = {
  /** The ID of an existing draft. */
  id: string | undefined
  /** Resolves to the ID of the new draft. */
  create: (content: C, options: { idempotencyKey: string }) => Promise<string>
  /** `saved` is the content of the last save. */
  update: (id: string, content: C, saved: C) => Promise<unknown>
  onCreated?: ((id: string) => void) | undefined
}

/** Creates a draft with its first save, exactly once even if the response is lost, and updates it afterwards. */
export function useSavedDraft<C extends Content>({ id, create, update, onCreated }: DraftStore<C>) {
  const draftId = useRef(id)
  const pending = useRef<{ content: C; idempotencyKey: string }>(undefined)
  /** Resolves to the stored content, which may differ from `latest`: after a lost response, repeats that request. */
  const save = async (latest: C, saved: C): Promise<C> => {
    pending.current ??= { content: latest, idempotencyKey: createKey() }
    const { content, idempotencyKey } = pending.current
    try {
      if (draftId.current) await update(draftId.current, content, saved)
      else {
        draftId.current = await create(content, { idempotencyKey })
        onCreated?.(draftId.current)
      }
    } catch (error) {
      if (!isOutcomeUnknown(error)) pending.current = undefined
      throw error
    }
    pending.current = undefined
    return content
  }
  return { draftId, save }
}

import { id } from '../../../contract/page.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import type { CallbackReport, CallTransfer } from '../../protocols/voice/provider.ts'
import { openProvider, type StoredVoice, voiceColumns } from '../assistants/voice-provider.ts'
import { recordCallEvent } from './record-event.ts'

type VoiceCallback = {
  accountId: string
  assistantId: string
  headers: Parameters<ReturnType<typeof openProvider>['parseCallback']>[0]['headers']
  body: string
}

/**
 * Handles a voice provider’s callback and returns the response body; undefined when the callback is not valid for the
 * assistant. Events about calls that this assistant did not place are ignored but acknowledged.
 */
export async function receiveVoiceCallback(
  app: App,
  { accountId, assistantId, headers, body }: VoiceCallback,
): Promise<object | undefined> {
  if (![accountId, assistantId].every(text => id.safeParse(text).success)) return undefined
  const assistant = await findVoice(app, accountId, assistantId)
  if (!assistant || assistant.provider === 'simulated') return undefined
  const report = openProvider(app, assistant).parseCallback({ headers, body, now: app.now() })
  if (!report) return undefined
  const call = await findCall(app, assistant, report)
  if (call) for (const event of report.events) await recordCallEvent(app, accountId, call.id, event)
  return report.answerTransfer?.(call?.callTransfer) ?? {}
}

const findVoice = (app: App, accountId: string, assistantId: string): Promise<StoredVoice | undefined> =>
  inAccount(app.db.app, accountId, async tx => {
    const [assistant] = await tx<StoredVoice[]>`
      select ${voiceColumns(tx)}
        from assistants a
       where a.account_id = current_account_id() and a.id = ${assistantId}`
    return assistant
  })

type FoundCall = { id: string; callTransfer: CallTransfer | undefined }

/** Finds the call by our ID if the callback has it, otherwise by the provider’s ID. */
const findCall = (
  app: App,
  assistant: StoredVoice,
  { callId, providerCallId }: CallbackReport,
): Promise<FoundCall | undefined> =>
  inAccount(app.db.app, assistant.accountId, async tx => {
    const ourId = callId && id.safeParse(callId).success ? callId : undefined
    const [call] = await tx<(Omit<FoundCall, 'callTransfer'> & { callTransfer: Partial<CallTransfer> })[]>`
      select c.id,
             coalesce(c.call_transfer, jsonb_build_object('phoneNumber', a.transfer_number)) as "callTransfer"
        from calls c
        join assistants a on a.account_id = c.account_id and a.id = c.assistant_id
       where c.account_id = current_account_id() and c.assistant_id = ${assistant.id} and c.placed_at is not null
         and ${ourId ? tx`c.id = ${ourId}` : tx`(c.provider, c.provider_call_id) = (${assistant.provider}, ${providerCallId ?? null})`}
       limit 1`
    const { phoneNumber } = call?.callTransfer ?? {}
    return call && { ...call, callTransfer: phoneNumber ? { ...call.callTransfer, phoneNumber } : undefined }
  })

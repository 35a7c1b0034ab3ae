import type { voiceProviders } from '../../../contract/assistants.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { type HttpSettings, openHttpProvider } from '../../protocols/voice/http-provider.ts'
import type { VoiceProvider } from '../../protocols/voice/provider.ts'
import { openRetell, type RetellSettings } from '../../protocols/voice/retell.ts'
import { simulatedProvider } from '../../protocols/voice/simulated.ts'
import { openVapi, type VapiSettings } from '../../protocols/voice/vapi.ts'

/** An assistant’s provider settings as stored; the secrets are still encrypted. */
export type StoredVoice = {
  accountId: string
  id: string
  provider: (typeof voiceProviders)[number]
  settings: Record<string, string> | null
  apiKey: Uint8Array | null
  callbackSecret: Uint8Array | null
}

/** Selects the columns of a StoredVoice from assistants `a`. */
export const voiceColumns = (sql: Sql): Fragment => sql`
  a.account_id as "accountId", a.id, a.provider, a.provider_settings as settings, a.api_key as "apiKey",
  a.callback_secret as "callbackSecret"`

type VoiceSecret = 'apiKey' | 'callbackSecret'

const toSecretContext = (
  { accountId, id }: Pick<StoredVoice, 'accountId' | 'id'>,
  secret: VoiceSecret,
): string => `${accountId} assistant ${id} ${secret}`

export const encryptVoiceSecret = (
  app: App,
  assistant: Pick<StoredVoice, 'accountId' | 'id'>,
  secret: VoiceSecret,
  text: string,
): Buffer => encrypt(app.keys, text, toSecretContext(assistant, secret))

function decryptVoiceSecret(app: App, assistant: StoredVoice, secret: VoiceSecret): string {
  const bytes = assistant[secret]
  if (!bytes) return ''
  try {
    return decrypt(app.keys, bytes, toSecretContext(assistant, secret))
  } catch (cause) {
    const name = secret === 'apiKey' ? 'API key' : 'callback secret'
    const message = `The ${name} of this assistant was encrypted with a different secret. Enter it again.`
    throw new AppError('Conflict', message, { cause })
  }
}

/** Returns the URL prefix of provider callbacks; undefined while this server can’t be reached from outside. */
export function getCallbackBase({ config }: App): string | undefined {
  const url = getPublicUrl(config)
  return new URL(url).hostname === 'localhost' ? undefined : `${url}/v1/callbacks/voice/`
}

/** Opens the provider with the assistant’s settings. Throws a Conflict when its secrets can’t be decrypted. */
export function openProvider(app: App, assistant: StoredVoice): VoiceProvider {
  if (assistant.provider === 'simulated') return simulatedProvider
  const apiKey = decryptVoiceSecret(app, assistant, 'apiKey')
  const secret = decryptVoiceSecret(app, assistant, 'callbackSecret')
  const access = (baseUrl: string) => ({
    baseUrl,
    apiKey,
    allowPrivate: app.config.privateHosts,
  })
  const base = getCallbackBase(app)
  const callback = { url: base && `${base}${assistant.accountId}/${assistant.id}`, secret }
  switch (assistant.provider) {
    case 'vapi':
      return openVapi(assistant.settings as VapiSettings, access(app.config.vapiUrl), callback)
    case 'retell':
      return openRetell(assistant.settings as RetellSettings, access(app.config.retellUrl), callback)
    case 'http':
      return openHttpProvider(access((assistant.settings as HttpSettings).baseUrl), callback)
  }
}

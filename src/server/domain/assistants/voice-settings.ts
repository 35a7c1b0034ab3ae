import { randomBytes } from 'node:crypto'
import type { Input } from '../../../contract/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { disclosesAi } from '../../protocols/voice/first-message.ts'
import type { StoredVoice } from './voice-provider.ts'

type VoiceInput = Pick<Input<'createAssistant'>, 'vapi' | 'retell' | 'http' | 'apiKey' | 'callbackSecret'>

/** Settings to store; undefined fields stay unchanged. */
type VoiceSettings = {
  settings: Record<string, string> | undefined
  apiKey: string | undefined
  callbackSecret: string | undefined
}

/** Validates the settings of a new assistant. */
export function toNewVoiceSettings(
  privateHosts: readonly string[],
  provider: StoredVoice['provider'],
  input: VoiceInput,
): VoiceSettings {
  const voice = toChangedVoiceSettings(privateHosts, { provider, settings: null }, input)
  if (provider === 'simulated') return voice
  if (!voice.settings) throw invalid(provider, `is required for the provider ${provider}`)
  if (!voice.apiKey) throw invalid('apiKey', `is required for the provider ${provider}`)
  if (provider === 'http' && !voice.callbackSecret) {
    throw invalid(
      'callbackSecret',
      'is required for the provider http: the secret that signs its callbacks, such as whsec_…',
    )
  }
  return provider === 'vapi' && !voice.callbackSecret ? { ...voice, callbackSecret: generateSecret() } : voice
}

const generateSecret = (): string => randomBytes(32).toString('base64url')

/** Validates a change to an assistant’s settings. */
export function toChangedVoiceSettings(
  privateHosts: readonly string[],
  { provider, settings: stored }: Pick<StoredVoice, 'provider' | 'settings'>,
  { apiKey, callbackSecret, vapi, retell, http }: VoiceInput,
): VoiceSettings {
  const restricted = { vapi, retell, http, ...(provider === 'simulated' && { apiKey, callbackSecret }) }
  const strayField = Object.entries(restricted).find(([name, value]) => value && name !== provider)
  if (strayField) throw invalid(strayField[0], `is not allowed for the provider ${provider}`)
  if (provider === 'simulated') return { settings: undefined, apiKey, callbackSecret }
  if (provider !== 'http') return { settings: { vapi, retell }[provider], apiKey, callbackSecret }
  if (callbackSecret && !/^whsec_[A-Za-z\d+/]{32,}={0,2}$/.test(callbackSecret)) {
    throw invalid('callbackSecret', 'must be whsec_ followed by at least 24 random bytes in base64')
  }
  const settings = http && {
    baseUrl: parseOutboundUrl('http.baseUrl', http.baseUrl, privateHosts).replace(/\/+$/, ''),
  }
  // Otherwise anyone who may change an assistant could have the stored key sent to a server of their own.
  if (settings && stored && getOrigin(settings) !== getOrigin(stored) && !apiKey) {
    throw invalid('apiKey', 'is required for a different baseUrl')
  }
  return { settings, apiKey, callbackSecret }
}

const getOrigin = ({ baseUrl }: Record<string, string>): string => new URL(baseUrl!).origin

/** Throws when the disclosure doesn’t say that an AI is calling (EU AI Act, article 50). */
export function checkDisclosure(disclosure: string | null | undefined): void {
  if (disclosure && !disclosesAi(disclosure)) {
    throw invalid('disclosure', 'must say that an AI is calling, such as “This is Ada, an AI assistant.”')
  }
}

import { randomBytes } from 'node:crypto'
import type { Input } from '../../../contract/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { disclosesAi } from '../../protocols/voice/first-message.ts'
import type { StoredVoice } from './voice-provider.ts'

type Given = Pick<Input<'createAssistant'>, 'vapi' | 'retell' | 'http' | 'apiKey' | 'callbackSecret'>

/** As they are stored; what is undefined stays as it is. */
type VoiceSettings = {
  settings: Record<string, string> | undefined
  apiKey: string | undefined
  callbackSecret: string | undefined
}

/** What a new assistant of that provider needs. */
export function newVoiceSettings(
  privateHosts: readonly string[],
  provider: StoredVoice['provider'],
  given: Given,
): VoiceSettings {
  const read = changedVoiceSettings(privateHosts, { provider, settings: null }, given)
  if (provider === 'simulated') return read
  if (!read.settings) throw invalid(provider, `is required for the provider ${provider}`)
  if (!read.apiKey) throw invalid('apiKey', `is required for the provider ${provider}`)
  if (provider === 'http' && !read.callbackSecret) {
    throw invalid(
      'callbackSecret',
      'is needed with the provider http: what signs its callbacks, as in whsec_…',
    )
  }
  return provider === 'vapi' && !read.callbackSecret ? { ...read, callbackSecret: madeSecret() } : read
}

const madeSecret = (): string => randomBytes(32).toString('base64url')

/** What an assistant of that provider can be changed to. */
export function changedVoiceSettings(
  privateHosts: readonly string[],
  { provider, settings: stored }: Pick<StoredVoice, 'provider' | 'settings'>,
  { apiKey, callbackSecret, vapi, retell, http }: Given,
): VoiceSettings {
  const given = { vapi, retell, http, ...(provider === 'simulated' && { apiKey, callbackSecret }) }
  const stray = Object.entries(given).find(([name, value]) => value && name !== provider)
  if (stray) throw invalid(stray[0], `is not allowed for the provider ${provider}`)
  if (provider === 'simulated') return { settings: undefined, apiKey, callbackSecret }
  if (provider !== 'http') return { settings: { vapi, retell }[provider], apiKey, callbackSecret }
  if (callbackSecret && !/^whsec_[A-Za-z\d+/]{32,}={0,2}$/.test(callbackSecret)) {
    throw invalid('callbackSecret', 'must be whsec_ followed by at least 24 random bytes in base64')
  }
  const settings = http && {
    baseUrl: parseOutboundUrl('http.baseUrl', http.baseUrl, privateHosts).replace(/\/+$/, ''),
  }
  // Else whoever may change an assistant could have the stored key told to a server of their own.
  if (settings && stored && hostOf(settings) !== hostOf(stored) && !apiKey) {
    throw invalid('apiKey', 'is required for a different baseUrl')
  }
  return { settings, apiKey, callbackSecret }
}

const hostOf = ({ baseUrl }: Record<string, string>): string => new URL(baseUrl!).origin

/** Refuses what leaves the person called in the dark (EU AI Act, article 50). */
export function checkDisclosure(disclosure: string | null | undefined): void {
  if (disclosure && !disclosesAi(disclosure)) {
    throw invalid('disclosure', 'must say that an AI is calling, such as “This is Ada, an AI assistant.”')
  }
}

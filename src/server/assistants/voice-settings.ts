import { randomBytes } from 'node:crypto'
import type { Input } from '../../contract/index.ts'
import { invalid } from '../errors.ts'
import { disclosesAi } from '../voice/first-words.ts'
import type { StoredVoice } from './voice-provider.ts'

type Provider = StoredVoice['provider']
type Given = Pick<Input<'createAssistant'>, 'vapi' | 'apiKey' | 'callbackSecret'>

/** As they are stored; what is undefined stays as it is. */
export type VoiceSettings = {
  settings: Record<string, string> | undefined
  apiKey: string | undefined
  callbackSecret: string | undefined
}

/** What a new assistant of that provider needs. */
export function newVoiceSettings(provider: Provider, given: Given): VoiceSettings {
  const { settings, apiKey, callbackSecret } = changedVoiceSettings(provider, given)
  if (provider === 'simulated') return { settings, apiKey, callbackSecret }
  if (!settings) throw invalid(provider, `is needed with the provider ${provider}`)
  if (!apiKey) throw invalid('apiKey', `is needed with the provider ${provider}`)
  return { settings, apiKey, callbackSecret: callbackSecret ?? madeSecret() }
}

const madeSecret = (): string => randomBytes(32).toString('base64url')

/** What an assistant of that provider can be changed to. */
export function changedVoiceSettings(provider: Provider, given: Given): VoiceSettings {
  const { vapi, apiKey, callbackSecret } = given
  const settings = { vapi }
  for (const [name, value] of Object.entries(settings)) {
    if (value && name !== provider) throw invalid(name, `is for assistants of the provider ${name}`)
  }
  if (provider === 'simulated') {
    if (apiKey) throw invalid('apiKey', 'is for assistants of another provider')
    if (callbackSecret) throw invalid('callbackSecret', 'is for assistants of another provider')
    return { settings: undefined, apiKey, callbackSecret }
  }
  return { settings: settings[provider], apiKey, callbackSecret }
}

/** Refuses what leaves the person called in the dark (EU AI Act, article 50). */
export function checkDisclosure(disclosure: string | null | undefined): void {
  if (disclosure && !disclosesAi(disclosure)) {
    throw invalid('disclosure', 'must say that an AI is calling, as in “This is Ada, an AI assistant.”')
  }
}

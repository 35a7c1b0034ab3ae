import type { ReactNode } from 'react'
import type { voiceProviders } from '../../../contract/assistants.ts'

export type VoiceProvider = (typeof voiceProviders)[number]

export const providerNames: Record<VoiceProvider, string> = {
  vapi: 'Vapi',
  retell: 'Retell',
  http: 'Your own voice service',
  simulated: 'Simulated (no real calls)',
}

const steps: Record<VoiceProvider, ReactNode[]> = {
  vapi: [
    'Create an assistant in the Vapi dashboard, and buy or import a phone number there. Each shows its ID.',
    'Copy a private API key from the dashboard.',
    'Add the assistant here, then verify it. Callbacks need no setup: each call includes the address for them.',
  ],
  retell: [
    'Create a single-prompt or multi-prompt agent and a phone number in the Retell dashboard.',
    'Copy the API key that has the webhook badge: Retell signs its callbacks with it.',
    <>
      To transfer calls, add the Transfer Call function to the agent, with the number{' '}
      <code>{'{{transfer_number}}'}</code>.
    </>,
    'Add the assistant here, then verify it. Callbacks need no setup: each call includes the address for them.',
  ],
  http: [
    <>
      Your service handles two requests and sends one, as described in <code>docs/voice-http.md</code>, which
      comes with Overture.
    </>,
    <>
      Create a secret that signs its callbacks, for example with{' '}
      <code>echo whsec_$(openssl rand -base64 32)</code>.
    </>,
    'Add the assistant here, then verify it. Each call includes the address for callbacks.',
  ],
  simulated: ['Calls are simulated inside this server, under the same rules. No phone rings.'],
}

export const ProviderSteps = ({ provider }: { provider: VoiceProvider }) => (
  <ol
    aria-label="Setup steps"
    className="grid list-decimal gap-1 pl-5 text-muted text-sm [&_code]:wrap-anywhere"
  >
    {steps[provider].map((step, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
      <li key={index}>{step}</li>
    ))}
  </ol>
)

import type { ReactNode } from 'react'
import type { voiceProviders } from '../../../contract/assistants.ts'

export type VoiceProvider = (typeof voiceProviders)[number]

export const providerNames: Record<VoiceProvider, string> = {
  vapi: 'Vapi',
  retell: 'Retell',
  http: 'A voice stack of your own',
  simulated: 'Simulated, calls nobody',
}

const steps: Record<VoiceProvider, ReactNode[]> = {
  vapi: [
    'Make an assistant in Vapi’s dashboard, and buy or import a phone number there. Each shows its id.',
    'Copy a private API key from the dashboard.',
    'Add the assistant here, then verify it. Callbacks need no setting: each call tells Vapi where they go.',
  ],
  retell: [
    'Make an agent in Retell’s dashboard, of the kind single or multi prompt, and a phone number.',
    'Copy the API key that has the webhook badge: Retell signs its callbacks with that one.',
    <>
      To hand calls over, give the agent the function Transfer Call with the number{' '}
      <code>{'{{transfer_number}}'}</code>.
    </>,
    'Add the assistant here, then verify it. Callbacks need no setting: each call tells Retell where they go.',
  ],
  http: [
    <>
      Your software answers two requests and makes one. They stand in <code>docs/voice-http.md</code>, which
      comes with Overture.
    </>,
    <>
      Make a secret that signs its callbacks, as with <code>echo whsec_$(openssl rand -base64 32)</code>.
    </>,
    'Add the assistant here, then verify it. Each call tells your software where its callbacks go.',
  ],
  simulated: ['Calls are played out inside this server, and held to the same rules. Nobody’s phone rings.'],
}

export const ProviderSteps = ({ provider }: { provider: VoiceProvider }) => (
  <ol aria-label="Steps" className="grid list-decimal gap-1 pl-5 text-muted text-sm [&_code]:wrap-anywhere">
    {steps[provider].map((step, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <li key={index}>{step}</li>
    ))}
  </ol>
)

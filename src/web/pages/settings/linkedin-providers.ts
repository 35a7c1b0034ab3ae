import type { LinkedinAccount } from './senders.tsx'

export const providerNames: Record<LinkedinAccount['provider'], string> = {
  unipile: 'Unipile',
  webhook: 'signed webhooks',
}

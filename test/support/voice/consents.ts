import type { Caller } from '../app.ts'

/** Records a consent that is sufficient in every country. */
export const makeConsent = ({ call }: Caller, phoneNumber: string) =>
  call('recordConsent', { phoneNumber, kind: 'written', proof: 'Ticked on our form' })

import type { Caller } from '../app.ts'

/** A consent that is enough in every country. */
export const aConsent = ({ call }: Caller, phoneNumber: string) =>
  call('recordConsent', { phoneNumber, kind: 'written', proof: 'Ticked on our form' })

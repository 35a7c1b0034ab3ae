/** Code whose faults nobody would notice before mails or calls went wrong, and the tests that have to notice each of them. */
export type Group = { code: string[]; tests: string[] }

const server = (paths: string): string[] =>
  paths
    .trim()
    .split(/\s+/)
    .map(path => `src/server/${path}`)

export const groups: Record<string, Group> = {
  'may-send': {
    code: server('engine/may-send.ts prospects/hold.ts'),
    tests: server('engine/may-send.test.ts'),
  },
  'may-call': {
    code: server('calls/may-call.ts calls/calling-hours.ts calls/call-policies.ts'),
    tests: server('calls/may-call.test.ts calls/calling-hours.test.ts calls/call-policies.test.ts'),
  },
  schedule: {
    code: server(
      'campaigns/schedule.ts campaigns/step-delay.ts prospects/prospect-zone.ts calls/phone-zones.ts',
    ),
    tests: server(
      'campaigns/schedule.test.ts campaigns/step-delay.test.ts prospects/prospect-zone.test.ts calls/phone-zones.test.ts',
    ),
  },
  'bounce-classes': {
    code: server('email/bounce-classes.ts email/bounce-words.ts email/refused-at.ts'),
    tests: server('email/bounce-classes.test.ts email/bounce-words.test.ts email/refused-at.test.ts'),
  },
  'bounce-reports': {
    code: server(`
      email/bounce.ts email/bounce-address.ts email/bounce-notice.ts email/bounce-signs.ts email/delivery-status.ts
      email/other-report.ts email/returned-message.ts email/ses-notice.ts`),
    tests: server(`
      email/bounce.test.ts email/bounce-address.test.ts email/bounce-notice.test.ts email/bounce-signs.test.ts
      email/delivery-status.test.ts email/other-report.test.ts email/returned-message.test.ts email/ses-notice.test.ts`),
  },
  match: {
    code: server('engine/match-mail.ts'),
    tests: server('engine/match-mail.test.ts'),
  },
  claim: {
    code: server(`
      prospects/claim-prospects.ts prospects/advance-prospects.ts prospects/due-time.ts inbox/sends.ts`),
    tests: server(`
      prospects/claim-prospects.test.ts prospects/advance-prospects.test.ts prospects/due-time.test.ts
      inbox/sends.test.ts`),
  },
}

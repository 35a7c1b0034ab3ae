/** Source files whose bugs would surface only as wrong emails or calls, and the tests that must kill every mutant. */
export type Group = { code: string[]; tests: string[] }

const toServerPaths = (paths: string): string[] =>
  paths
    .trim()
    .split(/\s+/)
    .map(path => `src/server/${path}`)

export const groups: Record<string, Group> = {
  'may-send': {
    code: toServerPaths('engine/attempt/may-send.ts domain/prospects/hold.ts'),
    tests: toServerPaths('engine/attempt/may-send.test.ts'),
  },
  'may-call': {
    code: toServerPaths(
      'domain/calls/may-call.ts domain/calls/calling-hours.ts domain/calls/country-policies.ts',
    ),
    tests: toServerPaths(
      'domain/calls/may-call.test.ts domain/calls/calling-hours.test.ts domain/calls/country-policies.test.ts',
    ),
  },
  schedule: {
    code: toServerPaths(
      'domain/campaigns/schedule.ts domain/campaigns/step-delay.ts domain/prospects/prospect-zone.ts protocols/identity/phone-zones.ts',
    ),
    tests: toServerPaths(
      'domain/campaigns/schedule.test.ts domain/campaigns/step-delay.test.ts domain/prospects/prospect-zone.test.ts protocols/identity/phone-zones.test.ts',
    ),
  },
  'bounce-classes': {
    code: toServerPaths(
      'protocols/mail-reading/bounce/diagnosis.ts protocols/mail-reading/bounce/phrases.ts protocols/mail-reading/bounce/refusal-stage.ts',
    ),
    tests: toServerPaths(
      'protocols/mail-reading/bounce/diagnosis.test.ts protocols/mail-reading/bounce/phrases.test.ts protocols/mail-reading/bounce/refusal-stage.test.ts',
    ),
  },
  'bounce-reports': {
    code: toServerPaths(`
      protocols/mail-reading/bounce/delivery-report.ts protocols/mail-reading/bounce/find-addresses.ts protocols/mail-reading/bounce/notice.ts protocols/mail-reading/bounce/signs.ts protocols/mail-reading/bounce/delivery-status.ts
      protocols/mail-reading/bounce/other-report.ts protocols/mail-reading/bounce/returned-message.ts protocols/mail-reading/bounce/ses-notice.ts`),
    tests: toServerPaths(`
      protocols/mail-reading/bounce/delivery-report.test.ts protocols/mail-reading/bounce/find-addresses.test.ts protocols/mail-reading/bounce/notice.test.ts protocols/mail-reading/bounce/signs.test.ts
      protocols/mail-reading/bounce/delivery-status.test.ts protocols/mail-reading/bounce/other-report.test.ts protocols/mail-reading/bounce/returned-message.test.ts protocols/mail-reading/bounce/ses-notice.test.ts`),
  },
  match: {
    code: toServerPaths('engine/receive/match-mail.ts'),
    tests: toServerPaths('engine/receive/match-mail.test.ts'),
  },
  claim: {
    code: toServerPaths(`
      domain/prospects/claim-prospects.ts domain/prospects/advance-prospects.ts domain/prospects/due-time.ts domain/outbox/sends.ts`),
    tests: toServerPaths(`
      domain/prospects/claim-prospects.test.ts domain/prospects/advance-prospects.test.ts domain/prospects/due-time.test.ts
      domain/outbox/sends.test.ts`),
  },
}

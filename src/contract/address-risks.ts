import { z } from 'zod'

/** Reasons for an email not to reach a person, most serious first. */
export const addressRiskKinds = [
  'undeliverable_domain',
  'possible_typo',
  'bouncing_domain',
  'disposable_address',
  'role_address',
] as const

export const addressRisk = {
  email: z.string(),
  kind: z
    .enum(addressRiskKinds)
    .describe(
      '`undeliverable_domain`: the domain has no mail server, or declares that it accepts no email, so campaigns pause the prospect instead of sending; `possible_typo`: the domain resembles that of a large mail provider; `bouncing_domain`: emails to several addresses of the domain bounced lately; `disposable_address`: anyone gets such an address for a few minutes; `role_address`: such as info@',
    ),
  message: z.string().describe('Explanation, with what to do'),
}

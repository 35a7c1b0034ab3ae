import { z } from 'zod'

/** Reasons an email may not reach a person, most serious first. */
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
      '`undeliverable_domain`: the domain has no mail server, or declares that it accepts no email, so campaigns pause the prospect instead of sending; `possible_typo`: the domain resembles that of a large mail provider; `bouncing_domain`: emails to several addresses of the domain bounced recently; `disposable_address`: from a service that hands out temporary addresses; `role_address`: a shared address, such as info@',
    ),
  message: z.string().describe('Explanation and recommended action'),
}

import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import { readPhone } from '../people/consents/consents.ts'
import { type CallPolicy, codesOf, everywhere, policies, policiesOf } from './country-policies.ts'

type Answer = Output<'getCallPolicies'>

/** What calls are held to: those to one number, or all. */
export async function getCallPolicies(
  ctx: Context,
  { phoneNumber }: Input<'getCallPolicies'>,
): Promise<Answer> {
  const countries = phoneNumber && findPhoneCountries(await readPhone(ctx, phoneNumber))
  const found = countries ? policiesOf(countries) : policies
  return {
    data: [describe([], everywhere), ...found.map(policy => describe(codesOf(policy), policy))],
    ...(countries && { countries }),
  }
}

const describe = (countries: string[], { consent, windows }: CallPolicy): Answer['data'][number] => ({
  objectType: 'call_policy',
  countries,
  ...(consent && { consent: [...consent] }),
  ...(windows && { windows }),
})

import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import { parsePhone } from '../people/consents/consents.ts'
import { type CallPolicy, everywhere, findPolicies, getCountryCodes, policies } from './country-policies.ts'

type Answer = Output<'getCallPolicies'>

/** Returns the call policies of a number, or all of them. */
export async function getCallPolicies(
  ctx: Context,
  { phoneNumber }: Input<'getCallPolicies'>,
): Promise<Answer> {
  const countries = phoneNumber && findPhoneCountries(await parsePhone(ctx, phoneNumber))
  const found = countries ? findPolicies(countries) : policies
  return {
    data: [describe([], everywhere), ...found.map(policy => describe(getCountryCodes(policy), policy))],
    ...(countries && { countries }),
  }
}

const describe = (countries: string[], { consent, windows }: CallPolicy): Answer['data'][number] => ({
  objectType: 'call_policy',
  countries,
  ...(consent && { consent: [...consent] }),
  ...(windows && { windows }),
})

import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import { parsePhone } from '../people/consents/consents.ts'
import { type CallPolicy, findPolicies, getCountryCodes, globalPolicy, policies } from './country-policies.ts'

type CallPolicies = Output<'getCallPolicies'>

/** Returns the call policies for a phone number, or all call policies if no number is given. */
export async function getCallPolicies(
  ctx: Context,
  { phoneNumber }: Input<'getCallPolicies'>,
): Promise<CallPolicies> {
  const countries = phoneNumber && findPhoneCountries(await parsePhone(ctx, phoneNumber))
  const found = countries ? findPolicies(countries) : policies
  return {
    data: [
      toCallPolicy([], globalPolicy),
      ...found.map(policy => toCallPolicy(getCountryCodes(policy), policy)),
    ],
    ...(countries && { countries }),
  }
}

const toCallPolicy = (
  countries: string[],
  { consent, windows }: CallPolicy,
): CallPolicies['data'][number] => ({
  objectType: 'call_policy',
  countries,
  ...(consent && { consent: [...consent] }),
  ...(windows && { windows }),
})

import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { canonicalPhone } from '../../protocols/identity/phone.ts'
import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { findPolicies, missingConsent } from '../calls/country-policies.ts'
import { findConsentKinds } from '../people/consents/consents.ts'
import { withGaps } from '../rendering/missing-variables.ts'
import { renderCallData } from '../rendering/render-step.ts'
import type { DueStep, StepFacts } from '../rendering/step-facts.ts'
import { type Warn, warnOfGaps } from './preview-task.ts'

type Preview = Pick<Output<'previewCampaign'>, 'call' | 'subject' | 'text' | 'html' | 'headers'>

/** Previews a call: the number, the assistant and the assistant's data. Text fields are empty. */
export async function previewCall(
  ctx: Context,
  facts: StepFacts,
  step: DueStep,
  warn: Warn,
): Promise<Preview> {
  const { written: data = {}, ...gaps } = await withGaps(missing =>
    renderCallData(step, { ...facts, missing }),
  )
  warnOfGaps(gaps, warn)
  const given = facts.variables.phone
  const phoneNumber = given ? canonicalPhone(given, await getDefaultCountry(ctx)) : undefined
  const assistantId = step.call?.assistantId
  if (!assistantId) warn('no_assistant', 'The step names no assistant; no campaign is launched without.')
  if (!phoneNumber) warn('no_phone', 'There is no number to call.')
  else if (
    missingConsent(findPolicies(findPhoneCountries(phoneNumber)), await findConsentKinds(ctx, phoneNumber))
  )
    warn(
      'no_consent',
      "The law of the number's country asks for consent before an AI voice calls, and none that is enough is recorded. The call would be refused, and the next step come.",
    )
  return {
    call: { ...(assistantId && { assistantId }), ...(phoneNumber && { phoneNumber }), data },
    ...{ subject: '', text: '', html: '', headers: [] },
  }
}

import type { Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { canonicalPhone } from '../../protocols/identity/phone.ts'
import { findPhoneCountries } from '../../protocols/identity/phone-zones.ts'
import { getDefaultCountry } from '../accounts/default-country.ts'
import { findMissingConsent, findPolicies } from '../calls/country-policies.ts'
import { findConsentKinds } from '../people/consents/consents.ts'
import { renderWithPlaceholders } from '../rendering/missing-variables.ts'
import { renderCallData } from '../rendering/render-step.ts'
import type { DueStep, StepFacts } from '../rendering/step-facts.ts'
import { addRenderWarnings, type Warn } from './preview-task.ts'

type Preview = Pick<Output<'previewCampaign'>, 'call' | 'subject' | 'text' | 'html' | 'headers'>

/** Previews a call: the number, the assistant and the assistant's data. Text fields are empty. */
export async function previewCall(
  ctx: Context,
  facts: StepFacts,
  step: DueStep,
  warn: Warn,
): Promise<Preview> {
  const { rendered: data = {}, ...problems } = await renderWithPlaceholders(missing =>
    renderCallData(step, { ...facts, missing }),
  )
  addRenderWarnings(problems, warn)
  const { phone } = facts.variables
  const phoneNumber = phone ? canonicalPhone(phone, await getDefaultCountry(ctx)) : undefined
  const assistantId = step.call?.assistantId
  if (!assistantId)
    warn('no_assistant', "The step has no assistant. A campaign can't be launched without one.")
  if (!phoneNumber) warn('no_phone', 'This person has no phone number.')
  else if (
    findMissingConsent(
      findPolicies(findPhoneCountries(phoneNumber)),
      await findConsentKinds(ctx, phoneNumber),
    )
  )
    warn(
      'no_consent',
      "The law of the number's country requires consent before an AI voice calls, and no sufficient consent is recorded. The call would be refused, and the sequence would continue with the next step.",
    )
  return {
    call: { ...(assistantId && { assistantId }), ...(phoneNumber && { phoneNumber }), data },
    ...{ subject: '', text: '', html: '', headers: [] },
  }
}

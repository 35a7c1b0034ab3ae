import type { Output, RawInput } from '../../contract/index.ts'
import type { Person } from './person-name.ts'

type AddedProspects = Output<'addProspectsToCampaign'>
type ProspectInput = RawInput<'addProspectsToCampaign'>['data'][number]

/** Returns the fields by which a campaign recognizes an existing person. */
export const toProspectInput = ({
  firstName,
  lastName,
  email,
  title,
  phone,
  linkedinUrl,
  company,
}: Person): ProspectInput =>
  Object.fromEntries(
    Object.entries({ firstName, lastName, email, jobTitle: title, phone, linkedinUrl, company }).filter(
      ([, value]) => value,
    ),
  )

/** Reports whether a campaign can recognize the person. A request fails if it contains an unrecognizable person. */
export const isIdentifiable = ({
  email,
  linkedinUrl,
  phone,
  firstName,
  lastName,
  company,
}: Person): boolean => Boolean(email || linkedinUrl || phone || (firstName && lastName && company))

/** Shown for a person who can't be added to a campaign. */
export const NOT_IDENTIFIABLE =
  'Needs an email address, a phone number, a LinkedIn profile, or a first name, last name and company.'

export const skipReasons: Record<AddedProspects['data'][number]['outcome'], string> = {
  added: '',
  already_in_campaign: 'Already in the campaign.',
  duplicate_in_request: 'The same person was selected twice.',
  do_not_contact: 'On the Do Not Contact list.',
  in_other_active_campaign: 'In another active campaign.',
}

import { Link } from '@tanstack/react-router'
import { updatePerson } from '../../../contract/persons.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { appendInFlightNote } from '../../components/in-flight.ts'
import { getCompanyName, type Person } from '../../components/person-name.ts'
import { RepField } from '../../components/rep-field.tsx'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { TextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { Time } from '../../ui/time.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type CustomField, CustomFields, toCustomValues } from './custom-values.tsx'
import { DetailsSection } from './details-section.tsx'

const fieldLabels = {
  firstName: 'First name',
  lastName: 'Last name',
  title: 'Job title',
  email: 'Email',
  phone: 'Phone',
  linkedinUrl: 'LinkedIn',
  city: 'City',
  state: 'State or region',
  country: 'Country',
  timezone: 'Time zone',
} as const
type Field = keyof typeof fieldLabels

/** Shows the person's details, which can be edited in place. */
export const PersonDetails = ({ person }: { person: Person }) => (
  <DetailsSection
    appliesTo="person"
    form={(fields, onEnd) => <DetailsForm person={person} fields={fields} onEnd={onEnd} />}
  >
    {fields => <Details person={person} fields={fields} />}
  </DetailsSection>
)

function Details({ person, fields }: { person: Person; fields: CustomField[] }) {
  const { email, phone, linkedinUrl, companyId, ownerRepId = '' } = person
  const { data: owner } = useOperation('getRep', { repId: ownerRepId }, { isEnabled: ownerRepId !== '' })
  const location = [person.city, person.state, person.country].filter(Boolean).join(', ')
  return (
    <DescriptionList
      items={{
        Email: email,
        'Other emails': person.otherEmails?.join(', '),
        Phone: phone && <a href={`tel:${phone}`}>{phone}</a>,
        'Other phone numbers': person.otherPhones?.join(', '),
        LinkedIn: linkedinUrl && (
          <a href={linkedinUrl} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            Profile<span className="sr-only"> on LinkedIn, in a new tab</span>
          </a>
        ),
        'Other LinkedIn profiles': person.otherLinkedinUrls?.join(', '),
        Company: companyId && (
          <Link to="/companies/$companyId" params={{ companyId }} className="text-accent hover:underline">
            {getCompanyName(person)}
          </Link>
        ),
        'Job title': person.title,
        Location: location,
        'Time zone': person.timezone?.replaceAll('_', ' '),
        Owner: owner?.name,
        ...Object.fromEntries(fields.map(({ key, label }) => [label, person.custom?.[key]])),
        'Last contacted': person.lastContactedAt && <Time at={person.lastContactedAt} />,
        'Last replied': person.lastRepliedAt && <Time at={person.lastRepliedAt} />,
        Added: <Time at={person.createdAt} />,
      }}
    />
  )
}

type FormProps = { person: Person; fields: CustomField[]; onEnd: () => void }

function DetailsForm({ person, fields, onEnd }: FormProps) {
  const update = useOperationMutation('updatePerson', 'getPerson', 'listPersons', 'getPersonTimeline')
  const names = Object.keys(fieldLabels) as Field[]
  const form = useSchemaForm(updatePerson.input, {
    values: {
      personId: person.id,
      ...Object.fromEntries(names.map(name => [name, person[name] ?? null])),
      company: person.company ?? '',
      ownerRepId: person.ownerRepId ?? null,
      custom: toCustomValues(fields, person.custom),
    },
    onSubmit: async ({ company, custom, ...input }, initial) => {
      const isSameCompany = (company ?? '') === initial.company
      const { inFlight = 0 } = await update({
        ...getChangedValues(input, initial),
        personId: person.id,
        // The server would reject a stored value that its field no longer allows.
        custom: getChangedValues(custom, initial.custom),
        ...(!isSameCompany && (company ? { company } : { companyId: null })),
      })
      showToast(appendInFlightNote('Details saved.', inFlight, ' to the old address'))
      onEnd()
    },
  })
  return (
    <FormBody
      form={form}
      submit="Save details"
      isGuarded
      aside={
        <Button look="quiet" onClick={onEnd}>
          Cancel
        </Button>
      }
    >
      {names.map(name => {
        const field = { label: fieldLabels[name], ...form.field(name, emptyToNull) }
        return name === 'timezone' ? (
          <TimezoneField key={name} isOptional {...field} />
        ) : (
          <TextField key={name} {...field} />
        )
      })}
      <TextField label="Company" help="A new name creates a company." {...form.field('company')} />
      <RepField
        label="Owner"
        none="Nobody"
        storedId={person.ownerRepId}
        {...form.field('ownerRepId', emptyToNull)}
      />
      <CustomFields
        fields={fields}
        values={person.custom}
        field={(key, options) => form.field(`custom.${key}`, options)}
      />
    </FormBody>
  )
}

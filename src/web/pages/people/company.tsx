import { getRouteApi, Link } from '@tanstack/react-router'
import { updateCompany } from '../../../contract/companies.ts'
import type { Output } from '../../../contract/index.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { TextField } from '../../ui/field.tsx'
import {
  emptyToNull,
  emptyToUndefined,
  FormBody,
  getChangedValues,
  REQUIRED,
  toFieldErrors,
  useSchemaForm,
} from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CompanyConversations } from './company-conversations.tsx'
import { CompanyPeople } from './company-people.tsx'
import { type CustomField, CustomFields, toCustomValues } from './custom-values.tsx'
import { DetailsSection } from './details-section.tsx'

type Company = Output<'getCompany'>

const route = getRouteApi('/shell/companies/$companyId')

/** Shows a company with its people and their conversations. */
export function CompanyPage() {
  const { companyId } = route.useParams()
  const query = useOperation('getCompany', { companyId })
  return (
    <Page
      key={companyId}
      above={
        <Link to="/people" className="text-accent underline-offset-2 hover:underline">
          People
        </Link>
      }
      title={query.data ? (query.data.name ?? query.data.domain ?? 'Unnamed company') : 'Company'}
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {company => (
          <div className="grid grid-cols-1 items-start gap-8 wide:grid-cols-[20rem_minmax(0,1fr)]">
            <CompanyDetails company={company} />
            <div className="min-w-0">
              <CompanyPeople companyId={companyId} />
              <CompanyConversations companyId={companyId} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

const CompanyDetails = ({ company }: { company: Company }) => (
  <DetailsSection
    appliesTo="company"
    form={(fields, onEnd) => <CompanyForm company={company} fields={fields} onEnd={onEnd} />}
  >
    {fields => (
      <DescriptionList
        items={{
          Website: company.website && (
            <a
              href={company.website}
              target="_blank"
              rel="noreferrer"
              className="text-accent hover:underline"
            >
              {company.website.replace(/^https?:\/\/|\/$/g, '')}
              <span className="sr-only">, in a new tab</span>
            </a>
          ),
          Domain: company.domain,
          Industries: company.industries.join(', '),
          Location: [company.city, company.state, company.country].filter(Boolean).join(', '),
          ...Object.fromEntries(fields.map(({ key, label }) => [label, company.custom?.[key]])),
          Added: <Time at={company.createdAt} />,
        }}
      />
    )}
  </DetailsSection>
)

const fieldLabels = {
  domain: 'Email domain',
  website: 'Website',
  city: 'City',
  state: 'State or region',
  country: 'Country',
} as const

type FormProps = { company: Company; fields: CustomField[]; onEnd: () => void }

function CompanyForm({ company, fields, onEnd }: FormProps) {
  const update = useOperationMutation('updateCompany', 'getCompany', 'listPersons', 'getPerson')
  const names = Object.keys(fieldLabels) as (keyof typeof fieldLabels)[]
  const form = useSchemaForm(updateCompany.input, {
    values: {
      companyId: company.id,
      name: company.name ?? '',
      ...Object.fromEntries(names.map(name => [name, company[name]])),
      industries: company.industries,
      custom: toCustomValues(fields, company.custom),
    },
    onSubmit: async (input, initial) => {
      // An update without a name keeps the stored one.
      if (initial.name && !input.name) throw toFieldErrors({ name: REQUIRED })
      await update({
        ...getChangedValues(input, initial),
        companyId: company.id,
        custom: getChangedValues(input.custom, initial.custom),
      })
      showToast('Company saved. Steps that haven’t been sent yet use the new values.')
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
      <TextField label="Name" {...form.field('name', emptyToUndefined)} />
      {names.map(name => (
        <TextField key={name} label={fieldLabels[name]} {...form.field(name, emptyToNull)} />
      ))}
      <TextField
        label="Industries"
        help="Separated by commas."
        {...form.field('industries', { setValueAs: toList })}
      />
      <CustomFields
        fields={fields}
        values={company.custom}
        field={(key, options) => form.field(`custom.${key}`, options)}
      />
    </FormBody>
  )
}

const toList = (value: string | string[]): string[] =>
  Array.isArray(value)
    ? value
    : value
        .split(',')
        .map(part => part.trim())
        .filter(Boolean)

import { useQueryClient } from '@tanstack/react-query'
import { updateAccount } from '../../../contract/accounts.ts'
import { countries } from '../../../contract/countries.ts'
import type { Output } from '../../../contract/index.ts'
import { sessionQuery, useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { CountryField } from '../../ui/country-field.tsx'
import { CheckField, LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { showToast } from '../../ui/toast.tsx'

export function AccountPage() {
  const query = useOperation('getAccount', {})
  return (
    <Page title="Account" intro="The company in whose name is written and called.">
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {account => <AccountForm account={account} />}
      </Loaded>
    </Page>
  )
}

function AccountForm({ account }: { account: Output<'getAccount'> }) {
  const cache = useQueryClient()
  const isReadOnly = !usePermission('Account.ManageSettings')
  const update = useOperationMutation('updateAccount', 'getAccount')
  const form = useSchemaForm(updateAccount.input, {
    values: {
      name: account.name,
      timezone: account.timezone,
      defaultCountry: account.defaultCountry ?? null,
      postalAddress: account.postalAddress ?? '',
      optOutLine: account.optOutLine ?? '',
      replyPauses: account.replyPauses,
      unsubscribeWords: account.unsubscribeWords,
      assistantsMayRequestCalls: account.assistantsMayRequestCalls,
    },
    onSubmit: async input => {
      await update({
        ...input,
        postalAddress: input.postalAddress ?? null,
        optOutLine: input.optOutLine ?? null,
      })
      await cache.invalidateQueries(sessionQuery)
      showToast('The account is saved.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Save account" isGuarded>
        <fieldset disabled={isReadOnly} className="contents">
          {isReadOnly && <p className="text-muted">Admins and owners can change this.</p>}
          <TextField label="Name" autoComplete="organization" {...form.field('name')} />
          <TimezoneField help="Working hours and days are counted in it." {...form.field('timezone')} />
          <CountryField
            countries={countries}
            isOptional
            help="Phone numbers without the code of a country are read as numbers of this one."
            {...form.field('defaultCountry', { setValueAs: value => value || null })}
          />
          <LongTextField
            label="Postal address"
            autoComplete="street-address"
            help="Stands below every campaign email, as the law of most countries asks for."
            {...form.field('postalAddress')}
          />
          <LongTextField
            label="Opt-out line"
            rows={2}
            help={
              <>
                Tells how to opt out, below every campaign email. The link comes where{' '}
                <code className="font-mono">{'{{ unsubscribeUrl }}'}</code> stands, else after the line.
              </>
            }
            {...form.field('optOutLine')}
          />
          <SelectField
            label="Who is paused by a reply"
            help="A reply ends its own sequence. These are others that it pauses."
            {...form.field('replyPauses')}
          >
            <option value="person">The other sequences of the same person</option>
            <option value="company_domain">The sequences of everybody in the same company</option>
          </SelectField>
          <SelectField
            label="When somebody asks in words for no more mail"
            {...form.field('unsubscribeWords')}
          >
            <option value="mark">End the sequence and let a person decide</option>
            <option value="opt_out">Put them on Do Not Contact</option>
          </SelectField>
          <CheckField
            label="Assistants may ask for calls"
            help="A connected assistant such as Claude can then file a request for a call, with its reason. Nobody is called before a member approves the request under Calls."
            {...form.field('assistantsMayRequestCalls')}
          />
        </fieldset>
      </FormBody>
    </Card>
  )
}

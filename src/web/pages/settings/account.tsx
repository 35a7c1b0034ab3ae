import { useQueryClient } from '@tanstack/react-query'
import { updateAccount } from '../../../contract/accounts.ts'
import { countries } from '../../../contract/countries.ts'
import type { Output } from '../../../contract/index.ts'
import { sessionQuery, useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { CountryField } from '../../ui/country-field.tsx'
import { CheckField, LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { showToast } from '../../ui/toast.tsx'

export function AccountPage() {
  const query = useOperation('getAccount', {})
  return (
    <Page title="Account" intro="Your company, and the settings of all its campaigns.">
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
  const form = useSchemaForm(updateAccount.input.required({ name: true }), {
    values: {
      name: account.name,
      timezone: account.timezone,
      defaultCountry: account.defaultCountry ?? null,
      postalAddress: account.postalAddress ?? null,
      optOutLine: account.optOutLine ?? null,
      replyPauses: account.replyPauses,
      unsubscribeWords: account.unsubscribeWords,
      assistantsMayRequestCalls: account.assistantsMayRequestCalls,
      assistantSendsNeedApproval: account.assistantSendsNeedApproval,
      maxBouncePercent: account.maxBouncePercent,
      maxComplaintPercent: account.maxComplaintPercent,
    },
    onSubmit: async (input, initial) => {
      const { postalAddress = null, optOutLine = null } = input
      await update(getChangedValues({ ...input, postalAddress, optOutLine }, initial))
      await cache.invalidateQueries(sessionQuery)
      showToast('Account saved.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Save account" isGuarded isReadOnly={isReadOnly}>
        {isReadOnly && <p className="text-muted">Only admins and owners can edit these settings.</p>}
        <TextField label="Name" autoComplete="organization" {...form.field('name')} />
        <TimezoneField help="Used for working hours and daily limits." {...form.field('timezone')} />
        <CountryField
          countries={countries}
          isOptional
          help="Default country for phone numbers without a country code."
          {...form.field('defaultCountry', emptyToNull)}
        />
        <LongTextField
          label="Postal address"
          autoComplete="street-address"
          help="Added below every campaign email, as most countries require by law."
          {...form.field('postalAddress', emptyToNull)}
        />
        <LongTextField
          label="Opt-out line"
          rows={2}
          help={
            <>
              Added below every campaign email to explain how to opt out. The link replaces{' '}
              <code className="font-mono">{'{{ unsubscribeUrl }}'}</code>, or follows the line.
            </>
          }
          {...form.field('optOutLine', emptyToNull)}
        />
        <SelectField
          label="Pause on reply"
          help="A reply always stops its own sequence. Choose which other sequences it pauses."
          {...form.field('replyPauses')}
        >
          <option value="person">Other sequences of the same person</option>
          <option value="company_domain">Sequences of everyone at the same company</option>
        </SelectField>
        <SelectField label="When a reply asks to opt out" {...form.field('unsubscribeWords')}>
          <option value="mark">Stop the sequence and let a person decide</option>
          <option value="opt_out">Add the prospect to Do Not Contact</option>
        </SelectField>
        <TextField
          label="Bounce limit (%)"
          type="number"
          step="any"
          help="A mailbox is paused when more than this share of its last 100 emails went to addresses that do not exist."
          {...form.field('maxBouncePercent', { valueAsNumber: true })}
        />
        <TextField
          label="Complaint limit (%)"
          type="number"
          step="any"
          help="A mailbox is paused when more than this share of its last 1,000 emails was reported as spam."
          {...form.field('maxComplaintPercent', { valueAsNumber: true })}
        />
        <CheckField
          label="Assistants can request calls"
          help="Connected assistants such as Claude can request a call with a reason. Nobody is called until a member approves it under Calls."
          {...form.field('assistantsMayRequestCalls')}
        />
        <CheckField
          label="A person approves what assistants send"
          help="Emails and LinkedIn messages that connected assistants would send are kept as drafts until a member sends them. Assistants cannot launch or resume campaigns, or change launched ones. API tokens are not affected."
          {...form.field('assistantSendsNeedApproval')}
        />
      </FormBody>
    </Card>
  )
}

import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { newMemberRoles, setSingleSignOn } from '../../../contract/single-sign-on.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'

type Set = Output<'setSingleSignOn'>

export function SingleSignOnPage() {
  const query = useOperation('getSingleSignOn', {})
  return (
    <Page
      title="Single sign-on"
      intro="Your company’s identity provider says who its people are. It speaks OpenID Connect, as Google, Okta and Keycloak do."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {({ redirectUri, singleSignOn }) => (
          <>
            <SettingsForm key={singleSignOn?.id} redirectUri={redirectUri} set={singleSignOn} />
            {singleSignOn && <Proof set={singleSignOn} />}
            {singleSignOn && <Removal domain={singleSignOn.domain} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function SettingsForm({ redirectUri, set }: { redirectUri: string; set: Set | undefined }) {
  const save = useOperationMutation('setSingleSignOn', 'getSingleSignOn')
  const form = useSchemaForm(setSingleSignOn.input, {
    values: {
      issuer: set?.issuer ?? '',
      clientId: set?.clientId ?? '',
      domain: set?.domain ?? '',
      isRequired: set?.isRequired ?? false,
      newMemberRole: set?.newMemberRole ?? null,
    },
    secrets: ['clientSecret'],
    onSubmit: async input => {
      await save(input)
      showToast('Single sign-on is saved.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Save single sign-on" isGuarded isMinor={set !== undefined}>
        <SecretBox secret={redirectUri} label="Redirect address">
          Give your provider this redirect address. It gives you a client id and a secret.
        </SecretBox>
        <TextField
          label="Issuer"
          placeholder="https://login.acme.example"
          help="The address by which the provider calls itself."
          {...form.field('issuer')}
        />
        <TextField label="Client id" autoComplete="off" {...form.field('clientId')} />
        <PasswordField
          label="Client secret"
          autoComplete="new-password"
          isOptional={set !== undefined}
          help={set && 'Leave empty to keep the stored secret. Another issuer needs it again.'}
          {...form.field('clientSecret', { setValueAs: value => value || undefined })}
        />
        <TextField
          label="Domain"
          placeholder="acme.example"
          help="Whoever has an address of it is sent to the provider."
          {...form.field('domain')}
        />
        <SelectField
          label="Who comes for the first time"
          {...form.field('newMemberRole', { setValueAs: value => value || null })}
        >
          <option value="">has to be invited</option>
          {newMemberRoles.map(role => (
            <option key={role} value={role}>
              becomes a {role}
            </option>
          ))}
        </SelectField>
        <CheckField
          label="Only by single sign-on"
          help="Passwords and passkeys of members with an address of the domain no longer work. Owners keep theirs, should the provider fail."
          {...form.field('isRequired')}
        />
      </FormBody>
    </Card>
  )
}

/** It begins to work when the domain's DNS names this account. */
function Proof({ set: { recordName, recordValue, domain, domainVerifiedAt } }: { set: Set }) {
  const verify = useOperationMutation('verifySingleSignOn', 'getSingleSignOn')
  const [problems, setProblems] = useState<string[]>([])
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    setError(undefined)
    await verify({}).then(answer => {
      setProblems(answer.problems)
      if (answer.problems.length === 0) showToast('Single sign-on works.')
    }, setError)
    setBusy(false)
  }
  return (
    <Section
      title="Domain"
      intro={`Single sign-on works once a TXT record shows that ${domain} uses this provider. Another domain, issuer or client id needs a new record.`}
      action={
        <Badge tone={domainVerifiedAt ? 'green' : 'amber'}>
          {domainVerifiedAt ? 'proved' : 'not proved'}
        </Badge>
      }
    >
      <Card>
        <div className="grid max-w-lg gap-5">
          <SecretBox secret={recordName} label="Name of the record">
            The name of the record.
          </SecretBox>
          <SecretBox secret={recordValue} label="Text of the record">
            What it says. It may stay there.
          </SecretBox>
          {problems.map(problem => (
            <ErrorState key={problem} error={new Error(problem)} />
          ))}
          {error && <ErrorState error={error} />}
          <Button
            look={domainVerifiedAt ? 'secondary' : 'primary'}
            className="justify-self-start"
            isBusy={isBusy}
            onClick={check}
          >
            Check domain and provider
          </Button>
        </div>
      </Card>
    </Section>
  )
}

function Removal({ domain }: { domain: string }) {
  const remove = useOperationMutation('deleteSingleSignOn', 'getSingleSignOn')
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="mt-8">
      <Button look="danger" onClick={() => setOpen(true)}>
        Remove single sign-on
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Remove single sign-on?"
        confirm="Remove single sign-on"
        onCancel={() => setOpen(false)}
        onConfirm={async () => {
          await remove({})
          showToast('Single sign-on is removed.')
        }}
      >
        Who has an address of {domain} signs in with a password again. Who has none gets one by “Forgot your
        password?”.
      </ConfirmDialog>
    </div>
  )
}

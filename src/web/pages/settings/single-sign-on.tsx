import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { newMemberRoles, setSingleSignOn } from '../../../contract/single-sign-on.ts'
import { useOperation, useOperationMutation } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { CheckField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'

type SingleSignOn = Output<'setSingleSignOn'>

export function SingleSignOnPage() {
  const query = useOperation('getSingleSignOn', {})
  return (
    <Page
      title="Single sign-on"
      intro="Let members sign in through your company’s identity provider, such as Google, Okta or Keycloak (OpenID Connect)."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
        {({ redirectUri, singleSignOn }) => (
          <>
            <SettingsForm key={singleSignOn?.id} redirectUri={redirectUri} settings={singleSignOn} />
            {singleSignOn && <DomainVerification settings={singleSignOn} />}
            {singleSignOn && <RemoveSingleSignOn domain={singleSignOn.domain} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function SettingsForm({
  redirectUri,
  settings,
}: {
  redirectUri: string
  settings: SingleSignOn | undefined
}) {
  const save = useOperationMutation('setSingleSignOn', 'getSingleSignOn')
  const form = useSchemaForm(setSingleSignOn.input, {
    values: {
      issuer: settings?.issuer ?? '',
      clientId: settings?.clientId ?? '',
      domain: settings?.domain ?? '',
      isRequired: settings?.isRequired ?? false,
      newMemberRole: settings?.newMemberRole ?? null,
    },
    secrets: ['clientSecret'],
    onSubmit: async input => {
      await save(input)
      showToast('Single sign-on saved.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Save single sign-on" isGuarded isMinor={settings !== undefined}>
        <CopyBox value={redirectUri} label="Redirect URI">
          Register this redirect URI with your provider to get a client ID and secret.
        </CopyBox>
        <TextField
          label="Issuer"
          placeholder="https://login.acme.example"
          help="The provider’s issuer URL."
          {...form.field('issuer')}
        />
        <TextField label="Client ID" autoComplete="off" {...form.field('clientId')} />
        <PasswordField
          label="Client secret"
          autoComplete="new-password"
          isOptional={settings !== undefined}
          help={settings && 'Leave empty to keep the stored secret. Required again if you change the issuer.'}
          {...form.field('clientSecret', { setValueAs: value => value || undefined })}
        />
        <TextField
          label="Domain"
          placeholder="acme.example"
          help="Users with an email address at this domain sign in through the provider."
          {...form.field('domain')}
        />
        <SelectField
          label="New users"
          {...form.field('newMemberRole', { setValueAs: value => value || null })}
        >
          <option value="">Must be invited</option>
          {newMemberRoles.map(role => (
            <option key={role} value={role}>
              Join as {role}
            </option>
          ))}
        </SelectField>
        <CheckField
          label="Require single sign-on"
          help="Disables passwords and passkeys for members at this domain. Owners keep theirs in case the provider fails."
          {...form.field('isRequired')}
        />
      </FormBody>
    </Card>
  )
}

/** Shows and verifies the domain's DNS record, which must name this account before single sign-on works. */
function DomainVerification({
  settings: { recordName, recordValue, domain, domainVerifiedAt },
}: {
  settings: SingleSignOn
}) {
  const verify = useOperationMutation('verifySingleSignOn', 'getSingleSignOn')
  const [problems, setProblems] = useState<string[]>([])
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const handleVerify = async () => {
    setBusy(true)
    setError(undefined)
    await verify({}).then(({ problems }) => {
      setProblems(problems)
      if (problems.length === 0) showToast('Single sign-on is on.')
    }, setError)
    setBusy(false)
  }
  return (
    <Section
      title="Domain verification"
      intro={`Add this TXT record to the DNS of ${domain} to turn on single sign-on. Changing the domain, issuer or client ID requires a new record.`}
      action={
        <Badge tone={domainVerifiedAt ? 'green' : 'amber'}>
          {domainVerifiedAt ? 'Verified' : 'Not verified'}
        </Badge>
      }
    >
      <Card>
        <div className="grid max-w-lg gap-5">
          <CopyBox value={recordName} label="Record name">
            Record name
          </CopyBox>
          <CopyBox value={recordValue} label="Record value">
            Record value. Keep the record after verification.
          </CopyBox>
          {problems.map(problem => (
            <ErrorState key={problem} error={new Error(problem)} />
          ))}
          {error && <ErrorState error={error} />}
          <Button
            look={domainVerifiedAt ? 'secondary' : 'primary'}
            className="justify-self-start"
            isBusy={isBusy}
            onClick={handleVerify}
          >
            Verify domain and provider
          </Button>
        </div>
      </Card>
    </Section>
  )
}

function RemoveSingleSignOn({ domain }: { domain: string }) {
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
          showToast('Single sign-on removed.')
        }}
      >
        Users at {domain} sign in with a password again. Those without one can set it with “Forgot your
        password?”.
      </ConfirmDialog>
    </div>
  )
}

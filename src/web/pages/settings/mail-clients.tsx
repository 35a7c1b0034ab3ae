import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { setMailClient } from '../../../contract/mail-clients.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LongTextField, PasswordField, SelectField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'

type Client = Output<'setMailClient'>
type Kind = Client['kind']

const kinds: { kind: Kind; title: string; steps: string[] }[] = [
  {
    kind: 'google',
    title: 'Google: users sign in',
    steps: [
      'In the Google Cloud console, create a project and configure the consent screen with the scope https://mail.google.com/. Choose “Internal” for your own Google Workspace.',
      'Create an OAuth client of the type “Web application” with the redirect URI above.',
      'Copy its client ID and secret here.',
    ],
  },
  {
    kind: 'microsoft',
    title: 'Microsoft: users sign in',
    steps: [
      'In the Microsoft Entra admin center, register an application for the platform “Web” with the redirect URI above.',
      'Add the delegated permissions IMAP.AccessAsUser.All, SMTP.Send, offline_access, openid, profile and email.',
      'Create a client secret and copy its value, not its ID. An administrator then consents for the organization.',
    ],
  },
  {
    kind: 'google_service_account',
    title: 'Google: service account for a whole Workspace',
    steps: [
      'In the Google Cloud console, create a service account and a JSON key.',
      'In the Google Admin console, under API controls, add its numeric client ID to domain-wide delegation with exactly the scope https://mail.google.com/.',
    ],
  },
  {
    kind: 'microsoft_app',
    title: 'Microsoft: application for a whole tenant',
    steps: [
      'Add the application permissions IMAP.AccessAsApp and SMTP.SendAsApp of Office 365 Exchange Online, and consent as an administrator.',
      'In Exchange Online PowerShell, run New-ServicePrincipal with the application ID and the object ID of the enterprise application.',
      'Run Add-MailboxPermission with FullAccess for each mailbox that Overture may use.',
    ],
  },
]

export function MailClientsPage() {
  const clients = useOperation('listMailClients', {})
  return (
    <Page
      title="Google and Microsoft"
      intro="Google and Microsoft mailboxes sign in through an OAuth client that you register once."
    >
      <Loaded query={clients} skeleton={<FormSkeleton fields={4} />}>
        {({ redirectUri, redirectUriProblem, data }) => (
          <>
            <CopyBox value={redirectUri} label="Redirect URI">
              Register this redirect URI with the client. Google and Microsoft accept only https, except for
              localhost.
            </CopyBox>
            {redirectUriProblem && <Warning>{redirectUriProblem}</Warning>}
            {kinds.map(({ kind, title, steps }) => (
              <ClientSection
                key={kind}
                {...{ kind, title, steps }}
                client={data.find(client => client.kind === kind)}
              />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Warning = ({ children }: { children: string }) => (
  <p role="alert" className="max-w-[72ch] rounded-card border border-line bg-sunken p-3 text-sm">
    {children}
  </p>
)

type SectionProps = { kind: Kind; title: string; steps: string[]; client: Client | undefined }

function ClientSection({ kind, title, steps, client }: SectionProps) {
  const canEdit = usePermission('Account.ManageSettings')
  const [isOpen, setOpen] = useState(false)
  const isOwn = client?.source === 'account'
  return (
    <Section title={title}>
      <Card>
        <div className="grid justify-items-start gap-4">
          <p>
            {client
              ? `${isOwn ? 'Set up' : 'Provided by this installation'}: ${client.clientId}`
              : 'Not set up.'}
          </p>
          {client?.warning && <Warning>{client.warning}</Warning>}
          {client?.adminConsentUrl && (
            <a
              href={client.adminConsentUrl}
              target="_blank"
              rel="noreferrer"
              className="text-accent underline underline-offset-2"
            >
              Consent as an administrator
            </a>
          )}
          {canEdit && !isOpen && (
            <div className="flex flex-wrap gap-2">
              <Button aria-label={`${isOwn ? 'Change' : 'Set up'} ${title}`} onClick={() => setOpen(true)}>
                {isOwn ? 'Change' : 'Set up'}
              </Button>
              {isOwn && <RemoveClient kind={kind} title={title} />}
            </div>
          )}
          {isOpen && (
            <div className="grid w-full gap-5">
              <ol className="grid max-w-[72ch] list-decimal gap-2 pl-5">
                {steps.map(step => (
                  <li key={step}>{step}</li>
                ))}
              </ol>
              <ClientForm kind={kind} client={isOwn ? client : undefined} onDone={() => setOpen(false)} />
            </div>
          )}
        </div>
      </Card>
    </Section>
  )
}

const publishing = {
  internal: 'Internal: only users of your own Workspace',
  production: 'In production',
  testing: 'In testing: access ends after 7 days',
}

function ClientForm({
  kind,
  client,
  onDone,
}: {
  kind: Kind
  client: Client | undefined
  onDone: () => void
}) {
  const save = useOperationMutation('setMailClient', 'listMailClients', 'listProblems')
  const isMicrosoft = kind === 'microsoft' || kind === 'microsoft_app'
  const form = useSchemaForm(setMailClient.input, {
    values: {
      kind,
      clientId: client?.clientId,
      tenant: client?.tenant ?? (kind === 'microsoft' ? 'organizations' : undefined),
      publishingStatus: client?.publishingStatus ?? (kind === 'google' ? 'internal' : undefined),
      secretExpiresOn: client?.secretExpiresOn,
    },
    secrets: ['secret'],
    onSubmit: async input => {
      await save(input)
      showToast('OAuth client saved.')
      onDone()
    },
  })
  const optional = { setValueAs: (value: string) => value || undefined }
  const secretHelp = client && 'Leave empty to keep the stored secret.'
  return (
    <FormBody form={form} submit="Save client" isGuarded isMinor={client !== undefined}>
      {kind === 'google_service_account' ? (
        <LongTextField
          label="JSON key file"
          rows={6}
          help={secretHelp ?? 'Paste the whole file. Stored encrypted and never shown again.'}
          {...form.field('secret', optional)}
        />
      ) : (
        <>
          <TextField label="Client ID" autoComplete="off" {...form.field('clientId', optional)} />
          <PasswordField
            label="Client secret"
            autoComplete="new-password"
            isOptional={client !== undefined}
            help={secretHelp ?? 'Stored encrypted and never shown again.'}
            {...form.field('secret', optional)}
          />
        </>
      )}
      {isMicrosoft && (
        <>
          <TextField
            label="Tenant"
            help={
              kind === 'microsoft'
                ? 'The tenant ID. For a multitenant application, enter organizations.'
                : 'The ID of the tenant whose mailboxes the application opens.'
            }
            {...form.field('tenant', optional)}
          />
          <TextField
            label="Secret expires on"
            type="date"
            isOptional
            help="Overture reminds you a month before."
            {...form.field('secretExpiresOn', optional)}
          />
        </>
      )}
      {kind === 'google' && (
        <SelectField label="Publishing status of the consent screen" {...form.field('publishingStatus')}>
          {Object.entries(publishing).map(([status, label]) => (
            <option key={status} value={status}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
    </FormBody>
  )
}

function RemoveClient({ kind, title }: { kind: Kind; title: string }) {
  const remove = useOperationMutation('deleteMailClient', 'listMailClients')
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <Button aria-label={`Remove ${title}`} onClick={() => setConfirming(true)}>
        Remove
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title="Remove this OAuth client?"
        confirm="Remove client"
        onConfirm={async () => {
          await remove({ kind })
          setConfirming(false)
        }}
        onCancel={() => setConfirming(false)}
      >
        Mailboxes that are connected through it stop sending and receiving.
      </ConfirmDialog>
    </>
  )
}

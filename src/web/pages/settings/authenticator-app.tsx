import { useState } from 'react'
import { z } from 'zod'
import { type codesTurnedOn, type proposedApp, turnOnCodes } from '../../../contract/sign-in.ts'
import { type OwnSignIn, request, type Session } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useStoreSession } from './use-store-session.ts'

type ProposedApp = z.output<typeof proposedApp>

const nothing = z.object({})

export function AuthenticatorApp({ own: { recoveryCodesLeft } }: { own: OwnSignIn }) {
  const [opened, setOpened] = useState<'on' | 'off'>()
  const isOn = recoveryCodesLeft !== undefined
  const close = () => setOpened(undefined)
  return (
    <Section
      title="Authenticator app"
      intro="With it your password alone is no longer enough: a code from your phone is asked for as well."
    >
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-3">
          {isOn ? (
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone="green">on</Badge> {recoveryCodesLeft} of 10 recovery codes are left.
            </p>
          ) : (
            <p className="text-muted">Codes are off.</p>
          )}
          <Button onClick={() => setOpened(isOn ? 'off' : 'on')}>
            {isOn ? 'Turn off codes' : 'Turn on codes'}
          </Button>
        </div>
      </Card>
      {opened === 'on' && <TurnOnDialog onClose={close} />}
      {opened === 'off' && <TurnOffDialog onClose={close} />}
    </Section>
  )
}

/** The app, its first code, and the recovery codes, one after the other. */
function TurnOnDialog({ onClose }: { onClose: () => void }) {
  const [proposed, setProposed] = useState<ProposedApp>()
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>()
  const title = recoveryCodes ? 'Keep your recovery codes' : 'Turn on codes'
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      {recoveryCodes ? (
        <div className="grid gap-5">
          <SecretBox secret={recoveryCodes.join('\n')} label="Recovery codes">
            They are shown this once. Each works once in place of a code, should you lose your phone: keep
            them where you keep passwords, or print them.
          </SecretBox>
          <Button look="primary" className="justify-self-start" onClick={onClose}>
            Done
          </Button>
        </div>
      ) : proposed ? (
        <ConfirmForm proposed={proposed} onTurnedOn={setRecoveryCodes} />
      ) : (
        <BeginForm onProposed={setProposed} />
      )}
    </Dialog>
  )
}

function BeginForm({ onProposed }: { onProposed: (app: ProposedApp) => void }) {
  const form = useSchemaForm(nothing, {
    values: {},
    onSubmit: async () => onProposed(await request<ProposedApp>('POST', '/user/codes')),
  })
  return (
    <FormBody form={form} submit="Continue">
      <p>You need an authenticator app on your phone. Most password managers are one too.</p>
    </FormBody>
  )
}

function ConfirmForm({
  proposed: { uri, secret, setUp },
  onTurnedOn,
}: {
  proposed: ProposedApp
  onTurnedOn: (recoveryCodes: string[]) => void
}) {
  const storeNewSession = useStoreSession()
  const form = useSchemaForm(turnOnCodes, {
    values: { setUp, code: '' },
    onSubmit: async input => {
      const answer = await request<z.output<typeof codesTurnedOn>>('POST', '/user/codes/confirm', input)
      onTurnedOn(answer.recoveryCodes)
      await storeNewSession(answer.session)
    },
  })
  return (
    <FormBody form={form} submit="Turn on codes">
      <p>Read this picture with the app, or type the key into it.</p>
      <QrCode text={uri} label="The key, for the camera of your authenticator app" />
      <SecretBox secret={secret} label="Key" isReplaceable>
        It stands for you: show it to nobody. Everywhere else you are signed in, you will be signed out.
      </SecretBox>
      <TextField
        label="Code that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        {...form.field('code')}
      />
    </FormBody>
  )
}

function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const storeNewSession = useStoreSession()
  return (
    <ConfirmDialog
      isOpen
      title="Turn off codes?"
      confirm="Turn off codes"
      onCancel={onClose}
      onConfirm={async () => {
        await storeNewSession(await request<Session>('POST', '/user/codes/turn-off'))
        showToast('Codes are off.')
        onClose()
      }}
    >
      From then on your password is enough. The recovery codes and the entry in your app stop working.
    </ConfirmDialog>
  )
}

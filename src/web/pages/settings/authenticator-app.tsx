import { useState } from 'react'
import { z } from 'zod'
import { enableTotp, type totpEnabled, type totpEnrollment } from '../../../contract/sign-in.ts'
import { type OwnSignIn, request, type Session } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useStoreSession } from './use-store-session.ts'

type ProposedApp = z.output<typeof totpEnrollment>

const emptySchema = z.object({})

export function AuthenticatorApp({ own: { recoveryCodesLeft } }: { own: OwnSignIn }) {
  const [openedDialog, setOpenedDialog] = useState<'turn-on' | 'turn-off'>()
  const isOn = recoveryCodesLeft !== undefined
  const close = () => setOpenedDialog(undefined)
  return (
    <Section
      title="Authenticator app"
      intro="Two-step verification: sign in with your password and a code from your phone."
    >
      <Card>
        <div className="flex flex-wrap items-center justify-between gap-3">
          {isOn ? (
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone="green">On</Badge> {recoveryCodesLeft} of 10 recovery codes left.
            </p>
          ) : (
            <p className="text-muted">Two-step verification is off.</p>
          )}
          <Button onClick={() => setOpenedDialog(isOn ? 'turn-off' : 'turn-on')}>
            {isOn ? 'Turn off two-step verification' : 'Turn on two-step verification'}
          </Button>
        </div>
      </Card>
      {openedDialog === 'turn-on' && <TurnOnDialog onClose={close} />}
      {openedDialog === 'turn-off' && <TurnOffDialog onClose={close} />}
    </Section>
  )
}

/** Turns on two-step verification in three steps: set up the app, confirm with a code, save the recovery codes. */
function TurnOnDialog({ onClose }: { onClose: () => void }) {
  const [proposed, setProposed] = useState<ProposedApp>()
  const [recoveryCodes, setRecoveryCodes] = useState<string[]>()
  const title = recoveryCodes ? 'Save your recovery codes' : 'Turn on two-step verification'
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      {recoveryCodes ? (
        <div className="grid gap-5">
          <CopyBox value={recoveryCodes.join('\n')} label="Recovery codes">
            These codes are shown only once. If you lose your phone, each replaces one code from the app.
            Store them in your password manager or print them.
          </CopyBox>
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
  const form = useSchemaForm(emptySchema, {
    values: {},
    onSubmit: async () => onProposed(await request<ProposedApp>('POST', '/user/totp')),
  })
  return (
    <FormBody form={form} submit="Continue">
      <p>You need an authenticator app on your phone. Most password managers also work.</p>
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
  const form = useSchemaForm(enableTotp, {
    values: { setUp, code: '' },
    onSubmit: async input => {
      const result = await request<z.output<typeof totpEnabled>>('POST', '/user/totp/confirm', input)
      onTurnedOn(result.recoveryCodes)
      await storeNewSession(result.session)
    },
  })
  return (
    <FormBody form={form} submit="Turn on two-step verification">
      <p>Scan the QR code with the app, or enter the key.</p>
      <QrCode text={uri} label="QR code for your authenticator app" />
      <CopyBox value={secret} label="Key" isReplaceable>
        Keep this key secret. Turning on two-step verification signs you out everywhere else.
      </CopyBox>
      <TextField
        label="Code from the app"
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
      title="Turn off two-step verification?"
      confirm="Turn off two-step verification"
      onCancel={onClose}
      onConfirm={async () => {
        await storeNewSession(await request<Session>('POST', '/user/totp/turn-off'))
        showToast('Two-step verification turned off.')
        onClose()
      }}
    >
      You will sign in with your password only. The recovery codes and the codes in your app stop working.
    </ConfirmDialog>
  )
}

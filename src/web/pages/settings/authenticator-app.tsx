import { useState } from 'react'
import type { z } from 'zod'
import {
  type codesTurnedOn,
  ownPassword,
  type proposedApp,
  turnOffCodes,
  turnOnCodes,
} from '../../../contract/sign-in.ts'
import { request, type Session } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Card, Section } from '../../ui/page.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { OwnSignIn } from './own-sign-in.ts'
import { useNewSession } from './own-sign-in.ts'

type ProposedApp = z.output<typeof proposedApp>

export function AuthenticatorApp({ own: { hasPassword, recoveryCodesLeft } }: { own: OwnSignIn }) {
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
      {opened === 'on' && <TurnOnDialog hasPassword={hasPassword} onClose={close} />}
      {opened === 'off' && <TurnOffDialog onClose={close} />}
    </Section>
  )
}

/** The password, the app, and the recovery codes, one after the other. */
function TurnOnDialog({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
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
        <BeginForm hasPassword={hasPassword} onProposed={setProposed} />
      )}
    </Dialog>
  )
}

function BeginForm({
  hasPassword,
  onProposed,
}: {
  hasPassword: boolean
  onProposed: (app: ProposedApp) => void
}) {
  const form = useSchemaForm(ownPassword, {
    values: {},
    onSubmit: async input => onProposed(await request<ProposedApp>('POST', '/user/codes', input)),
  })
  return (
    <FormBody form={form} submit="Continue">
      <p>You need an authenticator app on your phone. Most password managers are one too.</p>
      {hasPassword && (
        <PasswordField label="Your password" autoComplete="current-password" {...form.field('password')} />
      )}
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
  const keepNewSession = useNewSession()
  const form = useSchemaForm(turnOnCodes, {
    values: { setUp, code: '' },
    onSubmit: async input => {
      const answer = await request<z.output<typeof codesTurnedOn>>('POST', '/user/codes/confirm', input)
      onTurnedOn(answer.recoveryCodes)
      await keepNewSession(answer.session)
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
  const keepNewSession = useNewSession()
  const form = useSchemaForm(turnOffCodes, {
    values: { proof: '' },
    onSubmit: async input => {
      await keepNewSession(await request<Session>('POST', '/user/codes/turn-off', input))
      showToast('Codes are off.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Turn off codes?">
      <FormBody form={form} submit="Turn off codes">
        <p className="text-muted">
          From then on your password is enough. The recovery codes and the entry in your app are void.
        </p>
        <PasswordField
          label="Your password, or a code"
          autoComplete="current-password"
          {...form.field('proof')}
        />
      </FormBody>
    </Dialog>
  )
}

import { signInCode } from '../../../contract/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { useStartSession } from './use-start-session.ts'

/** Asks for the second factor of users with two-step verification. */
export function VerificationCodePage({ next, onBack }: { next: string | undefined; onBack: () => void }) {
  const form = useSchemaForm(signInCode, {
    values: { code: '' },
    onSubmit: useStartSession('/session/code', next),
  })
  return (
    <CardPage
      title="Enter your code"
      intro="Open your authenticator app to see the code, or use a recovery code."
    >
      <FormBody
        form={form}
        submit="Continue"
        aside={
          <Button look="quiet" onClick={onBack}>
            Back to sign-in
          </Button>
        }
      >
        <TextField
          label="Code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          autoFocus
          {...form.field('code')}
        />
      </FormBody>
    </CardPage>
  )
}

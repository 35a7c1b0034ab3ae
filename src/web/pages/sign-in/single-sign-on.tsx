import { singleSignOn, type singleSignOnProblems } from '../../../contract/sign-in.ts'
import { request } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'

const texts: Record<(typeof singleSignOnProblems)[number], string> = {
  expired: 'The sign-in timed out or was started in another browser. Try again.',
  failed:
    'Your company’s identity provider did not confirm your identity. Try again, or contact your IT administrator.',
  unverified:
    'Your company’s identity provider has not verified your email address. Contact your IT administrator.',
  different:
    'You signed in at your company as a different user. Sign in there with the same email address as here.',
  stranger:
    'You don’t belong to an account that uses this sign-in. Ask a member of the account to invite you.',
}
/** Errors from an earlier attempt, by their code in the URL. */
export const problemTexts = new Map<string, string>(Object.entries(texts))

type Props = { email: string; next: string | undefined; onBack: () => void }

/** Signs in an email address whose company uses single sign-on. */
export function SingleSignOn({ email, next, onBack }: Props) {
  const form = useSchemaForm(singleSignOn, {
    values: { email, next },
    onSubmit: async input => {
      const { url } = await request<{ url: string }>('POST', '/session/single-sign-on', input)
      location.assign(url)
    },
  })
  return (
    <CardPage title="Sign in with your company" intro="You’ll be redirected to your company’s sign-in page.">
      <FormBody
        form={form}
        submit="Continue"
        aside={
          <Button look="quiet" onClick={onBack}>
            Sign in another way
          </Button>
        }
      >
        <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
      </FormBody>
    </CardPage>
  )
}

import { singleSignOn, type singleSignOnProblems } from '../../../contract/sign-in.ts'
import { request } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'

const texts: Record<(typeof singleSignOnProblems)[number], string> = {
  expired: 'This took too long, or was begun in another browser. Try again.',
  failed: 'Your company’s sign-in did not confirm who you are. Try again, or ask whoever looks after it.',
  unverified: 'Your company’s sign-in did not say that it verified your address. Ask whoever looks after it.',
  different: 'You signed in there as somebody else than here. Sign in there as the same person.',
  stranger: 'You belong to no account here that signs in this way. Ask somebody there to invite you.',
}
/** What came of an earlier try, by the word for it in the address. */
export const problems = new Map<string, string>(Object.entries(texts))

type Props = { email: string; next: string | undefined; onBack: () => void }

/** For an address whose company says itself who its people are. */
export function SingleSignOn({ email, next, onBack }: Props) {
  const form = useSchemaForm(singleSignOn, {
    values: { email, next },
    onSubmit: async input => {
      const { url } = await request<{ url: string }>('POST', '/session/single-sign-on', input)
      location.assign(url)
    },
  })
  return (
    <CardPage title="Sign in with your company" intro="You show there who you are, and come back here.">
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

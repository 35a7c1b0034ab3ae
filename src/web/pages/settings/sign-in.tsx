import { useQuery } from '@tanstack/react-query'
import { ownSignInQuery } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'

export function SignInSettingsPage() {
  const query = useQuery(ownSignInQuery)
  return (
    <Page title="Sign-in" intro="Your sign-in methods for all your accounts.">
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {own => (
          <>
            <Passkeys own={own} />
            <AuthenticatorApp own={own} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

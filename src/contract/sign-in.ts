import { z } from 'zod'
import { country } from './countries.ts'
import { id, optionalLines, text, time } from './page.ts'
import { roles } from './permissions.ts'

/**
 * Bodies and answers of signing in. These are no operations: whoever asks is nobody yet, and the answer sets a
 * cookie. The addresses stand in `server/http/sign-in.ts`.
 */
const email = text(320)
const newPassword = z.string().min(10).max(1024)

export const session = z.object({
  user: z.object({ id, email: z.string(), name: z.string() }),
  /** The one joined first in front. */
  accounts: z.array(z.object({ id, name: z.string(), role: z.enum(roles) })),
  /** Goes along with every write, in the header x-csrf-token. */
  csrfToken: z.string(),
})

export const signIn = z.strictObject({ email, password: z.string().min(1).max(1024) })

/** In place of a session: what was shown was right, and a code of the authenticator app is needed too. */
export const codeNeeded = z.object({ isCodeNeeded: z.literal(true) })

const code = z.string().trim().min(1).max(100)

/** A code of the app, or a recovery code. */
export const signInCode = z.strictObject({ code })

export const confirmWays = ['password', 'passkey', 'code', 'single_sign_on'] as const

/** What the user can show to sign in. */
export const ownSignIn = z.object({
  hasPassword: z.boolean(),
  /** Absent where no codes are needed. */
  recoveryCodesLeft: z.number().optional(),
  passkeys: z.array(z.object({ id, name: z.string(), createdAt: time, lastUsedAt: time.optional() })),
  /** With which of them a session is confirmed; none when only signing in anew helps. */
  confirmWays: z.array(z.enum(confirmWays)),
})

/** What the authenticator app is to learn, by the address as a picture or by hand. */
export const proposedApp = z.object({ secret: z.string(), uri: z.string(), setUp: z.string() })

export const turnOnCodes = z.strictObject({ setUp: z.string().max(1000), code })

export const codesTurnedOn = z.object({ session, recoveryCodes: z.array(z.string()) })

/** As browsers give it (WebAuthn, section 5.1); bytes are base64url. */
const bytes = z.string().max(20_000)
const credential = {
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}),
}

export const passkeySignIn = z.strictObject({
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes,
      authenticatorData: bytes,
      signature: bytes,
      userHandle: bytes.optional(),
    }),
  }),
})

/** Proves again who is there: one of these. */
export const confirmation = z
  .strictObject({
    password: z.string().min(1).max(1024).optional(),
    code: code.optional(),
    credential: passkeySignIn.shape.credential.optional(),
  })
  .refine(given => Object.keys(given).length === 1, 'Give a password, a code or the credential of a passkey.')

/** Confirms a session where the company's identity provider says who is there; the person comes back to `next`. */
export const confirmationBySingleSignOn = z.strictObject({ next: z.string().max(2000).optional() })

export const newPasskey = z.strictObject({
  name: text(100),
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes,
      attestationObject: bytes,
      transports: z.array(z.string().max(30)).max(10).optional(),
    }),
  }),
})

export const passkeyId = id

/** Whoever has an address of a company that has an identity provider; they come back to `next`. */
export const singleSignOn = z.strictObject({ email, next: z.string().max(8000).optional() })

export const singleSignOnProblems = ['expired', 'failed', 'unverified', 'stranger', 'different'] as const

export const setUp = z.strictObject({
  /** From the link that the start prints. */
  code: z.string(),
  name: text(200),
  email,
  password: newPassword,
  accountName: text(200),
  timezone: text(64),
  defaultCountry: country.optional(),
  postalAddress: optionalLines(1000),
  optOutLine: optionalLines(1000),
})

export const changePassword = z.strictObject({
  /** Absent for a user who has none yet: they need a recent sign-in. */
  currentPassword: z.string().min(1).max(1024).optional(),
  newPassword,
  /** Whether the user's API tokens and connected apps end too. */
  revokeTokensAndApps: z.boolean().optional(),
})

/** Whether this server can mail links for new passwords. */
export const passwordReset = z.object({ isMailed: z.boolean() })

export const requestPasswordReset = z.strictObject({ email })

/** The user whose password a link changes. */
export const passwordResetLink = z.object({ email: z.string() })

export const resetPassword = z.strictObject({ token: z.string().max(1000), password: newPassword })

const invitationToken = z.string().max(1000)

/** The same whether or not the address has a user. */
export const invitation = z.object({ accountName: z.string(), email: z.string(), role: z.enum(roles) })

/** Changes nothing where the address has a user, and answers the same. */
export const createInvitedUser = z.strictObject({
  token: invitationToken,
  name: text(200),
  password: newPassword,
})

export const acceptInvitation = z.strictObject({
  token: invitationToken,
  /** A new one, from a user whose address was never proven and whom this link did not create; from nobody else. */
  password: newPassword.optional(),
})

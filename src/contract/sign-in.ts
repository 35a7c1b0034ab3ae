import { z } from 'zod'
import { country } from './countries.ts'
import { id, optionalMultiline, text, time } from './page.ts'
import { roles } from './permissions.ts'

/**
 * Request and response bodies of sign-in. They are not operations, because the caller has no session yet and the
 * response sets a cookie. The routes are in `server/adapters/http/sign-in.ts`.
 */
const email = text(320)
const newPassword = z.string().min(10).max(1024)

export const session = z.object({
  user: z.object({ id, email: z.string(), name: z.string() }),
  /** In the order in which the user joined them. */
  accounts: z.array(z.object({ id, name: z.string(), role: z.enum(roles) })),
  /** Required in the x-csrf-token header of every write. */
  csrfToken: z.string(),
})

export const signIn = z.strictObject({ email, password: z.string().min(1).max(1024) })

/**
 * Returned instead of a session when the password was right and a code from the authenticator app is required as
 * well.
 */
export const totpRequired = z.object({ isCodeNeeded: z.literal(true) })

const code = z.string().trim().min(1).max(100)

/** A code of the authenticator app, or a recovery code. */
export const signInCode = z.strictObject({ code })

export const confirmWays = ['password', 'passkey', 'code', 'single_sign_on'] as const

/** How the user can sign in. */
export const signInMethods = z.object({
  hasPassword: z.boolean(),
  /** Absent when no codes are required. */
  recoveryCodesLeft: z.number().optional(),
  passkeys: z.array(z.object({ id, name: z.string(), createdAt: time, lastUsedAt: time.optional() })),
  /** Ways to confirm a session; empty when only a new sign-in helps. */
  confirmWays: z.array(z.enum(confirmWays)),
})

/** Enrollment of an authenticator app: `uri` is shown as a QR code, and `secret` can be typed instead. */
export const totpEnrollment = z.object({ secret: z.string(), uri: z.string(), setUp: z.string() })

export const enableTotp = z.strictObject({ setUp: z.string().max(1000), code })

export const totpEnabled = z.object({ session, recoveryCodes: z.array(z.string()) })

/** As returned by browsers (WebAuthn, section 5.1); bytes are base64url. */
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

/** Confirmation of the user's identity by exactly one of these. */
export const confirmation = z
  .strictObject({
    password: z.string().min(1).max(1024).optional(),
    code: code.optional(),
    credential: passkeySignIn.shape.credential.optional(),
  })
  .refine(
    given => Object.keys(given).length === 1,
    'Provide exactly one of `password`, `code` and `credential`.',
  )

/** Request to confirm a session at the company's identity provider, which then redirects to `next`. */
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

/** Request to sign in at the identity provider of the email address's domain, which then redirects to `next`. */
export const singleSignOn = z.strictObject({ email, next: z.string().max(8000).optional() })

export const singleSignOnProblems = ['expired', 'failed', 'unverified', 'stranger', 'different'] as const

export const setUp = z.strictObject({
  /** From the setup link that the server prints at startup. */
  code: z.string(),
  name: text(200),
  email,
  password: newPassword,
  accountName: text(200),
  timezone: text(64),
  defaultCountry: country.optional(),
  postalAddress: optionalMultiline(1000),
  optOutLine: optionalMultiline(1000),
})

export const changePassword = z.strictObject({
  /** Absent for users without a password, who need a recent sign-in instead. */
  currentPassword: z.string().min(1).max(1024).optional(),
  newPassword,
  /** Also revokes the user's API tokens and connected apps. */
  revokeTokensAndApps: z.boolean().optional(),
})

/** `isMailed`: the server emails password reset links; otherwise an administrator creates them. */
export const passwordReset = z.object({ isMailed: z.boolean() })

export const requestPasswordReset = z.strictObject({ email })

/** The user whose password the link resets. */
export const passwordResetLink = z.object({ email: z.string() })

export const resetPassword = z.strictObject({ token: z.string().max(1000), password: newPassword })

const invitationToken = z.string().max(1000)

/** An invitation; identical for addresses with and without a user, so that it does not disclose which ones have one. */
export const invitation = z.object({ accountName: z.string(), email: z.string(), role: z.enum(roles) })

/**
 * Request to create the invited user. If the address already has a user, nothing changes and the response is the same.
 */
export const createInvitedUser = z.strictObject({
  token: invitationToken,
  name: text(200),
  password: newPassword,
})

export const acceptInvitation = z.strictObject({
  token: invitationToken,
  /** New password: only for a user whose address was never verified and whom this link did not create. */
  password: newPassword.optional(),
})

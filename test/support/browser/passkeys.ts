import type { CDPSession, Page } from 'playwright-core'

/** Chromium's virtual authenticator: a device with passkeys that verifies its user. */
export type TestDevice = {
  /** Sets whether user verification, for example by fingerprint, succeeds. */
  setVerified: (isVerified: boolean) => Promise<void>
  /** Returns a copy of its current passkeys. */
  copy: () => Promise<Credential[]>
  /** Replaces its passkeys with a copy. */
  restore: (credentials: Credential[]) => Promise<void>
}
type Credential = Awaited<ReturnType<typeof readCredentials>>[number]

export async function addTestDevice(page: Page): Promise<TestDevice> {
  const chromium = await page.context().newCDPSession(page)
  await chromium.send('WebAuthn.enable')
  const { authenticatorId } = await chromium.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: async isUserVerified => {
      await chromium.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    copy: () => readCredentials(chromium, authenticatorId),
    restore: async credentials => {
      await chromium.send('WebAuthn.clearCredentials', { authenticatorId })
      for (const credential of credentials) {
        await chromium.send('WebAuthn.addCredential', { authenticatorId, credential })
      }
    },
  }
}

async function readCredentials(chromium: CDPSession, authenticatorId: string) {
  return (await chromium.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}

import type { CDPSession, Page } from 'playwright-core'

/** A device that keeps passkeys and knows its person, as Chromium plays it. */
export type TestDevice = {
  /** Whether the person can be recognised, as by a fingerprint. */
  setVerified: (isVerified: boolean) => Promise<void>
  /** Its passkeys as they are now, the copy of a device. */
  copy: () => Promise<Credential[]>
  /** Goes back to what was copied. */
  restore: (credentials: Credential[]) => Promise<void>
}
type Credential = Awaited<ReturnType<typeof readCredentials>>[number]

export async function giveDevice(page: Page): Promise<TestDevice> {
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

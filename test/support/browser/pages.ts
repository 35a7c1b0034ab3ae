import type { AnyRouter } from '@tanstack/react-router'
import type { Page } from 'playwright-core'

type NamedPage = [path: string, heading: string]

/** The pages for people who aren't signed in, by path and heading. */
export const publicPages: NamedPage[] = [
  ['/setup', 'Set up Overture'],
  ['/setup?code=1', 'Set up Overture'],
  ['/sign-in', 'Sign in'],
  ['/sign-in?step=code', 'Enter your code'],
  ['/sign-in?problem=stranger', 'Sign in'],
  ['/reset', 'Forgot your password?'],
  ['/reset?token=1', 'Choose a new password'],
  ['/invitation?token=1', 'Your invitation'],
  ['/confirm', 'Confirm it’s you'],
  ['/confirm?problem=different', 'Confirm it’s you'],
]

/** All other pages by path and heading. */
export const signedInPages: NamedPage[] = [
  ['/', 'Home'],
  ['/inbox', 'Inbox'],
  ['/inbox/:emailThreadId', 'Analytical engines'],
  ['/inbox?view=all', 'Inbox'],
  ['/inbox?view=snoozed', 'Inbox'],
  ['/inbox/linkedin/:linkedinConversationId', 'Ada'],
  ['/inbox/new/:personId', 'New email'],
  ['/campaigns', 'Campaigns'],
  ['/campaigns/:campaignId', 'Spring'],
  ['/campaigns/:campaignId/steps', 'Spring'],
  ['/campaigns/:campaignId/prospects', 'Spring'],
  ['/campaigns/:campaignId/sending', 'Spring'],
  ['/campaigns/:campaignId/review', 'Spring'],
  ['/campaigns/:campaignId/prospects?status=bounced', 'Spring'],
  ['/people', 'People'],
  ['/people?query=nobody&excludeOptedOut=true', 'People'],
  ['/people/:personId', 'Grace'],
  ['/people/import', 'Import people'],
  ['/companies/:companyId', 'Navy'],
  ['/tasks', 'Tasks'],
  ['/tasks?status=cancelled', 'Tasks'],
  ['/reports', 'Reports'],
  ['/reports?period=last-week&group=variant', 'Weekly report'],
  ['/calls', 'Calls'],
  ['/calls?status=dialing', 'Calls'],
  ['/calls/requests', 'Calls'],
  ['/calls/requests?status=expired', 'Calls'],
  ['/calls/assistants', 'Calls'],
  ['/calls/assistants/new', 'Add assistant'],
  ['/calls/assistants/:assistantId', 'Night desk'],
  ['/calls/consents', 'Calls'],
  ['/calls/consents?phoneNumber=%2B442079460019', 'Calls'],
  ['/calls/:callId', 'Call to Grace Hopper'],
  ['/people/do-not-contact', 'Do Not Contact'],
  ['/notifications', 'Notifications'],
  ['/settings/profile', 'Profile'],
  ['/settings/notifications', 'Notifications'],
  ['/settings/sign-in', 'Sign-in'],
  ['/settings/api-tokens', 'API tokens'],
  ['/settings/sessions', 'Sessions'],
  ['/settings/connected-apps', 'Connected apps'],
  ['/settings/account', 'Account'],
  ['/settings/members', 'Members'],
  ['/settings/single-sign-on', 'Single sign-on'],
  ['/settings/senders', 'Senders'],
  ['/settings/senders/connect', 'Connect mailbox'],
  ['/settings/domains', 'Domains'],
  ['/settings/domains/:domainId/dmarc', 'DMARC results'],
  ['/settings/mail-clients', 'Google and Microsoft'],
  ['/settings/senders/connected', 'Connect mailbox'],
  ['/settings/webhooks', 'Webhooks'],
  ['/settings/webhooks/:webhookId', 'Webhook'],
  ['/settings/reply-agent', 'Reply agent'],
  ['/settings/custom-fields', 'Custom fields'],
  ['/settings/tags', 'Tags'],
  ['/settings/snippets', 'Snippets'],
  ['/settings/audit-log', 'Audit log'],
  ['/settings/audit-log?type=campaign&from=2026-01-01', 'Audit log'],
  ['/settings/nothing', 'Page not found'],
]

/** Opens a page as a link in the app does, which is much faster than loading it. */
export async function navigateInApp(page: Page, path: string): Promise<void> {
  await page.evaluate(async href => {
    const router = (self as unknown as { __TSR_ROUTER__: AnyRouter }).__TSR_ROUTER__
    if (router.state.resolvedLocation?.href === href) return
    const rendered = new Promise<void>(resolve => {
      const stop = router.subscribe('onRendered', () => {
        stop()
        resolve()
      })
    })
    await router.navigate({ href })
    await rendered
  }, path)
}

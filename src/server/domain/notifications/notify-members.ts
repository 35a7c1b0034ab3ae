import type { App } from '../../kernel/context.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { createNotifications } from './create-notifications.ts'
import { sendEmails } from './send-emails.ts'

/** Notifies the account's members of new events, in the web app and by email, according to each member's settings. */
export async function notifyMembers(app: App, accountId: string, signal: AbortSignal): Promise<void> {
  await createNotifications(app, accountId)
  await failpoint('notification.stored', accountId)
  await sendEmails(app, accountId, signal)
}

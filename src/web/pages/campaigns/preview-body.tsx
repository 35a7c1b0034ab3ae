import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FormattedText } from '../../ui/formatted-text.tsx'

type Preview = Output<'previewCampaign'>

/**
 * Shows the step as the person would receive it: an email with its footer, the text of a task, or the data of a call.
 */
export function PreviewBody({ preview }: { preview: Preview }) {
  const { channel, from, to, subject, text, html, call, warnings } = preview
  return (
    <>
      {warnings.length > 0 && (
        <ul aria-label="Problems" className="grid gap-1 rounded-card bg-amber-quiet p-3 text-amber text-sm">
          {warnings.map(({ code, message }) => (
            <li key={message}>
              {message}
              {code === 'no_signature' && (
                <>
                  {' '}
                  <Link to="/settings/senders" className="underline underline-offset-2">
                    Open senders
                  </Link>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <article className="min-w-0 rounded-card border border-line bg-surface">
        {channel === 'email' && (
          <header className="grid gap-0.5 border-line border-b p-4 text-sm">
            {from && <p className="truncate text-muted">From {formatContact(from)}</p>}
            {to && <p className="truncate text-muted">To {formatContact(to)}</p>}
            <p className="wrap-anywhere font-medium text-base">{subject}</p>
          </header>
        )}
        <div className="p-4">
          {channel === 'call' ? (
            <CallPreview call={call} />
          ) : channel === 'email' && html ? (
            <FormattedText html={html} />
          ) : (
            <p className="wrap-anywhere whitespace-pre-wrap">{text || noText[channel] || 'No text.'}</p>
          )}
        </div>
      </article>
    </>
  )
}

const noText: Partial<Record<Preview['channel'], string>> = {
  linkedin_view: 'Your rep visits the person’s LinkedIn profile.',
  linkedin_like: 'Your rep likes one of the person’s LinkedIn posts.',
  linkedin_connect: 'An invitation without a note.',
}

function CallPreview({ call }: { call: Preview['call'] }) {
  const facts = call?.data ?? {}
  return (
    <>
      <p className={Object.keys(facts).length > 0 ? 'mb-3' : ''}>
        {call?.phoneNumber ? `A call to ${call.phoneNumber}.` : 'A call.'}
      </p>
      <DescriptionList items={facts} />
    </>
  )
}

const formatContact = ({ name, email }: { name: string; email: string }): string =>
  name && name !== email ? `${name} <${email}>` : email

const definitions: [name: string, text: string][] = [
  [
    'Contacted',
    'People who received a campaign email, a LinkedIn invitation or message from a step, or a call. Each counts once.',
  ],
  ['Sent', 'Campaign emails that a mail server accepted.'],
  ['Bounced', 'Sent emails that came back, counted on the day they were sent.'],
  ['Replied', 'People whose first reply came in the period, on any channel. Automatic replies don’t count.'],
  [
    'Reply rate',
    'The share of people contacted in the period who replied to that contact by the end of the period. A reply to an earlier email counts as a reply, but not in the rate.',
  ],
  ['95% range', 'Shown below the reply rate of a variant. The true rate is very likely within this range.'],
  ['Positive', 'People whose latest reply shows interest.'],
  ['Opted out', 'People who asked not to be contacted again, counted on the day of their request.'],
  ['Meetings', 'Meetings booked and not cancelled, counted on the day they were recorded.'],
  [
    'Invited, Accepted, Messages',
    'LinkedIn invitations and messages that steps sent, and invitations that were accepted.',
  ],
  ['Calls, Answered', 'Calls by assistants and by your team, and those that were answered.'],
]

/** Explains what each number counts. */
export const Definitions = () => (
  <details className="mt-6 print:hidden">
    <summary className="w-fit cursor-pointer text-accent">How the numbers are counted</summary>
    <dl className="mt-3 grid max-w-[72ch] gap-3 narrow:grid-cols-[9rem_1fr]">
      {definitions.map(([name, text]) => (
        <div key={name} className="narrow:contents">
          <dt className="font-medium">{name}</dt>
          <dd className="text-muted">{text}</dd>
        </div>
      ))}
    </dl>
  </details>
)

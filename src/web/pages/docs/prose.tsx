/** Shows the paragraphs of a description, with text in backticks as code. */
export const Prose = ({ text }: { text: string }) => (
  <div className="grid max-w-[76ch] gap-2.5">
    {text.split('\n\n').map(paragraph => (
      <p key={paragraph}>
        <InlineCode text={paragraph} />
      </p>
    ))}
  </div>
)

export const InlineCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
      <code key={index} className="wrap-anywhere font-mono text-sm">
        {part}
      </code>
    ) : (
      part
    ),
  )

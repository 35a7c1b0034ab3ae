/** Shows the number of items after the label of a tab. */
export const TabCount = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : <span className="ml-0.5 text-xs tabular-nums">{text}</span>

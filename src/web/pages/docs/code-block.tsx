import { CopyButton } from '../../ui/copy-button.tsx'

/** Shows code in its own scrollable box, so that long lines don't make the page scroll sideways. */
export const CodeBlock = ({ label, code }: { label: string; code: string }) => (
  <div className="relative">
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls only a focused element
      tabIndex={0}
      aria-label={label}
      className="max-h-[28rem] overflow-auto rounded-card border border-line bg-sunken p-3 pr-24"
    >
      <pre className="font-mono text-sm">{code}</pre>
    </section>
    <span className="absolute top-2 right-2">
      <CopyButton text={code} />
    </span>
  </div>
)

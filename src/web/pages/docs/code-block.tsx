import { CopyButton } from '../../ui/copy-button.tsx'

/** Code that scrolls by itself, so that the page keeps the width of the screen. */
export const CodeBlock = ({ label, code }: { label: string; code: string }) => (
  <div className="relative">
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus
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

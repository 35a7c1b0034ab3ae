import { splitLinks } from './split-links.ts'

/**
 * Shows untrusted text whose web addresses become links. The links don't reveal this page to their target.
 */
export const LinkedText = ({ text }: { text: string }) =>
  splitLinks(text).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <a
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
        key={index}
        href={part}
        target="_blank"
        rel="noopener noreferrer"
        className="break-all text-accent underline underline-offset-2"
      >
        {part}
      </a>
    ),
  )

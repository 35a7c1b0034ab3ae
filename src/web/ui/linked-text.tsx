import { splitLinks } from './split-links.ts'

/** Text of others whose web addresses can be followed. The target learns nothing about this page. */
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

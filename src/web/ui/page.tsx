import { type ReactNode, useEffect } from 'react'

type Props = {
  /** Back link above the title. */
  above?: ReactNode
  title: string
  /** One sentence below the title. */
  intro?: ReactNode
  /** The page's one primary action. */
  action?: ReactNode
  /** Fills the window on wide screens; its panes scroll on their own. */
  fillsWindow?: boolean
  children: ReactNode
}

/** Shows a page with its header. Also sets the document title. */
export function Page({ above, title, intro, action, fillsWindow, children }: Props) {
  useTitle(title)
  return (
    <section
      aria-labelledby="page-title"
      data-filling={fillsWindow}
      className={`animate-appear ${fillsWindow ? 'wide:flex wide:min-h-0 wide:flex-1 wide:flex-col' : ''}`}
    >
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className={`min-w-0 flex-1 ${intro ? 'basis-72' : 'basis-40'}`}>
          {above && <p className="mb-1 text-sm">{above}</p>}
          <h1 id="page-title" tabIndex={-1} className="font-semibold text-xl outline-none">
            {title}
          </h1>
          {intro && <div className="mt-1 max-w-[72ch] text-pretty text-muted">{intro}</div>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

/** Shows a section of a page with its own heading. */
export function Section({ title, intro, action, children }: Omit<Props, 'above' | 'fillsWindow'>) {
  return (
    <section className="mt-8 first:mt-0">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <div>
          <h2 className="font-semibold text-lg">{title}</h2>
          {intro && <p className="mt-1 max-w-[72ch] text-muted">{intro}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** Shows a page outside the app shell, such as sign-in: a single centered card. */
export function CardPage({ title, intro, children }: Omit<Props, 'above' | 'action' | 'fillsWindow'>) {
  useTitle(title)
  return (
    <main className="mx-auto flex min-h-dvh max-w-md animate-appear flex-col justify-center px-4 py-10">
      <p className="mb-6 flex items-center gap-2 font-semibold text-lg">
        <img src="/favicon.svg" alt="" className="size-7" />
        Overture
      </p>
      <div className="rounded-card border border-line bg-surface p-5 narrow:p-7">
        <h1 className="font-semibold text-xl">{title}</h1>
        {intro && <p className="mt-1.5 text-muted">{intro}</p>}
        <div className="mt-5">{children}</div>
      </div>
    </main>
  )
}

/** Shows a bordered box, as wide as the page or its form. */
export const Card = ({ children }: { children: ReactNode }) => (
  <div className="rounded-card border border-line bg-surface p-4 narrow:p-5 narrow:has-[>form]:max-w-[calc(32rem+2.5rem+2px)]">
    {children}
  </div>
)

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Overture`
  }, [title])
}

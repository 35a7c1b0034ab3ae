import { Tabs } from '../../ui/layout.tsx'

/** Links between everyone and those who must not be contacted. */
export const PeopleTabs = () => (
  <Tabs
    label="People pages"
    items={[
      { to: '/people', label: 'Everyone' },
      { to: '/people/do-not-contact', label: 'Do Not Contact' },
    ]}
  />
)

import { Tabs } from '../../ui/layout.tsx'

/** Shows the tabs for everyone and for those who must not be contacted. */
export const PeopleTabs = () => (
  <Tabs
    label="People pages"
    items={[
      { to: '/people', label: 'Everyone' },
      { to: '/people/do-not-contact', label: 'Do Not Contact' },
    ]}
  />
)

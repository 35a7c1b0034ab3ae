import { Tabs } from '../../ui/layout.tsx'

/** Shows the tabs for all people and for the Do Not Contact list. */
export const PeopleTabs = () => (
  <Tabs
    label="People pages"
    items={[
      { to: '/people', label: 'Everyone' },
      { to: '/people/do-not-contact', label: 'Do Not Contact' },
    ]}
  />
)

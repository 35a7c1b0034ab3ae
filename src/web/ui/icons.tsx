import type { SVGProps } from 'react'

export type Icon = (props: { size?: number; className?: string }) => React.ReactElement

/** Creates a stroke icon on a 24-unit grid in the text color. Always decorative: the label is next to it. */
const icon =
  (paths: string): Icon =>
  ({ size = 18, ...rest }) => (
    <svg {...svgProps} {...rest} width={size} height={size} aria-hidden="true">
      <path d={paths} />
    </svg>
  )

const svgProps: SVGProps<SVGSVGElement> = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.75,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
}

export const HomeIcon = icon('M3.5 11.5 12 4l8.5 7.5M6 9.5V20h4.5v-5.5h3V20H18V9.5')
export const TrayIcon = icon(
  'M4 13.5 6.5 5h11l2.5 8.5V19H4zM4 13.5h4.5c.5 1.8 1.8 2.7 3.5 2.7s3-.9 3.5-2.7H20',
)
export const MailIcon = icon('M3.5 5.5h17v13h-17zM3.5 7l8.5 6 8.5-6')
export const ChatIcon = icon('M4 5h16v11h-8l-4.5 4v-4H4zM8 9.5h8M8 12.5h5')
export const PlaneIcon = icon('M21 3 3 10l7 4 4 7zM21 3 10 14')
export const PhoneIcon = icon(
  'M5 4h4l1.5 5-2.3 1.6a12 12 0 0 0 5.2 5.2L15 13.5l5 1.5v4a1.5 1.5 0 0 1-1.6 1.5C10.6 20 4 13.4 3.5 5.6A1.5 1.5 0 0 1 5 4z',
)
export const TasksIcon = icon('M4 6.5 5.5 8 8.5 5M4 16.5 5.5 18l3-3M12 6.5h8M12 16.5h8')
export const BellIcon = icon('M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 21h4')
export const ChartIcon = icon('M4 4v16h16M8.5 16v-4M13 16V7M17.5 16v-6')
export const SlidersIcon = icon(
  'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
)
export const PersonIcon = icon('M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4 20c.8-3.6 4-5.5 8-5.5s7.2 1.9 8 5.5')
export const PeopleIcon = icon(
  'M9 5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM2.5 19c.7-3 3.2-4.5 6.5-4.5s5.8 1.5 6.5 4.5M15.5 5.3a3.5 3.5 0 0 1 0 6.4M18 14.9c1.9.7 3.1 2 3.5 4.1',
)
export const SearchIcon = icon('M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20')
export const CollapseIcon = icon('M4 4h16v16H4zM9 4v16M16 9l-3 3 3 3')
export const ExpandIcon = icon('M4 4h16v16H4zM9 4v16M14 9l3 3-3 3')
export const CheckIcon = icon('M5 12.5 10 17.5 19.5 7')
export const CopyIcon = icon('M9 9h11v11H9zM15 5V4H4v11h1')
export const CloseIcon = icon('M6 6l12 12M18 6 6 18')
export const EyeIcon = icon(
  'M2.5 12C5 7.5 8.3 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.8 6.5-9.5 6.5S5 16.5 2.5 12zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
)
export const EyeOffIcon = icon(
  'M2.5 12C5 7.5 8.3 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.8 6.5-9.5 6.5S5 16.5 2.5 12zM4 4l16 16',
)
export const UpIcon = icon('M12 19V5M6 11l6-6 6 6')
export const DownIcon = icon('M12 5v14M6 13l6 6 6-6')
export const LeftIcon = icon('M19 12H5M11 6l-6 6 6 6')
export const RightIcon = icon('M5 12h14M13 6l6 6-6 6')
export const DragIcon = icon('M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01')

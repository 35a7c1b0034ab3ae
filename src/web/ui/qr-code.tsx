import { encode } from 'uqr'

/** Shows a QR code, dark on light in both themes: not every camera reads inverted codes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 3 })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 rounded-control bg-[#fff]"
    >
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}

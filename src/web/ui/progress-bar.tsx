export const ProgressBar = ({ label, value, max }: { label: string; value: number; max: number }) => (
  <progress
    aria-label={label}
    value={Math.min(value, max)}
    max={max}
    className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-solid [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-solid"
  />
)

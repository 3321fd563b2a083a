/** Drawn on a grid of 16, with lines of 1.5. */
const drawings = {
  overview: 'M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6',
  topology: 'M4 2.5v11M4 5.5h5a2 2 0 0 1 2 2v0M4 10.5h4M11 7.5h2.5M8 10.5h2.5',
  audit: 'M8 4.5V8l2.5 1.5M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2.5 5.7M2.5 2.5v3.2h3.2',
  model: 'M2.5 4.5h3v3h-3zM10.5 8.5h3v3h-3zM5.5 6H8a1 1 0 0 1 1 1v2a1 1 0 0 0 1 1h.5',
  hosts: 'M3 3.5h10v3.5H3zM3 9h10v3.5H3zM5 5.25h.01M5 10.75h.01',
  instances: 'M8 1.8 10.6 4.4 8 7 5.4 4.4zM4.4 8.8 7 11.4 4.4 14 1.8 11.4zM11.6 8.8l2.6 2.6-2.6 2.6L9 11.4z',
  queries: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  events: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  privileges: 'M8 1.8 13 4v3.6c0 3-2 5.3-5 6.6-3-1.3-5-3.6-5-6.6V4z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  chevron: 'm6 4 4 4-4 4',
  up: 'm4 10 4-4 4 4',
  views: 'M4 2.5h8v11L8 10.5 4 13.5z',
  down: 'm4 6 4 4 4-4',
  updown: 'm5 6.5 3-3 3 3M5 9.5l3 3 3-3',
  check: 'm3 8.5 3.2 3.2L13 5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  pencil: 'm3 13 .7-3L10.5 3.2a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2L6 12.3z',
  bin: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13h6l.5-8.5M6.8 7v3.5M9.2 7v3.5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5v3.2M8 5.2h.01',
  user: 'M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM2.8 13.5c.6-2.3 2.6-3.5 5.2-3.5s4.6 1.2 5.2 3.5',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  collapse: 'M3 8h10M8 2v3.5M6 4l2 2 2-2M8 14v-3.5M6 12l2-2 2 2',
  expand: 'M3 8h10M8 6V2M6 3.5l2-2 2 2M8 10v4M6 12.5l2 2 2-2',
  external: 'M9.5 3H13v3.5M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5',
  left: 'm10 4-4 4 4 4',
  play: 'M5 3.5v9l7.5-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  again: 'M3 8a5 5 0 1 1 1.6 3.7M3 12.5V9h3.5',
  key: 'M6 10a3 3 0 1 1 2.6-4.5H14v2.2h-1.8v1.8H10V7.7H8.8A3 3 0 0 1 6 10z',
} as const

export type IconName = keyof typeof drawings

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <path d={drawings[name]} />
  </svg>
)

import { after, writeCursor } from '../../packages/server/src/areas/events/feed/watching/cursor.ts'

/** A cursor as a server gives it, whose record no server has. */
export const lostCursor = writeCursor(after({ position: 1_000_000, id: 'd3f1q0c2k9v8r7s6t5v0.0' }))

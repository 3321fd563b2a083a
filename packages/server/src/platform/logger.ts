import { type Logger, type LoggerOptions, pino } from 'pino'

/**
 * Lines are written together and not by the event loop, which a slow reader of the log would otherwise stop: at least so many
 * bytes at a time, and whatever there is after so many milliseconds. A line of a request costs 6 to 15 us of processor time.
 */
const minWriteBytes = 2_048
const flushEveryMs = 100
/** What a pipe takes as a whole: lines of several workers are never mixed up. */
const maxWriteBytes = 4_096

/** The log: JSON lines on standard output. What is buffered is written when the process exits, unless it is killed. */
export const createLogger = (level: string, base: LoggerOptions['base'] = null): Logger =>
  pino(
    { level, base, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: errorFields } },
    pino.destination({
      dest: 1,
      sync: false,
      minLength: minWriteBytes,
      maxWrite: maxWriteBytes,
      periodicFlush: flushEveryMs,
    }),
  )

/** What an error says of itself. Not its other properties: those of a database's error may hold values of rows. */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: errorFields(error.cause) }),
  }
}

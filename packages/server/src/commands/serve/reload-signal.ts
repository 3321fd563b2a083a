import { closeSync, openSync } from 'node:fs'

/**
 * SIGHUP means that the terminal is gone, or by convention of daemons "reload". Only the latter is handled; the former
 * ends the process as without a handler, since its log can no longer be written.
 */
export function onReloadSignal(reload: () => void): void {
  const hadTerminal = hasTerminal()
  process.on('SIGHUP', () => {
    if (!hadTerminal || hasTerminal()) return reload()
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

// The command line.
import { runCommandLine } from './commands/run.ts'
import { refusalBehind } from './common/refusal.ts'

// The reader of the output may close the pipe at any line: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  await runCommandLine(process.argv.slice(2))
} catch (error) {
  const refusal = refusalBehind(error)
  if (!refusal) throw error
  process.stderr.write(`${refusal.message}\n`)
  process.exitCode = refusal.exitCode
  // The channel to the supervisor would keep a worker alive.
  if (process.connected) process.exit()
}

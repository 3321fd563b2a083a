// Levels, and the operation log with its seals.
import { anyText, setting, whole } from './formats.ts'

export const logSettings = {
  maxLevels: setting({
    flag: 'max-levels',
    env: 'MAINLINE_MAX_LEVELS',
    fallback: '7',
    read: whole(4, 20),
    help: 'maximum number of objects on the main line, including business and host',
  }),
  retentionDays: setting({
    flag: 'retention-days',
    env: 'MAINLINE_RETENTION_DAYS',
    fallback: '0',
    read: whole(0, 36_500),
    help: 'retention of the operation log in days; 0 keeps it indefinitely',
  }),
  sealKey: setting({
    flag: 'seal-key',
    env: 'MAINLINE_SEAL_KEY',
    fallback: '',
    read: anyText,
    help: "file of the Ed25519 private key that seals of the log are signed with; 'mainline seal-key create' makes one",
  }),
  sealCommand: setting({
    flag: 'seal-command',
    env: 'MAINLINE_SEAL_COMMAND',
    fallback: '',
    read: anyText,
    help: 'in place of a key, a command that signs its standard input with Ed25519 and prints the signature in base64',
  }),
  sealPublicKey: setting({
    flag: 'seal-public-key',
    env: 'MAINLINE_SEAL_PUBLIC_KEY',
    fallback: '',
    read: anyText,
    help: 'file of the public key of seal-command; its signatures are checked with it',
  }),
  sealWitness: setting({
    flag: 'seal-witness',
    env: 'MAINLINE_SEAL_WITNESS',
    fallback: '',
    read: anyText,
    help: "where seals are kept outside of the database: a file that each is appended to, or an http(s) address that each is posted to; see 'mainline verify --witness'",
  }),
}

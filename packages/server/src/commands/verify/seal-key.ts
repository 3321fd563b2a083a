import { misused } from '../../common/refusal.ts'
import { createKeyFile, keyIdOf, publicPem, readPrivateKey } from '../../storage/seals/keys.ts'
import { readServerArguments } from '../serve/server-arguments.ts'

export async function sealKeyCommand(args: string[]): Promise<void> {
  const [what, file] = readServerArguments('seal-key', args, 2).words
  if (what !== 'create' && what !== 'public') {
    throw misused("Say 'mainline seal-key create FILE' or 'public FILE'. See 'mainline seal-key --help'.")
  }
  if (!file) throw misused(`Which file? 'mainline seal-key ${what} FILE'.`)
  const key = what === 'create' ? await createKeyFile(file) : readPrivateKey(file)
  // The public key alone is on stdout, so that it can be redirected to a file.
  if (what === 'create') {
    process.stderr.write(
      `${file} holds key ${keyIdOf(key)}, readable by its owner only. Keep a copy outside of this machine. Its public key:\n`,
    )
  }
  process.stdout.write(publicPem(key))
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { verifyCommand } from '../../commands/verify/verify.ts'
import { makeBusiness } from '../../testing/data/factories.ts'
import { type EngineName, eachEngine, startServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'
import { makeKey, resealFrom, run, sealSome, witnessed } from '../../testing/inspect/seals.ts'

type Defence = 'key' | 'witness'

/** A server, and the auditor's command; `blind` verifies without key and witness. */
async function openServer(name: EngineName, defences: readonly Defence[], retentionDays = 0) {
  const directory = mkdtempSync(join(tmpdir(), 'mainline-seals-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const [key, file] = [makeKey(directory), join(directory, 'witness.jsonl')]
  const [isSigned, isWitnessed] = [defences.includes('key'), defences.includes('witness')]
  const server = await startServer(name, {
    flags: [
      ...(isSigned ? [`--seal-key=${key.secret}`] : []),
      ...(isWitnessed ? [`--seal-witness=${file}`] : []),
      ...(retentionDays > 0 ? [`--retention-days=${retentionDays}`] : []),
    ],
  })
  onTestFinished(() => server.close())
  const business = await makeBusiness(server)
  const { engine } = server.service.storage
  return {
    server,
    business,
    file,
    key,
    engine,
    blind: () => verifyCommand(server.store.flags),
    verify: (...more: string[]) =>
      verifyCommand([
        ...more,
        ...server.store.flags,
        ...(isWitnessed ? ['--witness', file] : []),
        ...(isSigned ? ['--public-key', key.open] : []),
      ]),
  }
}

/** As `openServer`, with three sealed segments. */
async function sealedServer(name: EngineName, defences: readonly Defence[], retentionDays = 0) {
  const opened = await openServer(name, defences, retentionDays)
  for (let segment = 1; segment <= 3; segment++) await sealSome(opened.server, opened.business, 2, retentionDays)
  if (defences.includes('witness')) await witnessed(opened.file, 3)
  return opened
}

const deleteSegment = (segment: number) => [
  `DELETE FROM log WHERE position >= (SELECT first_position FROM seal WHERE segment = ${segment})
     AND position <= (SELECT last_position FROM seal WHERE segment = ${segment})`,
]

eachEngine((name) => {
  const eachDefence = it.each<[string, Defence[]]>([
    ['a key', ['key']],
    ['a witness', ['witness']],
    ['both', ['key', 'witness']],
  ])

  eachDefence('a record that was edited and sealed anew is noticed with %s', async (_name, defences) => {
    const { server, engine, blind, verify } = await sealedServer(name, defences)
    await verify()
    await run(engine, [
      `UPDATE log SET operator = 'mallory' WHERE position = (SELECT first_position FROM seal WHERE segment = 2)`,
    ])
    await resealFrom(server, 2)
    await blind()
    await expect(verify()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        defences.includes('witness')
          ? /segment 2 \(records \d+ to \d+\) is not what was witnessed \(2 witnessed segments, the last sealed at .*Z; .*the log has been rewritten/
          : /segment 2 \(records \d+ to \d+\) has a signature that was not made over it/,
      ),
    })
  })

  eachDefence('a segment that was deleted by raising the floor is noticed with %s', async (_name, defences) => {
    const { engine, blind, verify } = await sealedServer(name, defences)
    await run(engine, [
      ...deleteSegment(1),
      'UPDATE log_head SET floor = (SELECT last_position + 1 FROM seal WHERE segment = 1)',
    ])
    await blind()
    await expect(verify()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        /segment 1 \(records 1 to \d+\) has been removed, and no retention that was in force explains it/,
      ),
    })
  })

  it('a deleted segment is a fault if its seals state no retention, or it is not due yet', async () => {
    const { engine, verify } = await sealedServer(name, ['key', 'witness'], 30)
    await verify()
    await run(engine, [
      ...deleteSegment(1),
      'UPDATE log_head SET floor = (SELECT last_position + 1 FROM seal WHERE segment = 1)',
    ])
    await expect(verify()).rejects.toThrow(/segment 1 .* no retention that was in force explains it/)
    // Also if a seal was changed so that the segment looks old.
    await run(engine, ['UPDATE seal SET last_time = 1 WHERE segment = 1'])
    await expect(verify()).rejects.toThrow(/segment 1 .* is not what was witnessed/)
  })

  eachDefence('what retention has removed is no false alarm with %s', async (_name, defences) => {
    const { server, business, engine, file, verify } = await openServer(name, defences, 1)
    const { read } = server.service.storage
    const head = () => read.selectFrom('log_head').selectAll().executeTakeFirstOrThrow()
    await readLog(read)
    // Two days old: the server seals and then removes these records by itself.
    await run(engine, [`UPDATE log SET op_time = op_time - ${2 * 86_400_000}`])
    const { position } = await head()
    await expect.poll(head, { timeout: 20_000 }).toMatchObject({ floor: position + 1, sealed: position })
    const { segment } = await sealSome(server, business, 1, 1)
    if (defences.includes('witness')) await witnessed(file, segment)
    await verify()
  })

  it.each<[string, Defence[]]>([
    ['a witness', ['witness']],
    ['both', ['key', 'witness']],
  ])('a truncated log is detected with %s', async (_name, defences) => {
    const { engine, blind, verify } = await sealedServer(name, defences)
    await run(engine, [
      ...deleteSegment(3),
      'DELETE FROM seal WHERE segment = 3',
      'DELETE FROM log_tally WHERE segment = 3',
      'DELETE FROM log WHERE position > (SELECT max(last_position) FROM seal)',
      `UPDATE log_head SET position = (SELECT max(last_position) FROM seal), sealed = (SELECT max(last_position) FROM seal),
         tallied = (SELECT max(last_position) FROM seal)`,
    ])
    await blind()
    await expect(verify()).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(
        /records \d+ to \d+ were witnessed and are not there \(1 witnessed segment, the last sealed at .*Z; the log ends at record \d+\): the end of the log has been cut off/,
      ),
    })
  })

  it('removed signatures are detected', async () => {
    const { server, business, engine, blind, verify } = await sealedServer(name, ['key'])
    await run(engine, [`UPDATE seal SET signature = '', key_id = '', signed_since = 0 WHERE segment = 2`])
    await blind()
    await expect(verify()).rejects.toThrow(/segment 2 .* is not signed, although signing had begun by then/)
    await run(engine, [`UPDATE seal SET signature = '', key_id = '', signed_since = 0`])
    await expect(verify()).rejects.toThrow(/are in no segment that is signed, although a public key was given/)
    // After the server has sealed again, it looks as if signing had started today, unless the auditor states the earlier start.
    await sealSome(server, business)
    await verify()
    await expect(verify('--signed-since=1')).rejects.toThrow(/segment 1 .* is not signed, although signing had begun/)
  })
})

import { useState } from 'react'
import { asRequest, type ChangeRequest } from '../../api/request.ts'
import { Progress } from '../../kit/Progress.tsx'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'

/** Hosts per request, so that progress is visible. Up to so many are changed all or none. */
const hostsAtOnce = 1_000

interface ChunkProgress {
  readonly done: number
  readonly of: number
}

/** Changes any number of hosts chunk by chunk. All chunks are one request in the audit log, so that they are undone together. */
export function useChunks() {
  const [progress, setProgress] = useState<ChunkProgress | null>(null)
  const change = async (
    hosts: readonly number[],
    request: ChangeRequest,
    run: (chunk: number[]) => Promise<unknown>,
  ) => {
    try {
      for (let done = 0; done < hosts.length; done += hostsAtOnce) {
        if (hosts.length > hostsAtOnce) setProgress({ done, of: hosts.length })
        const chunk = hosts.slice(done, done + hostsAtOnce)
        await asRequest(request, () => run(chunk))
      }
    } finally {
      setProgress(null)
    }
  }
  return { progress, change }
}

/** Says that many hosts are changed in steps, and how far it is. */
export function Steps({ hosts, progress }: { hosts: number; progress: ChunkProgress | null }) {
  const words = useWords(hostWords)
  if (progress) return <Progress label={words.changing} {...progress} />
  return hosts > hostsAtOnce ? <p className="quiet">{words.inSteps(hostsAtOnce)}</p> : null
}

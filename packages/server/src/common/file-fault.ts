import { errorCodeOf } from './error-code.ts'

/** System errors in words. */
const faults: Record<string, string> = {
  ENOENT: 'there is no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk can only be read',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'it exists already',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'no larger file is allowed here',
}

/** Why a file cannot be used; undefined for other errors. */
export const fileFault = (error: unknown): string | undefined => faults[errorCodeOf(error)]

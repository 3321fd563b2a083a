/** Smaller parts are not worth a call, and may share their memory with others. */
const minBytes = 4_096

/**
 * Returns the memory of a received part to the system. V8 collects buffers only after 64 MB of them have piled up, however small the heap is, and the
 * C library keeps most of that resident. The part must not be used afterwards.
 */
export function freeBytes(part: Buffer): void {
  const { buffer } = part
  if (part.length < minBytes || part.length !== buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  buffer.transfer(0)
}

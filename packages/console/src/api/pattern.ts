/** A pattern that matches the text literally, anywhere, regardless of case. */
export const patternOf = (text: string): string => `(?i)${text.trim().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`

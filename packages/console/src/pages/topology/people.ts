// The members of a role: a comma list of users, and of groups of users as '@' and their name.

export function listed(value: unknown): string[] {
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : []
  return [...new Set(names)].filter((name) => name !== '')
}

export const joined = (names: readonly string[]): string => names.join(',')

export const isGroup = (name: string): boolean => name.startsWith('@')

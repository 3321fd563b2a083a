// The contract's types, for programs that name operations, records or problems.
export * from '@mainline/contract'

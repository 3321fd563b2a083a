/** Whether a name, possibly from a request, is an own key of the object. */
export const isKeyOf = <T extends object>(object: T, name: PropertyKey): name is keyof T => Object.hasOwn(object, name)

/** For object literals, which have no other keys than those of their type. */
export const keysOf = <T extends object>(literal: T) => Object.keys(literal).filter((name) => isKeyOf(literal, name))

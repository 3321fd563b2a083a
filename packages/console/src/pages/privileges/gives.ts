/** The grants of a group, as the page shows them. */
export interface Gives {
  readonly entries: ReadonlySet<string>
  /** `classification object action`. */
  readonly instances: ReadonlySet<string>
}

interface Stored {
  readonly sys_config: { readonly global_busi: readonly string[]; readonly back_config: readonly string[] }
  readonly back_config: readonly string[]
  readonly model_config: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

export const instanceKey = (classification: string, object: string, action: string): string =>
  `${classification} ${object} ${action}`

export function readGives({ sys_config: system, back_config: back, model_config: model }: Stored): Gives {
  const instances = Object.entries(model).flatMap(([classification, objects]) =>
    Object.entries(objects).flatMap(([object, actions]) =>
      actions.map((action) => instanceKey(classification, object, action)),
    ),
  )
  return { entries: new Set([...system.global_busi, ...system.back_config, ...back]), instances: new Set(instances) }
}

/** The API replaces all grants, so all are sent. */
export function writeGives({ entries, instances }: Gives) {
  const model: Record<string, Record<string, string[]>> = {}
  for (const key of instances) {
    const [classification = '', object = '', action = ''] = key.split(' ')
    model[classification] ??= {}
    const actions = model[classification]
    actions[object] = [...(actions[object] ?? []), action]
  }
  return {
    sys_config: { global_busi: [...entries].filter((entry) => entry === 'resource') },
    back_config: [...entries].filter((entry) => entry !== 'resource'),
    model_config: model,
  }
}

export function toggled(set: ReadonlySet<string>, key: string, on: boolean): ReadonlySet<string> {
  const next = new Set(set)
  if (on) next.add(key)
  else next.delete(key)
  return next
}

import { inBoth, number, plural } from './index.ts'

interface Counts {
  readonly created: number
  readonly deleted: number
  readonly changed: number
  readonly moved: number
}

export const past = inBoth(
  {
    look: 'Look at the past',
    bar: 'Moment',
    asOf: (time: string) => `As of ${time}`,
    readOnly: 'This is the past: nothing can be changed here. Go back to now first.',
    isReadOnly: 'Read-only: this is the past.',
    time: 'Time',
    change: 'Change',
    noChange: 'Before the changes listed here',
    changeOf: (index: number, count: number) => `${number(index)} of ${number(count)}`,
    now: 'Back to now',
    atNow: 'now',
    compareWithNow: 'Compare with now',
    compareTitle: (name: string) => `Compare ${name}`,
    earlier: 'Earlier',
    later: 'Later',
    laterHelp: 'Empty: now',
    chooseMoment: 'Choose the earlier moment.',
    nothingNamed: 'Nothing to compare is named in this address.',
    same: 'Nothing differs between these moments.',
    counts: ({ created, deleted, changed, moved }: Counts) =>
      [
        created > 0 && `${number(created)} created`,
        deleted > 0 && `${number(deleted)} deleted`,
        changed > 0 && `${number(changed)} changed`,
        moved > 0 && plural(moved, 'host moved', 'hosts moved'),
      ]
        .filter(Boolean)
        .join(', '),
    resultCounts: ({ created, deleted, changed, moved }: Counts) =>
      [
        created > 0 && `${number(created)} entered`,
        deleted > 0 && `${number(deleted)} left`,
        changed + moved > 0 && `${number(changed + moved)} changed`,
      ]
        .filter(Boolean)
        .join(', '),
    kinds: { created: 'created', deleted: 'deleted', changed: 'changed', moved: 'moved' },
    resultKinds: { created: 'entered', deleted: 'left', changed: 'changed', moved: 'moved' },
    elsewhere: 'because something else has changed, such as its set',
    compareMoments: 'Compare two moments',
    deletedHere: 'Deleted here',
    more: (count: number) => `and ${number(count)} more`,
  },
  {
    look: '查看历史状态',
    bar: '时刻',
    asOf: (time) => `${time} 时的状态`,
    readOnly: '这是历史状态，不能修改。请先返回当前状态。',
    isReadOnly: '只读：这是历史状态。',
    time: '时间',
    change: '变更',
    noChange: '在所列变更之前',
    changeOf: (index, count) => `第 ${number(index)} 次，共 ${number(count)} 次`,
    now: '返回当前',
    atNow: '当前',
    compareWithNow: '与当前对比',
    compareTitle: (name) => `对比 ${name}`,
    earlier: '较早时刻',
    later: '较晚时刻',
    laterHelp: '留空表示当前',
    chooseMoment: '请选择较早时刻。',
    nothingNamed: '地址中没有指定对比对象。',
    same: '两个时刻之间没有差异。',
    counts: ({ created, deleted, changed, moved }) =>
      [
        created > 0 && `创建 ${number(created)}`,
        deleted > 0 && `删除 ${number(deleted)}`,
        changed > 0 && `修改 ${number(changed)}`,
        moved > 0 && `转移 ${number(moved)} 台主机`,
      ]
        .filter(Boolean)
        .join('，'),
    resultCounts: ({ created, deleted, changed, moved }) =>
      [
        created > 0 && `进入 ${number(created)}`,
        deleted > 0 && `离开 ${number(deleted)}`,
        changed + moved > 0 && `变化 ${number(changed + moved)}`,
      ]
        .filter(Boolean)
        .join('，'),
    kinds: { created: '创建', deleted: '删除', changed: '修改', moved: '转移' },
    resultKinds: { created: '进入', deleted: '离开', changed: '变化', moved: '转移' },
    elsewhere: '因为其他对象发生变化，例如所属集群',
    compareMoments: '对比两个时刻',
    deletedHere: '此处已删除',
    more: (count) => `及另外 ${number(count)} 项`,
  },
)

import { inBoth, number, plural } from './index.ts'

interface Counts {
  readonly undone: number
  readonly already: number
  readonly conflict: number
}

export const undoWords = inBoth(
  {
    title: 'Undo this change?',
    undo: 'Undo',
    planning: 'Checking what would be undone …',
    impossible: 'This change cannot be undone.',
    nothingToUndo: 'There is nothing left to undo.',
    chooseFirst: 'Choose what happens to records that were changed later.',
    summary: ({ undone, already, conflict }: Counts) =>
      [
        `${plural(undone, 'record', 'records')} will be undone, all or none`,
        already > 0 && `${number(already)} undone already`,
        conflict > 0 && `${number(conflict)} changed later`,
      ]
        .filter(Boolean)
        .join('; ')
        .concat('.'),
    already: 'is undone already',
    conflict: 'was changed later',
    willDelete: 'was created, will be deleted',
    willRevert: 'gets its previous values',
    willRestore: 'was deleted, will be restored with its id',
    willMoveBack: 'moves back',
    nowAndThen: (now: string, then: string) => `is “${now}” now; undoing would make it “${then}”.`,
    since: (operator: string, time: string) => `Changed by ${operator}, ${time}.`,
    overtaken: (count: number) => `${plural(count, 'record was', 'records were')} changed later`,
    skip: 'Leave them as they are',
    force: 'Overwrite the later changes',
    undone: (count: number) => `${plural(count, 'record', 'records')} undone`,
    more: (count: number) => `and ${number(count)} more`,
  },
  {
    title: '撤销此变更？',
    undo: '撤销',
    planning: '正在检查将撤销的内容……',
    impossible: '此变更无法撤销。',
    nothingToUndo: '没有可以撤销的内容。',
    chooseFirst: '请选择如何处理之后又被修改的记录。',
    summary: ({ undone, already, conflict }) =>
      [
        `将撤销 ${number(undone)} 条记录（全部撤销或都不撤销）`,
        already > 0 && `${number(already)} 条已撤销`,
        conflict > 0 && `${number(conflict)} 条之后又被修改`,
      ]
        .filter(Boolean)
        .join('；')
        .concat('。'),
    already: '已撤销',
    conflict: '之后又被修改',
    willDelete: '是新建的，将被删除',
    willRevert: '将恢复之前的值',
    willRestore: '已删除，将以原 ID 恢复',
    willMoveBack: '将移回原处',
    nowAndThen: (now, then) => `当前为“${now}”，撤销后为“${then}”。`,
    since: (operator, time) => `由 ${operator} 于 ${time} 修改。`,
    overtaken: (count) => `${number(count)} 条记录之后又被修改`,
    skip: '保持现状',
    force: '覆盖之后的修改',
    undone: (count) => `已撤销 ${number(count)} 条记录`,
    more: (count) => `以及另外 ${number(count)} 条`,
  },
)

import { inBoth } from './index.ts'

export const tourWords = inBoth(
  {
    welcome: 'Welcome to Mainline',
    what: 'Mainline keeps which business runs on which hosts, who may change that, who did, and which other systems are notified.',
    openIdentity:
      'Identity is open: every client that reaches this server may act as any user, administrators included. Before others can reach it, set up tokens, a login or a proxy.',
    how: 'How to set up identities',
    start: 'Take the tour',
    startWhy: 'Five steps, under a minute.',
    skip: 'Skip',
    tour: 'Tour',
    step: (at: number, of: number) => `Step ${at} of ${of}`,
    back: 'Back',
    next: 'Next',
    done: 'Done',
    steps: {
      find: {
        title: 'Find anything',
        text: 'Press Ctrl K (⌘ K on a Mac) on any page. It finds hosts by address, name, asset or serial number, people, settings, and every action.',
      },
      tree: {
        title: 'A business is a tree',
        text: 'Choose one in the navigation. Its sets and modules are a tree, and its hosts are placed in modules.',
      },
      hosts: {
        title: 'Hosts of all businesses',
        text: 'Filter them, save the filter as a query, import a table, or move many hosts at a time.',
      },
      events: {
        title: 'Other systems are notified',
        text: 'A subscription sends each change to a callback address, in order, and repeats it until it is confirmed.',
      },
      audit: {
        title: 'Every change can be explained and undone',
        text: 'The audit log has who changed what, when and why. Each change there can be undone.',
      },
    },
  },
  {
    welcome: '欢迎使用 Mainline',
    what: 'Mainline 记录每个业务使用哪些主机，谁可以变更、谁做了变更，以及通知哪些其他系统。',
    openIdentity:
      '当前为开放身份模式：任何能访问此服务器的人都可以用任意用户（包括管理员）的身份操作。在其他人可以访问之前，请设置令牌、统一登录或代理。',
    how: '如何设置身份',
    start: '开始导览',
    startWhy: '共五步，不到一分钟。',
    skip: '跳过',
    tour: '导览',
    step: (at, of) => `第 ${at} 步，共 ${of} 步`,
    back: '上一步',
    next: '下一步',
    done: '完成',
    steps: {
      find: {
        title: '查找任何内容',
        text: '在任何页面按 Ctrl K（苹果电脑为 ⌘ K），可按地址、名称、固资编号或序列号查找主机，也可查找人员、设置和所有操作。',
      },
      tree: {
        title: '业务是一棵树',
        text: '在导航中选择业务。业务的集群与模块组成一棵树，主机放在模块中。',
      },
      hosts: {
        title: '所有业务的主机',
        text: '可以筛选主机、将筛选条件保存为查询、导入表格，或一次转移多台主机。',
      },
      events: {
        title: '通知其他系统',
        text: '订阅会按顺序将每个变更发送到回调地址，并重复发送，直到对方确认。',
      },
      audit: {
        title: '每个变更都可解释、可撤销',
        text: '审计日志记录谁在何时、因何变更了什么。其中的每个变更都可以撤销。',
      },
    },
  },
)

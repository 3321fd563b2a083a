import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import type { TreeNode } from './tree.ts'

/** A simple model of trees: the service must agree with it after any operations. */
interface Plain {
  object: string
  name: string
  children: Plain[]
}

type Step =
  | { do: 'level'; at: number; letter: string }
  | { do: 'unlevel'; at: number }
  | { do: 'add'; at: number; name: string }
  | { do: 'rename'; at: number; name: string }
  | { do: 'delete'; at: number }

const at = fc.nat(50)
const name = fc.constantFrom('a', 'b', 'B', '中', '😀', "o'clock", '%_\\')
const steps = fc.array(
  fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('level' as const), at, letter: fc.constantFrom('x', 'y', 'z') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('unlevel' as const), at }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), at, name }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('rename' as const), at, name }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), at }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 5, maxLength: 25 },
)

const flat = <T extends { children: T[] }>(nodes: T[]): T[] => nodes.flatMap((node) => [node, ...flat(node.children)])
const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const sorted = (nodes: Plain[]): Plain[] =>
  nodes.map((node) => ({ ...node, children: sorted(node.children) })).sort((one, other) => bytes(one.name, other.name))
const plain = (nodes: TreeNode[]): Plain[] =>
  nodes.map((node) => ({ object: node.bk_obj_id, name: node.bk_inst_name, children: plain(node.child) }))

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())

  /** Applies an operation to the service and to the model, and compares the results. */
  class Estate {
    chain = ['biz', 'set', 'module']
    readonly trees: Plain[] = []
    readonly ids: number[] = []

    async add(label: string): Promise<void> {
      this.ids.push(await makeBusiness(server, label))
      this.trees.push({ object: 'biz', name: label, children: [] })
    }

    async served(index: number): Promise<TreeNode> {
      const answer = await server.call<TreeNode[]>('GET', `/topo/inst/0/${this.ids[index]}`)
      return answer.data[0] as TreeNode
    }

    /** The same instance in the model, in the served tree, and its business. */
    async pick(step: number, fits: (node: Plain) => boolean) {
      const all = this.trees
        .flatMap((tree, index) => flat([tree]).map((node) => ({ node, index })))
        .filter((each) => fits(each.node))
      const chosen = all[step % (all.length || 1)]
      if (!chosen) return undefined
      const path = this.#path([this.trees[chosen.index] as Plain], chosen.node) as string[]
      let served = await this.served(chosen.index)
      for (const part of path.slice(1)) served = served.child.find((child) => child.bk_inst_name === part) as TreeNode
      return {
        ...chosen,
        id: served.bk_inst_id,
        biz: this.ids[chosen.index] as number,
        parent: this.#parent(chosen.node),
      }
    }

    #path(nodes: Plain[], wanted: Plain): string[] | undefined {
      for (const node of nodes) {
        if (node === wanted) return [node.name]
        const rest = this.#path(node.children, wanted)
        if (rest) return [node.name, ...rest]
      }
      return undefined
    }

    #parent = (wanted: Plain) => flat(this.trees).find((node) => node.children.includes(wanted))

    async run(step: Step): Promise<void> {
      if (step.do === 'level') return this.#insert(step.at, step.letter)
      if (step.do === 'unlevel') return this.#remove(step.at)
      if (step.do === 'add') return this.#create(step.at, step.name)
      const found = await this.pick(step.at, (node) => node.object !== 'biz')
      if (!found) return
      const path = await this.#address(found)
      if (step.do === 'delete') {
        expect((await server.call('DELETE', path)).result).toBe(true)
        const { parent } = found
        parent?.children.splice(parent.children.indexOf(found.node), 1)
        return
      }
      const field = { set: 'bk_set_name', module: 'bk_module_name' }[found.node.object] ?? 'bk_inst_name'
      const free = !found.parent?.children.some((child) => child !== found.node && child.name === step.name)
      expect((await server.call('PUT', path, { bk_biz_id: found.biz, [field]: step.name })).result).toBe(free)
      if (free) found.node.name = step.name
    }

    async #address({
      node,
      id,
      biz,
      parent,
      index,
    }: NonNullable<Awaited<ReturnType<Estate['pick']>>>): Promise<string> {
      if (node.object === 'set') return `/set/${biz}/${id}`
      if (node.object !== 'module') return `/inst/0/${node.object}/${id}`
      const set = await this.pick(0, (each) => each === parent)
      return `/module/${this.ids[index]}/${set?.id}/${id}`
    }

    async #create(step: number, called: string): Promise<void> {
      const found = await this.pick(step, (node) => node.object !== 'module')
      if (!found) return
      const object = this.chain[this.chain.indexOf(found.node.object) + 1] as string
      const free = !found.node.children.some((child) => child.name === called)
      const made =
        object === 'set'
          ? await server.call(
              'POST',
              `/set/${found.biz}`,
              setBody(found.biz, { bk_set_name: called, bk_parent_id: found.id }),
            )
          : object === 'module'
            ? await server.call('POST', `/module/${found.biz}/${found.id}`, { bk_module_name: called })
            : await server.call('POST', `/inst/0/${object}`, {
                bk_inst_name: called,
                bk_biz_id: found.biz,
                bk_parent_id: found.id,
              })
      expect(made.result, made.bk_error_msg ?? '').toBe(free)
      if (free) found.node.children.push({ object, name: called, children: [] })
    }

    async #insert(step: number, letter: string): Promise<void> {
      const parents = this.chain.slice(0, -2)
      const above = parents[step % parents.length] as string
      const fits = !this.chain.includes(letter) && this.chain.length < 6
      const body = {
        bk_classification_id: 'bk_biz_topo',
        bk_obj_id: letter,
        bk_obj_name: letter,
        bk_asst_obj_id: above,
      }
      expect((await server.call('POST', '/topo/model/mainline', body)).result).toBe(fits)
      if (!fits) return
      for (const node of flat(this.trees).filter((each) => each.object === above)) {
        node.children = [{ object: letter, name: letter, children: node.children }]
      }
      this.chain.splice(this.chain.indexOf(above) + 1, 0, letter)
    }

    async #remove(step: number): Promise<void> {
      const levels = this.chain.slice(1, -2)
      const level = levels[step % (levels.length || 1)]
      if (!level) return
      const above = this.chain[this.chain.indexOf(level) - 1]
      const parents = flat(this.trees).filter((node) => node.object === above)
      const fits = parents.every((parent) => {
        const up = parent.children.flatMap((child) => child.children.map((each) => each.name))
        return new Set(up).size === up.length
      })
      const gone = await server.call('DELETE', `/topo/model/mainline/owners/0/objectids/${level}`)
      expect(gone.result, gone.bk_error_msg ?? '').toBe(fits)
      if (!fits) return
      for (const parent of parents) parent.children = parent.children.flatMap((child) => child.children)
      this.chain.splice(this.chain.indexOf(level), 1)
    }

    /** Every node once, under the object above it, and sorted. */
    async agrees(): Promise<void> {
      for (const [index, tree] of this.trees.entries()) {
        expect(plain([await this.served(index)])).toEqual(sorted([tree]))
      }
    }

    async clear(): Promise<void> {
      for (const id of this.ids) await server.call('DELETE', `/biz/0/${id}`)
      for (const level of this.chain.slice(1, -2))
        await server.call('DELETE', `/topo/model/mainline/owners/0/objectids/${level}`)
    }
  }

  it('the tree is valid and equals the model after any sequence of inserts, moves, renames and deletes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const estate = new Estate()
        try {
          await estate.add('one')
          await estate.add('two')
          for (const step of sequence) {
            await estate.run(step)
            await estate.agrees()
          }
        } finally {
          await estate.clear()
        }
      }),
      { numRuns: 12 },
    )
  })
})

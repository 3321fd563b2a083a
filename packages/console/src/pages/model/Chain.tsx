import { Fragment, useState } from 'react'
import { Button as Pressable } from 'react-aria-components'
import type { Link } from '../../api/model.ts'
import { Hint } from '../../kit/Button.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { kindOf } from '../../kit/Station.tsx'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { InsertLevel, RemoveLevel } from './LevelDialogs.tsx'

interface ChainProps {
  links: readonly Link[] | undefined
  selected: string
  /** Why the caller may not change it. */
  refused: string | undefined
  onShow(object: string): void
}

/** Levels can only be below the business and below other levels. */
const takesLevelBelow = (link: Link) => kindOf(link.bk_obj_id) === 'biz' || kindOf(link.bk_obj_id) === 'level'

/** The main line as a diagram: every object, and buttons to insert a level. */
export function Chain({ links, selected, refused, onShow }: ChainProps) {
  const words = useWords(model)
  const [above, setAbove] = useState<Link | null>(null)
  const [removing, setRemoving] = useState<Link | null>(null)
  const below = links?.find((link) => link.bk_obj_id === above?.bk_next_obj)
  return (
    <section className="chain" aria-label={words.chain}>
      <p className="quiet">{words.chainWhy}</p>
      <ol>
        {links?.map((link) => (
          <Fragment key={link.bk_obj_id}>
            <li className={`stop ${kindOf(link.bk_obj_id)}${link.bk_obj_id === selected ? ' selected' : ''}`}>
              <Pressable
                className="stop-name"
                aria-current={link.bk_obj_id === selected}
                onPress={() => onShow(link.bk_obj_id)}
              >
                <span className="dot" />
                {link.bk_obj_name}
              </Pressable>
              <code>{link.bk_obj_id}</code>
              {kindOf(link.bk_obj_id) === 'level' && (
                <Hint text={refused ?? words.remove}>
                  <button
                    type="button"
                    className="stop-remove"
                    aria-label={`${words.remove} ${link.bk_obj_name}`}
                    aria-disabled={refused !== undefined}
                    onClick={() => !refused && setRemoving(link)}
                  >
                    <Icon name="close" size={12} />
                  </button>
                </Hint>
              )}
            </li>
            {link.bk_next_obj && (
              <li className="track">
                {takesLevelBelow(link) && (
                  <Hint text={refused ?? words.insertAfter(link.bk_obj_name)}>
                    <button
                      type="button"
                      className="insert"
                      aria-label={words.insertAfter(link.bk_obj_name)}
                      aria-disabled={refused !== undefined}
                      onClick={() => !refused && setAbove(link)}
                    >
                      <Icon name="plus" size={12} />
                    </button>
                  </Hint>
                )}
              </li>
            )}
          </Fragment>
        ))}
      </ol>
      {above && below && <InsertLevel above={above} below={below} onClose={() => setAbove(null)} onMade={onShow} />}
      {removing && <RemoveLevel level={removing} onClose={() => setRemoving(null)} onGone={() => onShow('biz')} />}
    </section>
  )
}

import { useEffect, useRef } from 'react'
import { chooseDisplay } from '../../api/settings.ts'
import { Button } from '../../kit/Button.tsx'
import { refuse } from '../../kit/Toasts.tsx'
import { useWords } from '../../words/index.ts'
import { shell } from '../../words/shell.ts'
import { tourWords } from '../../words/tour.ts'
import { showStep, type TourStep, tourSteps } from './step.ts'
import './tour.css'

/** A panel beside the page, which stays usable. It points at the navigation; see tour.css. */
export function Tour({ step }: { step: TourStep }) {
  const words = useWords(tourWords)
  const { notKept } = useWords(shell)
  const heading = useRef<HTMLHeadingElement>(null)
  const at = tourSteps.indexOf(step)
  const { title, text } = words.steps[step]
  useEffect(() => {
    document.documentElement.dataset.tour = step
    heading.current?.focus()
    return () => {
      delete document.documentElement.dataset.tour
    }
  }, [step])
  const end = () => {
    showStep(null)
    chooseDisplay({ toured: true }).catch(() => refuse(notKept))
  }
  const turn = (by: number) => showStep(tourSteps[at + by] ?? step)
  const isLast = at === tourSteps.length - 1
  return (
    <section
      className="tour"
      role="dialog"
      aria-label={words.tour}
      onKeyDown={(event) => event.key === 'Escape' && end()}
    >
      <p className="quiet">{words.step(at + 1, tourSteps.length)}</p>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{text}</p>
      <div className="buttons ends">
        {!isLast && (
          <Button look="quiet" onPress={end}>
            {words.skip}
          </Button>
        )}
        {at > 0 && <Button onPress={() => turn(-1)}>{words.back}</Button>}
        <Button look="primary" onPress={isLast ? end : () => turn(1)}>
          {isLast ? words.done : words.next}
        </Button>
      </div>
    </section>
  )
}

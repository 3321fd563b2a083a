import { useSession } from '../../api/session.ts'
import { chooseDisplay } from '../../api/settings.ts'
import { Button } from '../../kit/Button.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { refuse } from '../../kit/Toasts.tsx'
import { showStep, tourSteps } from '../../shell/tour/step.ts'
import { useWords } from '../../words/index.ts'
import { shell } from '../../words/shell.ts'
import { tourWords } from '../../words/tour.ts'

/** For the first visit: what this is, who may do what by default, and a tour. It does not return once the tour was skipped or finished. */
export function Welcome() {
  const words = useWords(tourWords)
  const { notKept } = useWords(shell)
  const isOpen = useSession().data?.auth === 'open'
  const skip = () => void chooseDisplay({ toured: true }).catch(() => refuse(notKept))
  return (
    <section className="card welcome" aria-labelledby="welcome">
      <header>
        <h2 id="welcome">{words.welcome}</h2>
        <Button look="quiet" onPress={skip}>
          {words.skip}
        </Button>
      </header>
      <p>{words.what}</p>
      {isOpen && (
        <p className="notice warn">
          <Icon name="warning" />
          <span>
            {words.openIdentity}{' '}
            <a href="/docs/guides/identities" target="_blank" rel="noreferrer">
              {words.how}
            </a>
          </span>
        </p>
      )}
      <div className="buttons">
        <Button look="primary" icon="play" onPress={() => showStep(tourSteps[0])}>
          {words.start}
        </Button>
        <span className="quiet welcome-why">{words.startWhy}</span>
      </div>
    </section>
  )
}

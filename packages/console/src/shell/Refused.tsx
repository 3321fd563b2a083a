import { Icon } from '../kit/Icon.tsx'

/** Why the server did not accept a sign-in. */
export const Refused = ({ text }: { text: string }) => (
  <div className="failure" role="alert">
    <Icon name="warning" />
    <p>{text}</p>
  </div>
)

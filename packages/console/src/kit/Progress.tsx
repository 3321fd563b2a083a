/** The progress of a task. */
export const Progress = ({ label, done, of }: { label: string; done: number; of: number }) => (
  <div className="progress" role="progressbar" aria-label={label} aria-valuenow={done} aria-valuemax={of}>
    <div style={{ width: `${(done / Math.max(1, of)) * 100}%` }} />
  </div>
)

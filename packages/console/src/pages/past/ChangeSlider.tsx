import { useEffect, useState } from 'react'
import { Label, Slider, SliderOutput, SliderThumb, SliderTrack } from 'react-aria-components'
import { moment, useWords } from '../../words/index.ts'
import { past } from '../../words/past.ts'
import type { Change } from '../audit/questions.ts'

interface ChangeSliderProps {
  /** The oldest first. */
  changes: readonly Change[]
  /** The moment that is shown. */
  time: number
  onChange(change: Change): void
}

/** One step for each change; the page follows once the thumb is released. */
export function ChangeSlider({ changes, time, onChange }: ChangeSliderProps) {
  const words = useWords(past)
  const current = changes.findLastIndex((change) => Date.parse(change.op_time) <= time)
  const [index, setIndex] = useState(current)
  useEffect(() => setIndex(current), [current])
  const change = changes[index]
  return (
    <Slider
      className="change-slider"
      value={index + 1}
      minValue={0}
      maxValue={changes.length}
      onChange={(value) => setIndex(Math.max(0, value - 1))}
      onChangeEnd={(value) => {
        const chosen = changes[Math.max(0, value - 1)]
        if (chosen) onChange(chosen)
      }}
    >
      <Label>{words.change}</Label>
      <SliderOutput className="truncate">
        {change
          ? `${words.changeOf(index + 1, changes.length)} · ${moment(change.op_time)} · ${change.operator} ${change.summary}`
          : words.noChange}
      </SliderOutput>
      <SliderTrack className="change-track">
        <SliderThumb className="change-thumb" />
      </SliderTrack>
    </Slider>
  )
}

import { useEffect, useState } from 'react'
import { type Departure, holdDepartures } from '../lib/unsaved-changes.ts'
import { Button } from './Button.tsx'
import { Dialog, DialogActions } from './Dialog.tsx'

export interface UnsavedWords {
  readonly title: string
  readonly text: string
  readonly stay: string
  readonly leave: string
  readonly close: string
}

/** Asks before something unsaved is left behind. Draw it while there is something unsaved. */
export function UnsavedChanges({ words }: { words: UnsavedWords }) {
  const [departure, setDeparture] = useState<{ resume: Departure } | null>(null)
  useEffect(() => holdDepartures((resume) => setDeparture({ resume })), [])
  if (!departure) return null
  const leave = () => {
    setDeparture(null)
    departure.resume()
  }
  return (
    <Dialog title={words.title} intro={words.text} closeLabel={words.close} onClose={() => setDeparture(null)}>
      <DialogActions>
        <Button tone="plain" onClick={leave}>
          {words.leave}
        </Button>
        <Button onClick={() => setDeparture(null)}>{words.stay}</Button>
      </DialogActions>
    </Dialog>
  )
}

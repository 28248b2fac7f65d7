import { useEffect } from 'react'
import { track } from '../../../lib/analytics.ts'

/** Tells analytics that packages are looked at, once they are there to be. */
export function usePackageView(areShown: boolean): void {
  useEffect(() => {
    if (areShown) track('view_boost_packages', {})
  }, [areShown])
}

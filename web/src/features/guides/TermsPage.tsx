import { GuidePage } from './GuidePage.tsx'

/** The terms that people accept when they register. */
export default function TermsPage() {
  return <GuidePage name="terms" isOrdered />
}

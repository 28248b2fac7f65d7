import { GuidePage } from './GuidePage.tsx'

export default function ReturnsPage() {
  return <GuidePage name="returns" />
}

import { GuidePage } from './GuidePage.tsx'

export default function BuyingGuidePage() {
  return <GuidePage name="buying" />
}

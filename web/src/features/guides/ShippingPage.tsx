import { GuidePage } from './GuidePage.tsx'

export default function ShippingPage() {
  return <GuidePage name="shipping" />
}

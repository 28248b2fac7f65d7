import { GuidePage } from './GuidePage.tsx'

export default function AboutPage() {
  return <GuidePage name="about" />
}

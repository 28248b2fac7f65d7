import { GuidePage } from './GuidePage.tsx'

export default function AuthenticationGuidePage() {
  return <GuidePage name="authenticity" />
}

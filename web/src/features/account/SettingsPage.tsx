import { useState } from 'react'
import { styled } from 'styled-components'
import { PersonLoader } from '../../profile/PersonLoader.tsx'
import { UnsavedProfile } from '../../profile/UnsavedProfile.tsx'
import { space } from '../../theme/theme.ts'
import { ConnectedAccounts } from './ConnectedAccounts.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { DetailsForm } from './DetailsForm.tsx'
import { DeviceNotices } from './DeviceNotices.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { TwoStepSignIn } from './TwoStepSignIn.tsx'

/** What somebody can change about their account, and how to close it. */
export default function SettingsPage() {
  const [hasNewDetails, setHasNewDetails] = useState(false)
  const [hasNewPassword, setHasNewPassword] = useState(false)
  return (
    <PersonLoader>
      {(person) => (
        <Parts>
          <DetailsForm person={person} onDirty={setHasNewDetails} />
          <PasswordForm person={person} onDirty={setHasNewPassword} />
          <TwoStepSignIn person={person} />
          <DeviceNotices userId={person.id} />
          <ConnectedAccounts person={person} />
          <DeleteAccount person={person} />
          {(hasNewDetails || hasNewPassword) && <UnsavedProfile />}
        </Parts>
      )}
    </PersonLoader>
  )
}

const Parts = styled.div`
  display: grid;
  gap: ${space(12)};
  max-width: 60rem;
  /* Above it is the line of the tabs. */
  & > :first-child { padding-top: 0; border-top: 0; }
`

import { Navigate } from 'react-router-dom'
import { useTranslation } from '../../lib/use-translation.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/use-session.ts'

/** `/profile` is a short way to the profile that everybody sees. */
export default function ProfileRedirectPage() {
  const { t } = useTranslation()
  const user = useUser()
  return (
    <>
      <p role="status">{t('profile.redirecting')}</p>
      {user && <Navigate to={paths.seller(user.id)} replace />}
    </>
  )
}

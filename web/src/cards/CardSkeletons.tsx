import { space } from '../theme/theme.ts'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Card, CardBody } from './Card.tsx'

/** So many cards before they come. */
export function CardSkeletons({ count }: { count: number }) {
  return Array.from({ length: count }, (_, place) => place).map((place) => (
    <Card key={place} aria-hidden>
      <Skeleton $ratio="4 / 5" />
      <CardBody>
        <Skeleton $height={space(4)} $width="40%" />
        <Skeleton $height={space(5)} $width="80%" />
        <Skeleton $height={space(4)} $width="60%" />
        <Skeleton $height={space(5)} $width="50%" />
      </CardBody>
    </Card>
  ))
}

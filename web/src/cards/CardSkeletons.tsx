import { styled } from 'styled-components'
import { color, radius } from '../theme/theme.ts'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Card, CardBody } from './Card.tsx'

/** So many cards before they come, each as high as a card whose name is on one line. */
export function CardSkeletons({ count }: { count: number }) {
  return Array.from({ length: count }, (_, place) => place).map((place) => (
    <Card key={place} aria-hidden>
      <Picture $ratio="4 / 5" />
      <CardBody>
        <Line $height="1.26rem" $width="40%" />
        <Line $height="1.48rem" $width="80%" />
        <Line $height="1.26rem" $width="60%" />
        <Line $height="1.26rem" $width="30%" />
        <Line $height="1.9rem" $width="40%" />
      </CardBody>
    </Card>
  ))
}

const Picture = styled(Skeleton)`
  background: ${color.ground};
  border-radius: ${radius.large};
`

/** As high as the line of words that will stand there, and its bar as high as their letters. */
const Line = styled(Skeleton)`
  padding: 4px 0;
  background-clip: content-box;
`

import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { Avatar } from '../ui/Avatar.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Countdown } from '../ui/Countdown.tsx'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { EmptyBottle } from '../ui/EmptyBottle.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { Facts } from '../ui/Facts.tsx'
import { FillGauge } from '../ui/FillGauge.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Pagination } from '../ui/Pagination.tsx'
import { Picture } from '../ui/Picture.tsx'
import { Price } from '../ui/Price.tsx'
import { ProgressBar } from '../ui/ProgressBar.tsx'
import { RowMenu } from '../ui/RowMenu.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Circle } from '../ui/Spinner.tsx'
import { Stars } from '../ui/Stars.tsx'
import { Stat, StatRow } from '../ui/Stat.tsx'
import { Status } from '../ui/Status.tsx'
import { Chapter, Columns, Row, Specimen } from './Specimen.tsx'

interface Sale {
  readonly id: number
  readonly name: string
  readonly state: 'Active' | 'Pending' | 'Removed'
  readonly bids: number
  readonly price: string
}

const sales: readonly Sale[] = [
  { id: 1, name: 'Oud Wood', state: 'Active', bids: 12, price: 'RM 620.00' },
  { id: 2, name: 'Baccarat Rouge 540 Extrait de Parfum', state: 'Pending', bids: 3, price: 'RM 1,180.50' },
  { id: 3, name: 'Jazz Club', state: 'Removed', bids: 0, price: 'RM 210.00' },
]

const tones = { Active: 'ok', Pending: 'warn', Removed: 'live' } as const

const columns: readonly Column<Sale>[] = [
  { key: 'name', head: 'Perfume', cell: (sale) => sale.name },
  { key: 'state', head: 'Status', cell: (sale) => <Status tone={tones[sale.state]}>{sale.state}</Status> },
  { key: 'bids', head: 'Bids', isNumber: true, cell: (sale) => sale.bids },
  { key: 'price', head: 'Price', isNumber: true, cell: (sale) => sale.price },
  {
    key: 'actions',
    head: 'Actions',
    isActions: true,
    isNumber: true,
    cell: (sale) => <RowMenu label={`Actions for ${sale.name}`} actions={[{ label: 'Edit', to: '/dev/ui' }]} />,
  },
]

const minuteMs = 60_000

/** What is looked at. */
export function DataParts() {
  const [query] = useSearchParams()
  const [amount, setAmount] = useState(620)
  const labels = { days: 'Days', hours: 'Hours', minutes: 'Minutes', seconds: 'Seconds' }
  return (
    <Chapter title="Facts and states">
      <Specimen name="FillGauge, our signature">
        <Row>
          {[100, 91, 72, 50, 18, 0].map((percentage) => (
            <FillGauge key={percentage} percentage={percentage} label={`${percentage}%`} />
          ))}
        </Row>
        <Row>
          <FillGauge percentage={72} label="72% full" size="large" />
        </Row>
      </Specimen>
      <Specimen name="Badge, Status, Stars, Avatar">
        <Row>
          {(['ink', 'live', 'ok', 'warn', 'accent'] as const).map((tone) => (
            <Badge key={tone} $tone={tone}>
              {tone}
            </Badge>
          ))}
        </Row>
        <Row>
          {(['ok', 'warn', 'live', 'muted'] as const).map((tone) => (
            <Status key={tone} tone={tone}>
              {tone}
            </Status>
          ))}
        </Row>
        <Row>
          {[5, 4.5, 3.3, 0].map((rating) => (
            <Stars key={rating} rating={rating} label={`${rating} of 5`} />
          ))}
        </Row>
        <Row>
          <Avatar src={null} name="sarah" />
          <Avatar src={null} name="hafiz" size="medium" />
          <Avatar src={null} name="mei" size="large" />
        </Row>
      </Specimen>
      <Specimen name="Price, Countdown">
        <Row>
          <Price amount={amount} />
          <Button size="small" tone="secondary" onClick={() => setAmount(amount + 10)}>
            A new bid
          </Button>
        </Row>
        <Row>
          <Countdown leftMs={1_563 * minuteMs} isUrgent={false} labels={labels} name="Ends in" />
          <Countdown leftMs={4.2 * minuteMs} isUrgent labels={labels} name="Ends in" />
        </Row>
      </Specimen>
      <Specimen name="Stat, ProgressBar, Facts, Notice">
        <StatRow>
          <Stat label="Sold" value="RM 12,480" note="14 bottles this month" />
          <Stat label="Active listings" value="23" />
          <Stat label="Rating" value="4.8" note="31 reviews" />
          <Stat label="Views" value="1,204" note="Up 12%" />
        </StatRow>
        <Columns>
          <ProgressBar label="Pictures" value={60} words="3 of 5" />
          <ProgressBar label="Done" value={100} words="5 of 5" />
          <ProgressBar label="Uploading" value={null} />
        </Columns>
        <Columns>
          <Facts
            facts={[
              { label: 'Products', value: 23 },
              { label: 'Location', value: 'Petaling Jaya' },
              { label: 'Member Since', value: 2024 },
            ]}
          />
          <Notice title="Good to know">Payment is agreed in chat.</Notice>
          <Notice tone="ok">Saved.</Notice>
          <Notice tone="warn" title="Almost over">
            Your boost ends today.
          </Notice>
          <Notice tone="live" title="Not sent">
            The server does not answer.
          </Notice>
        </Columns>
      </Specimen>
      <Specimen name="DataTable: filled and loading">
        <DataTable caption="Listings" columns={columns} rows={sales} keyOf={(sale) => sale.id} />
        <DataTable caption="Listings that load" columns={columns} rows={undefined} keyOf={() => 0} skeletons={2} />
      </Specimen>
      <Specimen name="Pagination">
        <Pagination
          page={Number(query.get('page') ?? 5)}
          pages={12}
          hrefOf={(page) => `?page=${page}`}
          labels={{ name: 'Pages', previous: 'Previous page', next: 'Next page', page: (page) => `Page ${page}` }}
        />
      </Specimen>
      <Specimen name="Picture, Skeleton, Spinner">
        <Columns>
          <Picture src="/nothing-here.webp" alt="A drawn bottle" tint="#c8b9a1" sizes="300px" />
          <Skeleton $ratio="4 / 5" />
          <Circle />
        </Columns>
      </Specimen>
      <Specimen name="EmptyState">
        <EmptyState
          heading="h3"
          icon={<EmptyBottle />}
          title="No products found"
          action={<Button tone="secondary">Reset</Button>}
        >
          Try adjusting your filters or search criteria
        </EmptyState>
      </Specimen>
    </Chapter>
  )
}

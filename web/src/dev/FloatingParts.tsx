import { Bell, Info, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Dialog, DialogActions } from '../ui/Dialog.tsx'
import { Drawer } from '../ui/Drawer.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Popover } from '../ui/Popover.tsx'
import { RowMenu } from '../ui/RowMenu.tsx'
import { SortMenu } from '../ui/SortMenu.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../ui/Tabs.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { showToast } from '../ui/toast-store.ts'
import { Chapter, Row, Specimen } from './Specimen.tsx'

const sorts = [
  { value: 'popular', label: 'Most Popular' },
  { value: 'rating', label: 'Highest Rated' },
  { value: 'price-asc', label: 'Price: Low to High' },
] as const

const sides = ['left', 'right', 'bottom'] as const

/** What opens above the page. */
export function FloatingParts() {
  const [sort, setSort] = useState<(typeof sorts)[number]['value']>('popular')
  const [open, setOpen] = useState<'dialog' | 'confirm' | null>(null)
  const [side, setSide] = useState<(typeof sides)[number]>('right')
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const close = () => setOpen(null)
  return (
    <Chapter title="Above the page">
      <Specimen name="SortMenu, RowMenu, Popover, Tooltip, IconButton">
        <Row>
          <SortMenu label="Sort by" value={sort} options={sorts} onChange={setSort} />
          <RowMenu
            label="Actions for Oud Wood"
            actions={[
              { label: 'Edit', icon: <Pencil size={16} strokeWidth={1.5} />, to: '/dev/ui' },
              { label: 'Boost', onSelect: () => {}, disabled: true },
              {
                label: 'Delete',
                icon: <Trash2 size={16} strokeWidth={1.5} />,
                tone: 'danger',
                onSelect: () => setOpen('confirm'),
              },
            ]}
          />
          <Popover
            title="Verified Seller"
            trigger={
              <Button tone="secondary" size="small">
                <Info size={16} strokeWidth={1.5} aria-hidden />
                What is this?
              </Button>
            }
          >
            At least five delivered orders, and everything else that makes a seller one to trust.
          </Popover>
          <Tooltip words="Notify me">
            <IconButton aria-label="Notify me">
              <Bell size={20} strokeWidth={1.5} aria-hidden />
            </IconButton>
          </Tooltip>
          <IconButton aria-label="Disabled" disabled>
            <Bell size={20} strokeWidth={1.5} aria-hidden />
          </IconButton>
        </Row>
      </Specimen>
      <Specimen name="Dialog, Confirm, Drawer, Toast">
        <Row>
          <Button tone="secondary" onClick={() => setOpen('dialog')}>
            Dialog
          </Button>
          <Button tone="secondary" onClick={() => setOpen('confirm')}>
            Confirm
          </Button>
          {sides.map((each) => (
            <Button
              key={each}
              tone="secondary"
              onClick={() => {
                setSide(each)
                setDrawerOpen(true)
              }}
            >
              Drawer {each}
            </Button>
          ))}
          <Button
            tone="secondary"
            onClick={() => showToast({ title: 'Profile updated', description: 'Buyers see it at once.' })}
          >
            Toast
          </Button>
          <Button
            tone="secondary"
            onClick={() =>
              showToast({
                title: 'Update failed',
                description: 'Failed to update profile. Please try again.',
                tone: 'destructive',
                action: { label: 'Try Again', onAct: () => {} },
              })
            }
          >
            Toast of an error
          </Button>
        </Row>
      </Specimen>
      <Specimen name="Tabs">
        <TabGroup defaultValue="featured">
          <TabList>
            <Tab value="featured">Featured</Tab>
            <Tab value="active">Active</Tab>
            <Tab value="sold">Sold</Tab>
          </TabList>
          <TabPanel value="featured">The boosted first.</TabPanel>
          <TabPanel value="active">All that can be bought.</TabPanel>
          <TabPanel value="sold">What others have now.</TabPanel>
        </TabGroup>
      </Specimen>
      {open === 'dialog' && (
        <Dialog title="Edit Profile" intro="What buyers see of you." closeLabel="Close" onClose={close}>
          <DialogActions>
            <Button tone="plain" onClick={close}>
              Cancel
            </Button>
            <Button onClick={close}>Save</Button>
          </DialogActions>
        </Dialog>
      )}
      {open === 'confirm' && (
        <Confirm
          title="Delete this listing?"
          words="Its pictures go with it. This cannot be undone."
          confirmLabel="Delete"
          cancelLabel="Keep it"
          onConfirm={close}
          onCancel={close}
        />
      )}
      <Drawer
        isOpen={isDrawerOpen}
        side={side}
        title="Filters"
        closeLabel="Close"
        onClose={() => setDrawerOpen(false)}
        footer={<Button onClick={() => setDrawerOpen(false)}>Apply</Button>}
      >
        What has no room beside the list.
      </Drawer>
    </Chapter>
  )
}

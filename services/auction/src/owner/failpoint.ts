import type { OwnerPorts } from './owner.ts'

/** The hook that kills this process, as kill -9 would, around the commit of a given batch. Nothing without a failpoint. */
export function failpointOf(
  failpoint: { where: 'before_commit' | 'after_commit'; batchNumber: number } | undefined,
): Pick<OwnerPorts, 'failpoint'> {
  if (failpoint === undefined) return {}
  return {
    failpoint: (where, batchNumber) => {
      if (where === failpoint.where && batchNumber === failpoint.batchNumber) process.kill(process.pid, 'SIGKILL')
    },
  }
}

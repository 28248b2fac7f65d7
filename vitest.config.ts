import { configDefaults, defineConfig } from 'vitest/config'

/** Fault tests that promise no time, or seconds for what takes hundredths of one: they may run beside others. */
const untimedFaults = [
  'boosts',
  'copies',
  'deals',
  'messages',
  'nats-cluster',
  'owners-at-once',
  'read-models',
  'removal',
  'restore',
].map((name) => `infra/faults/${name}.fault.ts`)
/** Tests that promise a time: nothing may run beside them. */
const timed = ['services/*/src/**/*-speed.test.ts']
/** Files share what they import, which saves a quarter of the processor's time. Each has its own database and subjects in any case. */
const onSharedServers = {
  globalSetup: './infra/test/global-setup.ts',
  isolate: false,
  // What is measured is measured in the tests. These end what hangs, on a machine that others use as well.
  testTimeout: 60_000,
  hookTimeout: 60_000,
}
/** Each starts a system of its own and kills its processes. */
const faults = { fileParallelism: false, isolate: false, testTimeout: 180_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // Two cores are what the smallest machine that we support has; more workers would only make timings wobble.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit-integration',
          include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'infra/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...timed],
          ...onSharedServers,
        },
      },
      { test: { name: 'faults', include: untimedFaults, sequence: { groupOrder: 1 }, ...faults } },
      {
        test: {
          // They measure how long others need to take over.
          name: 'timed-faults',
          include: ['infra/faults/**/*.fault.ts'],
          exclude: untimedFaults,
          sequence: { groupOrder: 2 },
          ...faults,
        },
      },
      { test: { name: 'timed', include: timed, sequence: { groupOrder: 3 }, ...onSharedServers } },
      './web/vitest.config.ts',
    ],
  },
})

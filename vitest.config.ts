import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Two cores are what the smallest machine that we support has; more workers would only make timings wobble.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit-integration',
          include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'infra/**/*.test.ts'],
          globalSetup: './infra/test/global-setup.ts',
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['infra/faults/**/*.fault.ts'],
          // They kill processes and measure how long others need to take over.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      './web/vitest.config.ts',
    ],
  },
})

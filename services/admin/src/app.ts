import type { App } from '@wangian/kit/http/http.ts'
import { createRateLimiter } from '@wangian/kit/http/rate-limit.ts'
import { type AppSurroundings, createServiceApp } from '@wangian/kit/service/service-app.ts'
import { addCommandRoutes, type CommandDependencies } from './commands/command-routes.ts'
import { addPeopleRoutes, type PeopleDependencies } from './people/people-routes.ts'
import { type ActivityDependencies, addActivityRoutes } from './record/activity-routes.ts'
import { addSystemRoutes, type SystemDependencies } from './system/system-routes.ts'
import { addTableRoutes, type TableDependencies } from './tables/table-routes.ts'
import { addTimelineRoutes, type TimelineDependencies } from './timeline/timeline-routes.ts'

/** Of one administrator: tables cost more than what people read elsewhere. */
const CALLS_PER_MINUTE_MAX = 300

export interface AppDependencies
  extends TableDependencies,
    PeopleDependencies,
    CommandDependencies,
    ActivityDependencies,
    TimelineDependencies,
    SystemDependencies,
    AppSurroundings {}

/** The service's HTTP side; it does not listen. */
export function buildApp(dependencies: AppDependencies): App {
  const app = createServiceApp('admin', dependencies)
  const calls = createRateLimiter(app, { limit: CALLS_PER_MINUTE_MAX, windowMs: 60_000 })
  app.addHook('preHandler', async ({ caller }) => {
    if (caller !== null) calls.take(caller.id)
  })
  addTableRoutes(app, dependencies)
  addPeopleRoutes(app, dependencies)
  addCommandRoutes(app, dependencies)
  addActivityRoutes(app, dependencies)
  addTimelineRoutes(app, dependencies)
  addSystemRoutes(app, dependencies)
  return app
}

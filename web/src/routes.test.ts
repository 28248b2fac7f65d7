import { pagePaths } from '@wangian/contracts/page-paths.ts'
import { createRoutesFromElements, type RouteObject } from 'react-router-dom'
import { expect, it } from 'vitest'
import { mapOfApp } from './routes.tsx'

function pathsOf(routes: readonly RouteObject[], above: string): readonly string[] {
  return routes.flatMap(({ path, index, children }) => {
    const here = path === undefined ? above : `${above.replace(/\/$/, '')}/${path}`
    return children ? pathsOf(children, here) : index || path !== '*' ? [here] : []
  })
}

it('has a page for every path that is answered as one, and for no other', () => {
  const routes = createRoutesFromElements(mapOfApp())
  expect(pathsOf(routes, '/').toSorted()).toEqual(pagePaths.toSorted())
})

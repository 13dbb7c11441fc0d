import { frontPage } from './front-page.ts';
import { serveGateway } from './gateway/gateway.ts';
import type { Port } from './open-port.ts';

type Options = Omit<Parameters<typeof serveGateway>[1], 'front'> & { front: Parameters<typeof frontPage>[0] };

/** Serves the API with a front page, and the dashboard, whose API and port are its own. */
export function serveApis(
  { gateway, dashboard }: { gateway: Port; dashboard: Port },
  { blueprint, front, ...common }: Options,
): void {
  serveGateway(gateway.server, {
    ...common,
    front: frontPage(front),
    blueprint: apiIn(blueprint, (api) => !isDashboard(api)),
  });
  serveGateway(dashboard.server, { ...common, blueprint: apiIn(blueprint, isDashboard) });
}

const isDashboard = (api: string) => api.endsWith('-dashboard');

function apiIn({ routes, gatewayResponses }: Options['blueprint'], isWanted: (api: string) => boolean) {
  return {
    routes: routes.filter(({ api }) => isWanted(api)),
    gatewayResponses: gatewayResponses.filter(({ RestApiId = '' }) => isWanted(RestApiId)),
  };
}

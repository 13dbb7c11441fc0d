import { readableHeaders } from '../shared/http/cross-origin.ts';
import { type Facts, frontPage } from './front-page.ts';
import { type GatewayOptions, serveGateway } from './gateway/gateway.ts';
import type { Port } from './open-port.ts';

type Options = Omit<GatewayOptions, 'front'> & {
  front: Facts;
};

/** Serves the API with a front page, and the dashboard, whose API and port are its own. */
export function serveApis(
  { gateway, dashboard }: { gateway: Port; dashboard: Port },
  { blueprint, front, ...common }: Options,
): void {
  serveGateway(gateway.server, {
    ...common,
    front: frontPage(front),
    blueprint: readableBy(
      front.dashboardUrl,
      apiIn(blueprint, (api) => !isDashboard(api)),
    ),
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

const PREFIX = 'gatewayresponse.header.';

/** A template knows the dashboard's address only where it has a domain, so it is added as a stage would. */
function readableBy(dashboardUrl: string, { routes, gatewayResponses }: ReturnType<typeof apiIn>) {
  return {
    routes,
    gatewayResponses: gatewayResponses.map((it) => {
      const names = Object.keys(it.ResponseParameters).map((name) => name.replace(PREFIX, ''));
      const readable = Object.entries(readableHeaders(dashboardUrl, names));
      const added = Object.fromEntries(readable.map(([name, value]) => [PREFIX + name, `'${value}'`]));
      return { ...it, ResponseParameters: { ...it.ResponseParameters, ...added } };
    }),
  };
}

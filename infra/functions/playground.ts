import type { Stage } from '../stages.ts';

/** The URL of the dashboard, if the stage sets it: its playground may then call the API from a browser. */
export function playgroundVariables({ dashboardDomain, dashboardUrl }: Stage) {
  const url = dashboardDomain ? `https://${dashboardDomain.name}` : dashboardUrl;
  return url === undefined ? {} : { DASHBOARD_URL: url };
}

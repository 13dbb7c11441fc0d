import * as compose from '../../shared/adapters/compose.ts';
import { readEnv } from '../../shared/config.ts';
import { dashboardFunction } from './serve.ts';

const config = readEnv('dashboard');
const { log, basics } = compose.basicsOf('dashboard', config);
const fx = {
  ...basics,
  ...compose.workOf(config),
  ...compose.resultsOf(config),
  ...compose.vaultOf(config),
  ...compose.peopleOf(config),
  ...compose.apiOf(config),
  dashboardUrl: config.DASHBOARD_URL,
  examplePage: config.DEMO_PAGE,
  signUpPolicy: config.SIGN_UP,
  webhookUrls: { allow: config.EGRESS_ALLOW, refuse: [new URL(config.API_URL).hostname] },
};

export const handler = dashboardFunction(fx, log);

import { z } from 'zod';
import { isCountry } from './country.ts';
import { traits } from './field-traits.ts';

const COUNTRY_CODE = 'expected an ISO 3166 country code of two letters';

/** The fields that need `premium_proxy`. */
export const withPremiumProxy = {
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2}$/, COUNTRY_CODE)
    .toUpperCase()
    .refine(isCountry, COUNTRY_CODE)
    .optional()
    .describe('ISO 3166 alpha-2 code of the country that requests come from. Only with `premium_proxy`.')
    .meta({ examples: ['DE'] }),
  session_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters of the alphabet, digits, - and _')
    .optional()
    .describe('Keeps the same exit address for 10 minutes. Only with `premium_proxy`.')
    .register(traits, { secret: true }),
};

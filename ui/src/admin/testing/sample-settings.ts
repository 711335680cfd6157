/** Settings for tests: the defaults of the contract, and what tests look for. Must never hold a real newsroom's data. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';

interface Contract {
  components: { schemas: Record<string, { properties?: Record<string, { default?: unknown }> }> };
}

const contract: Contract = JSON.parse(readFileSync(resolve('openapi.json'), 'utf8'));

function defaultsOf(schema: 'Security' | 'Email' | 'System'): object {
  const fields = Object.entries(contract.components.schemas[schema]?.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, field.default]));
}

export const sampleSecurity = (changes: Partial<Security> = {}): Security => ({
  ...(defaultsOf('Security') as Security),
  forbiddenWords: 'avvocato, avvocati',
  ...changes,
});

type Email = EmailSettings & { [field: `dept_${string}`]: string };

export const sampleEmail = (changes: Partial<Email> = {}): Email => ({
  ...(defaultsOf('Email') as EmailSettings),
  emailRecipient: 'redazione@esempio.example',
  emailFrom: 'posta@esempio.example',
  smtpHost: 'smtp.esempio.example',
  smtpUsername: 'posta',
  smtpPassword: null,
  smtpPasswordSet: true,
  dept_corruzione_email: 'politica@esempio.example',
  dept_sanita_email: '',
  ...changes,
});

export const sampleSystem = (changes: Partial<SystemSettings> = {}): SystemSettings => ({
  ...(defaultsOf('System') as SystemSettings),
  productName: 'Prova',
  assistantName: 'Prova',
  organizationName: 'Redazione',
  darkMode: false,
  quickExitUrl: 'https://meteo.example/',
  replyTemplates: 'Grazie, la stiamo leggendo.\n\nQuando è successo?',
  privacyNotice: 'I tuoi dati servono solo alla redazione.',
  webhookApiKey: null,
  webhookApiKeySet: false,
  webhookSecretSet: false,
  ...changes,
});

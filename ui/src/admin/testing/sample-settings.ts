/** Settings for tests, much as a new installation has them. Must never hold a real newsroom's data. */
import type { Security, System } from '../../shared/api/schema';

export function sampleSecurity(changes: Partial<Security> = {}): Security {
  return {
    maxReportsPerDay: 100,
    enableRateLimiting: true,
    sessionTimeout: 60,
    allowedIPs: '',
    enableLogging: true,
    minReportLength: 70,
    minWordCount: 10,
    forbiddenWords: 'avvocato, avvocati',
    enableNotifications: true,
    autoArchiveDays: 30,
    logRetentionDays: 30,
    ...changes,
  };
}

export function sampleSystem(changes: Partial<System> = {}): System {
  return {
    productName: 'Prova',
    assistantName: 'Prova',
    organizationName: 'Redazione',
    logoUrl: '',
    primaryColor: '#2563eb',
    darkMode: false,
    backupFrequency: 'weekly',
    privacyNotice: 'I tuoi dati servono solo alla redazione.',
    privacyUrl: '',
    enableWebhook: false,
    webhookUrl: '',
    webhookPayload: 'full',
    ...changes,
  };
}

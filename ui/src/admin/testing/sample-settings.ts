/** Settings for tests, much as a new installation has them. Must never hold a real newsroom's data. */
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';

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
    acceptOtherPhones: false,
    enableNotifications: true,
    autoArchiveDays: 30,
    logRetentionDays: 30,
    reportRetentionDays: 0,
    sharedPassword: true,
    requireSecondFactor: false,
    ...changes,
  };
}

export function sampleEmail(changes: Partial<EmailSettings> = {}): EmailSettings {
  return {
    emailRecipient: 'redazione@esempio.example',
    emailFrom: 'posta@esempio.example',
    emailSubject: 'Nuova segnalazione: {department}, {date}',
    emailAutoSend: true,
    emailContent: 'completa',
    replyNotice: true,
    confirmationMail: false,
    smtpHost: 'smtp.esempio.example',
    smtpPort: 587,
    smtpUsername: 'posta',
    smtpSecure: true,
    smtpPassword: null,
    smtpPasswordSet: true,
    enableDepartmentRouting: true,
    routingMode: 'smart',
    routingThreshold: 40,
    emailFallback: '',
    dept_corruzione_email: 'politica@esempio.example',
    dept_corruzione_keywords: 'sindaco, appalto',
    dept_sanita_email: '',
    dept_sanita_keywords: 'ospedale',
    dept_lavoro_email: '',
    dept_lavoro_keywords: 'stipendio',
    dept_scuola_email: '',
    dept_scuola_keywords: 'scuola',
    dept_ambiente_email: '',
    dept_ambiente_keywords: 'rifiuti',
    dept_criminalita_email: '',
    dept_criminalita_keywords: 'furto',
    ...changes,
  };
}

export function sampleSystem(changes: Partial<SystemSettings> = {}): SystemSettings {
  return {
    productName: 'Prova',
    assistantName: 'Prova',
    organizationName: 'Redazione',
    logoUrl: '',
    primaryColor: '#2563eb',
    darkMode: false,
    deviceTheme: false,
    quickExit: true,
    quickExitUrl: 'https://meteo.example/',
    embedOrigins: '',
    attachmentsEnabled: true,
    attachmentMaxMb: 200,
    attachmentsPerReport: 10,
    attachmentsTotalGb: 20,
    receiptsEnabled: true,
    replyTemplates: 'Grazie, la stiamo leggendo.\n\nQuando è successo?',
    backupFrequency: 'weekly',
    privacyNotice: 'I tuoi dati servono solo alla redazione.',
    privacyUrl: '',
    enableWebhook: false,
    webhookUrl: '',
    webhookPayload: 'full',
    webhookApiKey: null,
    webhookApiKeySet: false,
    webhookSecretSet: false,
    ...changes,
  };
}

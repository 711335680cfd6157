/** A callout of these tests, with a question of every kind. */

const option = (key: string, text: string, next: string | null = null) => ({ key, text, next });

export const beds = {
  slug: 'posti-letto',
  title: 'Avete pagato per un posto letto?',
  intro: 'Chi cerca una stanza paga anche solo per vederla.\nPuoi rispondere anche senza dire chi sei.',
  closedText: 'L’inchiesta è finita: grazie a chi ha scritto.',
  attachments: true,
  personal: { email: 'optional' },
  questions: [
    {
      key: 'dove',
      kind: 'choice',
      text: 'Dove è successo?',
      required: true,
      options: [
        option('milano', 'Milano'),
        option('roma', 'Roma'),
        option('altrove', 'In un’altra città', 'come'),
        option('mai', 'A me non è successo', 'end:Grazie lo stesso.'),
      ],
    },
    {
      key: 'chi',
      kind: 'choices',
      text: 'Chi ha chiesto i soldi?',
      options: [
        option('agenzia', 'Un’agenzia'),
        option('padrone', 'Il proprietario, o chi per lui'),
        option('online', 'Qualcuno trovato online'),
      ],
    },
    { key: 'quanto', kind: 'number', text: 'Quanto hai pagato al mese?', min: 1, max: 5000 },
    { key: 'quando', kind: 'date', text: 'Quando hai pagato la prima volta?' },
    { key: 'ricevuta', kind: 'yes_no', text: 'Hai una ricevuta?' },
    { key: 'come', kind: 'text', text: 'Come hai pagato?', required: true, max: 60 },
  ],
};

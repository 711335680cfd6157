import { expect, it } from 'vitest';
import { ApiProblem } from '../../shared/api/errors';
import { eventOf } from './talk';

it('leaves the box open with the sentence where a file is gone', () => {
  const type = 'urn:segnalazioni:problem:allegato-mancante';
  const detail = 'prova.png non c’è più: allegalo di nuovo.';
  const event = eventOf(new ApiProblem({ status: 409, type, detail }));
  expect(event).toEqual({ type: 'failed', failure: detail, lost: false });
});

it.each([
  [{ status: 409, detail: 'Già inviata.' }, 'Già inviata.'],
  [{ status: 409 }, 'La redazione ha già ricevuto questa segnalazione.'],
])('closes the chat with words where the report is there already: %j', (problem, note) => {
  expect(eventOf(new ApiProblem(problem))).toEqual({ type: 'closed', note });
});

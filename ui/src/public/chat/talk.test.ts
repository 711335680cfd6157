import { expect, it } from 'vitest';
import { ApiProblem } from '../../shared/api/errors';
import { eventOf } from './talk';

it.each([
  [{ status: 409, detail: 'Già inviata.' }, 'Già inviata.'],
  [{ status: 409 }, 'La redazione ha già ricevuto questa segnalazione.'],
])('closes the chat with words where the report is there already: %j', (problem, note) => {
  expect(eventOf(new ApiProblem(problem))).toEqual({ type: 'closed', note });
});

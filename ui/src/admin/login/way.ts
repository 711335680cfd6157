/** By which way one logs in on this browser: with a user name, or the shared password. Must never keep a name. */
import { openStore, readJson, writeJson } from '../../shared/lib/storage';

const KEY = 'segnalazioni_accesso_personale';

export const rememberedWay = (): boolean => readJson(openStore('localStorage'), KEY) === true;

/** Where it cannot be kept, the way is chosen again the next time. */
export function rememberWay(personal: boolean): void {
  writeJson(openStore('localStorage'), KEY, personal);
}

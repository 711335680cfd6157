/** By which way one logs in on this browser: with a user name, or the shared password. Must never keep a name. */
import { ownKey } from '../../shared/lib/boot';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';

const key = () => ownKey('accesso_personale');

export const rememberedWay = (): boolean => readJson(openStore('localStorage'), key()) === true;

/** Where it cannot be kept, the way is chosen again the next time. */
export function rememberWay(personal: boolean): void {
  writeJson(openStore('localStorage'), key(), personal);
}

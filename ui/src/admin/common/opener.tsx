import { type ComponentType, useEffect, useState } from 'react';
import { NetworkError } from '../../shared/api/errors';
import { Button, type ButtonProps } from '../../shared/ui/button';
import { Failure, useAction } from './action';

interface OpenerProps<Props> extends Omit<ButtonProps, 'onClick'> {
  load: () => Promise<{ default: ComponentType<Props & { onClose: () => void }> }>;
  props: Props;
}

/** Opens a dialog that is a part of the program of its own. Without it the page stays, with what is typed on it. */
export function Opener<Props extends object>({ load, props, ...button }: OpenerProps<Props>) {
  const [Dialog, setDialog] = useState<ComponentType<Props & { onClose: () => void }> | null>(null);
  const action = useAction();
  // It is loaded in advance, as browsers never ask again for a part that once failed to come. If it fails, the click says so.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => void load().catch(() => undefined), []);
  const open = async () => {
    const part = await load().catch((error: unknown) => {
      throw new NetworkError(false, error);
    });
    setDialog(() => part.default);
  };
  return (
    <>
      <Button {...button} inactive={action.busy} onClick={() => void action.run(open)} />
      {Dialog ? <Dialog {...props} onClose={() => setDialog(null)} /> : null}
      <Failure of={action} title="Non si apre" />
    </>
  );
}

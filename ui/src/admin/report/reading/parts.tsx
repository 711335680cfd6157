/** The parts that are shared by the views of a file and of the files within it. */
import { type ComponentType, createContext, useContext, useState } from 'react';
import { sizeOf } from '../../../shared/lib/file-size';
import { saveFile } from '../../../shared/lib/save-file';
import { Button, type ButtonProps } from '../../../shared/ui/button';
import { Row, Text } from '../../../shared/ui/layout';
import { Spinner } from '../../../shared/ui/spinner';
import { useAction } from '../../common/action';
import { faultOf } from '../../common/errors';
import { typeOf } from './kinds';
import { shownName } from './text';
import { useMade } from './use-made';

/** Files within files within files: what lies deeper is handed out. */
const DEEPEST = 3;
/** Characters of a text at a time. */
const CHARACTERS = 100_000;

export interface ContentProps {
  name: string;
  /** Empty for what cannot be shown. */
  type: string;
  blob: Blob;
  /** How many files it lies within. */
  depth: number;
}

/** The view of a file that lies within another. */
export const Showing = createContext<ComponentType<ContentProps>>(() => null);

export function Wait() {
  return (
    <Text role="status">
      <Spinner /> Apro il file…
    </Text>
  );
}

export function Trouble({ failure }: { failure: unknown }) {
  return (
    <Text tone="danger" role="alert">
      {faultOf(failure).text}
    </Text>
  );
}

/** Draws more of what is long. */
export function More(button: Pick<ButtonProps, 'onClick' | 'children'>) {
  return (
    <Row>
      <Button variant="secondary" {...button} />
    </Row>
  );
}

export function LongText({ children }: { children: string }) {
  const [shown, setShown] = useState(CHARACTERS);
  return (
    <>
      <Text kept>{children.slice(0, shown)}</Text>
      {children.length > shown ? (
        <More onClick={() => setShown(shown + CHARACTERS)}>Mostra il seguito</More>
      ) : null}
    </>
  );
}

export interface InnerProps {
  name: string;
  /** Bytes. */
  size: number;
  /** Takes it out of what it lies within. */
  file: () => Promise<Blob>;
  /** How many files it lies within. */
  depth: number;
}

/** A file that lies within another: opened here, or handed out. */
export function Inner({ name, size, file, depth }: InnerProps) {
  const [open, setOpen] = useState(false);
  const saving = useAction();
  const shown = shownName(name);
  const save = async () => saveFile(new Blob([await file()]), shown);
  return (
    <>
      <Row gap={2} justify="between">
        <Text as="span">
          {shown} <small>{sizeOf(size)}</small>
        </Text>
        <Row gap={2}>
          {typeOf(shown) !== '' && depth <= DEEPEST ? (
            <Button variant="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Chiudi' : 'Apri'}
              <span className="visually-hidden"> {shown}</span>
            </Button>
          ) : null}
          <Button variant="quiet" inactive={saving.busy} onClick={() => void saving.run(save)}>
            Scarica<span className="visually-hidden"> {shown}</span>
          </Button>
        </Row>
      </Row>
      {saving.failure ? <Trouble failure={saving.failure} /> : null}
      {open ? <Opened name={shown} file={file} depth={depth} /> : null}
    </>
  );
}

const taken = (file: () => Promise<Blob>) => file();

export function Opened({ name, file, depth }: Omit<InnerProps, 'size'>) {
  const [from] = useState(() => file);
  const { made, failure } = useMade(taken, from);
  const Content = useContext(Showing);
  if (failure !== undefined) {
    return <Trouble failure={failure} />;
  }
  return made ? <Content name={name} type={typeOf(name)} blob={made} depth={depth} /> : <Wait />;
}

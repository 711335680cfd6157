import { useState } from 'react';
import { sizeOf } from '../../../shared/lib/file-size';
import { Button } from '../../../shared/ui/button';
import { Row, Stack, Text } from '../../../shared/ui/layout';
import { openFile } from '../../common/downloads';
import { Content } from './content';
import { typeOf } from './kinds';
import { Showing, Trouble, Wait } from './parts';
import styles from './reading.module.css';
import { useMade } from './use-made';

/** Larger files are fetched when that is asked for: 25 MB. */
const ASK_BYTES = 25_000_000;

interface Props {
  name: string;
  type: string;
  size: number;
  address: string;
}

/** A file of words, made readable on this page from the bytes that the server opens. */
export default function Reading({ name, type, size, address }: Props) {
  const [wanted, setWanted] = useState(size <= ASK_BYTES);
  return (
    // It scrolls, so it must be reached by keyboard.
    <Stack as="section" className={styles.reading} tabIndex={0} aria-label="Contenuto">
      {wanted ? (
        <Fetched name={name} type={type} address={address} />
      ) : (
        <>
          <Text>Questo file è grande ({sizeOf(size)}): leggerlo qui può richiedere qualche minuto.</Text>
          <Row>
            <Button variant="secondary" onClick={() => setWanted(true)}>
              Leggilo qui
            </Button>
          </Row>
        </>
      )}
    </Stack>
  );
}

const fetched = async (address: string, signal: AbortSignal) => (await openFile(address, signal)).blob();

function Fetched({ name, type, address }: Omit<Props, 'size'>) {
  const { made, failure } = useMade(fetched, address);
  // The server takes a mail without the usual headers for a text.
  const shown = type === 'text/plain' ? typeOf(name) || type : type;
  if (failure !== undefined) {
    return <Trouble failure={failure} />;
  }
  return made ? (
    <Showing value={Content}>
      <Content name={name} type={shown} blob={made} depth={0} />
    </Showing>
  ) : (
    <Wait />
  );
}

import menu from '../../shared/ui/menu.module.css';
import { SelectField } from '../../shared/ui/select';
import styles from './section-menu.module.css';
import { SECTIONS, type Section, type SectionKey } from './sections';

interface SectionMenuProps {
  current: SectionKey;
  onChoose: (key: SectionKey) => void;
  noteOf: (section: Section) => 'da correggere' | 'modificata' | null;
}

export function SectionMenu({ current, onChoose, noteOf }: SectionMenuProps) {
  const entries = SECTIONS.map((section) => ({ ...section, note: noteOf(section) }));
  return (
    <>
      <nav className={styles.menu} aria-label="Sezioni delle frasi">
        <ul>
          {entries.map(({ key, label, note }) => (
            <li key={key}>
              <button
                type="button"
                className={menu.item}
                aria-current={key === current || undefined}
                onClick={() => onChoose(key)}
              >
                <span>{label}</span>
                {note ? (
                  <span
                    className={styles.mark}
                    data-wrong={note === 'da correggere' || undefined}
                    title={note}
                  >
                    <span className="visually-hidden">({note})</span>
                  </span>
                ) : null}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.choice}>
        <SelectField
          label="Sezione"
          value={current}
          options={entries.map(({ key, label, note }) => ({
            value: key,
            label: note ? `${label} (${note})` : label,
          }))}
          onValue={onChoose}
        />
      </div>
    </>
  );
}

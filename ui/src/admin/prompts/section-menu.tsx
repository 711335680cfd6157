import { Select } from '../../shared/ui/select';
import styles from './section-menu.module.css';
import { SECTIONS, type Section, type SectionKey } from './sections';

interface SectionMenuProps {
  current: SectionKey;
  onChoose: (key: SectionKey) => void;
  /** Sections with changes that are not saved. */
  changed: (section: Section) => boolean;
  /** Sections with a text that cannot be saved as it is. */
  wrong: (section: Section) => boolean;
}

/** The sections: a menu at the side, a list to choose from where there is no side. */
export function SectionMenu({ current, onChoose, changed, wrong }: SectionMenuProps) {
  const noteOf = (section: Section) =>
    wrong(section) ? 'da correggere' : changed(section) ? 'modificata' : null;
  return (
    <>
      <nav className={styles.menu} aria-label="Sezioni delle frasi">
        <ul>
          {SECTIONS.map((section) => {
            const note = noteOf(section);
            return (
              <li key={section.key}>
                <button
                  type="button"
                  className={styles.item}
                  aria-current={section.key === current || undefined}
                  onClick={() => onChoose(section.key)}
                >
                  <span>{section.label}</span>
                  {note ? (
                    <span className={styles.mark} data-wrong={wrong(section) || undefined} title={note}>
                      <span className="visually-hidden">({note})</span>
                    </span>
                  ) : null}
                </button>
              </li>
            );
          })}
        </ul>
      </nav>
      <div className={styles.choice}>
        <label htmlFor="sezione">Sezione</label>
        <Select
          id="sezione"
          value={current}
          options={SECTIONS.map((section) => {
            const note = noteOf(section);
            return { value: section.key, label: note ? `${section.label} (${note})` : section.label };
          })}
          onValue={onChoose}
        />
      </div>
    </>
  );
}

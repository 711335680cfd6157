-- The department that a report belongs to; those received before there was routing belong to the fallback.
ALTER TABLE segnalazioni ADD COLUMN department TEXT NOT NULL DEFAULT 'generale' CHECK (department IN
    ('corruzione', 'sanita', 'lavoro', 'scuola', 'ambiente', 'criminalita', 'generale'));

-- Reports by department, kept by triggers as `counters` are.
CREATE TABLE department_counts (
    department TEXT    NOT NULL PRIMARY KEY,
    n          INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO department_counts (department, n) VALUES
    ('corruzione', 0), ('sanita', 0), ('lavoro', 0), ('scuola', 0), ('ambiente', 0), ('criminalita', 0), ('generale', 0);
UPDATE department_counts SET n = (SELECT count(*) FROM segnalazioni) WHERE department = 'generale';

CREATE TRIGGER segnalazioni_routed AFTER INSERT ON segnalazioni BEGIN
    UPDATE department_counts SET n = n + 1 WHERE department = NEW.department;
END;
CREATE TRIGGER segnalazioni_rerouted AFTER UPDATE OF department ON segnalazioni WHEN OLD.department <> NEW.department BEGIN
    UPDATE department_counts SET n = n - 1 WHERE department = OLD.department;
    UPDATE department_counts SET n = n + 1 WHERE department = NEW.department;
END;
CREATE TRIGGER segnalazioni_unrouted AFTER DELETE ON segnalazioni BEGIN
    UPDATE department_counts SET n = n - 1 WHERE department = OLD.department;
END;

-- The history takes changes of department.
CREATE TABLE history_anew (
    id     INTEGER NOT NULL PRIMARY KEY,
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    kind   TEXT    NOT NULL CHECK (kind IN ('stato', 'note', 'esportata', 'reparto')),
    da     TEXT,
    a      TEXT
) STRICT;
INSERT INTO history_anew (id, report, at, kind, da, a) SELECT id, report, at, kind, da, a FROM history;
DROP TABLE history;
ALTER TABLE history_anew RENAME TO history;
CREATE INDEX history_report ON history (report, id);

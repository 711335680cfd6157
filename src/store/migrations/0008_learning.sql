-- Reports that staff moved to another department than they arrived in: what routing learns from. The text is the report's
-- own, sealed there, and the answer is its department, so that nothing of a correction outlives its report.
CREATE TABLE corrections (
    report TEXT    NOT NULL PRIMARY KEY REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX corrections_at ON corrections (at);

-- What was learnt, the newest in force. Sealed, because weights tell of the texts that they were made of.
CREATE TABLE routing_heads (
    version     INTEGER NOT NULL PRIMARY KEY,
    made        INTEGER NOT NULL,
    corrections INTEGER NOT NULL CHECK (corrections >= 0),
    epoch       INTEGER NOT NULL REFERENCES epochs (id),
    head        BLOB    NOT NULL
) STRICT;
CREATE INDEX routing_heads_epoch ON routing_heads (epoch);

-- Which corrections a head learnt, as they were then.
CREATE TABLE routing_lessons (
    version    INTEGER NOT NULL REFERENCES routing_heads (version) ON DELETE CASCADE,
    report     TEXT    NOT NULL,
    department TEXT    NOT NULL,
    PRIMARY KEY (version, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX routing_lessons_report ON routing_lessons (report);

-- What learnt from a report goes with it.
CREATE TRIGGER segnalazioni_unlearnt AFTER DELETE ON segnalazioni BEGIN
    DELETE FROM routing_heads WHERE version IN (SELECT version FROM routing_lessons WHERE report = OLD.id);
END;

-- How far learning has come: it is due while `changes` and `learned`, or what the program came with and `basis`, differ.
-- `at` and what follows tell of the last attempt.
CREATE TABLE learning (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    changes     INTEGER NOT NULL,
    learned     INTEGER NOT NULL,
    basis       TEXT    NOT NULL,
    versions    INTEGER NOT NULL,
    at          INTEGER,
    kept        INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
    corrections INTEGER NOT NULL DEFAULT 0,
    tested      INTEGER NOT NULL DEFAULT 0,
    answered    INTEGER NOT NULL DEFAULT 0,
    bundled     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO learning (id, changes, learned, basis, versions) VALUES (1, 0, 0, '', 0);

CREATE TRIGGER corrections_made AFTER INSERT ON corrections BEGIN
    UPDATE learning SET changes = changes + 1;
END;
CREATE TRIGGER corrections_remade AFTER UPDATE ON corrections BEGIN
    UPDATE learning SET changes = changes + 1;
END;
CREATE TRIGGER corrections_unmade AFTER DELETE ON corrections BEGIN
    UPDATE learning SET changes = changes + 1;
END;

-- Where staff moved reports before there was learning counts too.
INSERT INTO corrections (report, at)
    SELECT report.id, report.data_aggiornamento FROM history JOIN segnalazioni AS report ON report.id = history.report
    WHERE history.id IN (SELECT min(id) FROM history WHERE kind = 'reparto' GROUP BY report)
    AND history.da <> report.department;

-- Reports that were erased: a digest of the id, when, and why. Nothing else of them is kept. A restore lets none of them
-- come back.
CREATE TABLE erased (
    trace BLOB    NOT NULL PRIMARY KEY CHECK (length(trace) = 32),
    at    INTEGER NOT NULL,
    cause TEXT    NOT NULL CHECK (cause IN ('richiesta', 'scadenza'))
) STRICT, WITHOUT ROWID;

CREATE TABLE erased_counts (
    cause TEXT    NOT NULL PRIMARY KEY,
    n     INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO erased_counts (cause, n) VALUES ('richiesta', 0), ('scadenza', 0);
CREATE TRIGGER erased_counted AFTER INSERT ON erased BEGIN
    UPDATE erased_counts SET n = n + 1 WHERE cause = NEW.cause;
END;

-- A number that belonged to a deleted row is not given out again: whoever still holds it (a page of the list, the search
-- index, a message on its way) must not meet another row under it.
CREATE TABLE numbers_gone (
    name TEXT    NOT NULL PRIMARY KEY CHECK (name IN ('segnalazioni', 'deliveries')),
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER segnalazioni_number_gone AFTER DELETE ON segnalazioni BEGIN
    INSERT INTO numbers_gone (name, last) VALUES ('segnalazioni', OLD.seq)
        ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;
CREATE TRIGGER segnalazioni_number_given AFTER INSERT ON segnalazioni
WHEN NEW.seq <= (SELECT last FROM numbers_gone WHERE name = 'segnalazioni') BEGIN
    UPDATE segnalazioni SET seq = (SELECT last + 1 FROM numbers_gone WHERE name = 'segnalazioni') WHERE seq = NEW.seq;
END;
CREATE TRIGGER deliveries_number_gone AFTER DELETE ON deliveries BEGIN
    INSERT INTO numbers_gone (name, last) VALUES ('deliveries', OLD.id)
        ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;
CREATE TRIGGER deliveries_number_given AFTER INSERT ON deliveries
WHEN NEW.id <= (SELECT last FROM numbers_gone WHERE name = 'deliveries') BEGIN
    UPDATE deliveries SET id = (SELECT last + 1 FROM numbers_gone WHERE name = 'deliveries') WHERE id = NEW.id;
END;

-- Since when the panel warns of what the age of reports will erase: the days in force, before when nothing may go, and
-- when the timed work last looked. No row while nothing is erased by age.
CREATE TABLE expiry (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    days       INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    seen       INTEGER NOT NULL
) STRICT;
CREATE INDEX segnalazioni_in_scadenza ON segnalazioni (data_creazione)
    WHERE aperta IS NOT NULL AND stato IN ('Risolta', 'Archiviata');

-- Reports received by quarter of an hour of UTC (`data_creazione` / 900000). Every time zone in use begins its days on
-- one, so that counts by local day need no zone here, and a change of the configured zone recounts nothing.
CREATE TABLE arrivals (
    quarter INTEGER NOT NULL PRIMARY KEY,
    n       INTEGER NOT NULL CHECK (n >= 0)
) STRICT;
INSERT INTO arrivals (quarter, n) SELECT data_creazione / 900000, count(*) FROM segnalazioni GROUP BY 1;

CREATE TRIGGER segnalazioni_arrived AFTER INSERT ON segnalazioni BEGIN
    INSERT INTO arrivals (quarter, n) VALUES (NEW.data_creazione / 900000, 1)
        ON CONFLICT (quarter) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER segnalazioni_departed AFTER DELETE ON segnalazioni BEGIN
    UPDATE arrivals SET n = n - 1 WHERE quarter = OLD.data_creazione / 900000;
    DELETE FROM arrivals WHERE quarter = OLD.data_creazione / 900000 AND n = 0;
END;

-- Since when a report has had its status; null while it never changed.
ALTER TABLE segnalazioni ADD COLUMN stato_dal INTEGER;
-- When a report was resolved; kept when it is archived afterwards, null again when it goes back to work.
ALTER TABLE segnalazioni ADD COLUMN risolta INTEGER;

UPDATE segnalazioni SET stato_dal =
    (SELECT h.at FROM history h WHERE h.report = segnalazioni.id AND h.kind = 'stato' ORDER BY h.id DESC LIMIT 1);
UPDATE segnalazioni SET risolta =
    (SELECT h.at FROM history h
     WHERE h.report = segnalazioni.id AND h.kind = 'stato' AND h.a = 'Risolta' AND h.id > coalesce(
         (SELECT max(b.id) FROM history b
          WHERE b.report = segnalazioni.id AND b.kind = 'stato' AND b.a IN ('Nuova', 'In lavorazione')), 0)
     ORDER BY h.id LIMIT 1)
WHERE stato IN ('Risolta', 'Archiviata');

CREATE INDEX segnalazioni_risolta ON segnalazioni (risolta, seq) WHERE risolta IS NOT NULL;
CREATE INDEX segnalazioni_aperta ON segnalazioni (aperta, seq) WHERE aperta IS NOT NULL;
CREATE INDEX segnalazioni_da_archiviare ON segnalazioni (stato_dal) WHERE stato = 'Risolta';

-- How many reports have been resolved, those archived since included.
CREATE TABLE resolutions (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    n  INTEGER NOT NULL CHECK (n >= 0)
) STRICT;
INSERT INTO resolutions (id, n) SELECT 1, count(*) FROM segnalazioni WHERE risolta IS NOT NULL;

CREATE TRIGGER segnalazioni_moved AFTER UPDATE OF stato ON segnalazioni WHEN OLD.stato <> NEW.stato BEGIN
    UPDATE segnalazioni SET
        stato_dal = NEW.data_aggiornamento,
        risolta = CASE NEW.stato
            WHEN 'Risolta' THEN coalesce(OLD.risolta, NEW.data_aggiornamento)
            WHEN 'Archiviata' THEN OLD.risolta
        END
    WHERE seq = NEW.seq;
END;
CREATE TRIGGER segnalazioni_resolved AFTER UPDATE OF risolta ON segnalazioni
WHEN (OLD.risolta IS NULL) <> (NEW.risolta IS NULL) BEGIN
    UPDATE resolutions SET n = n + CASE WHEN NEW.risolta IS NULL THEN -1 ELSE 1 END;
END;
CREATE TRIGGER segnalazioni_unresolved AFTER DELETE ON segnalazioni WHEN OLD.risolta IS NOT NULL BEGIN
    UPDATE resolutions SET n = n - 1;
END;

-- How conversations went, by local day: no content, no time finer than a day, nothing about who.
CREATE TABLE chat_stops (
    day   TEXT    NOT NULL CHECK (length(day) = 10),
    state TEXT    NOT NULL,
    rule  TEXT    NOT NULL,
    n     INTEGER NOT NULL CHECK (n > 0),
    PRIMARY KEY (day, state, rule)
) STRICT, WITHOUT ROWID;

-- Lists of a department, and of a status in it, in order of arrival.
CREATE INDEX segnalazioni_reparto ON segnalazioni (department, seq DESC);
CREATE INDEX segnalazioni_reparto_stato ON segnalazioni (department, stato, seq DESC);

-- A delivery can be put away (`ignored`): it is over, and no alarm. `doubt` names the message in which a delivery may have
-- arrived though nobody confirmed it: it is only ever sent again in that one, so that a repetition can be told.
CREATE TABLE deliveries_anew (
    id          INTEGER NOT NULL PRIMARY KEY,
    report      TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('email', 'webhook')),
    destination TEXT    NOT NULL,
    message_id  TEXT    NOT NULL UNIQUE,
    state       TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'ignored')),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    created     INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    next_at     INTEGER NOT NULL,
    concluded   INTEGER,
    error       TEXT,
    under_way   TEXT,
    doubt       TEXT,
    body        BLOB,
    UNIQUE (report, kind),
    CHECK ((state = 'pending') = (concluded IS NULL)),
    CHECK ((state = 'pending') = (body IS NOT NULL)),
    CHECK (state = 'pending' OR (under_way IS NULL AND doubt IS NULL))
) STRICT;
INSERT INTO deliveries_anew (id, report, kind, destination, message_id, state, attempts, created, since, next_at,
                             concluded, error, under_way, body)
    SELECT id, report, kind, destination, message_id, state, attempts, created, since, next_at, concluded, error,
           under_way, body FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE deliveries_anew RENAME TO deliveries;
CREATE INDEX deliveries_waiting ON deliveries (kind, destination, next_at, since, under_way) WHERE state = 'pending';
CREATE INDEX deliveries_late ON deliveries (kind, since) WHERE state = 'pending';
CREATE INDEX deliveries_troubled ON deliveries (kind, attempts) WHERE state = 'pending' AND error IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (kind, destination, id) WHERE state = 'failed';
CREATE INDEX deliveries_state ON deliveries (state, id);
CREATE INDEX deliveries_concluded ON deliveries (concluded) WHERE concluded IS NOT NULL;

-- Counted by kind as well: what belongs to a channel that is switched off is no alarm.
DROP TABLE delivery_counters;
CREATE TABLE delivery_counts (
    kind  TEXT    NOT NULL,
    state TEXT    NOT NULL,
    n     INTEGER NOT NULL CHECK (n >= 0),
    PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_counts (kind, state, n)
    SELECT k.column1, s.column1,
           (SELECT count(*) FROM deliveries d WHERE d.kind = k.column1 AND d.state = s.column1)
    FROM (VALUES ('email'), ('webhook')) AS k, (VALUES ('pending'), ('delivered'), ('failed'), ('ignored')) AS s;

CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries BEGIN
    UPDATE delivery_counts SET n = n + 1 WHERE kind = NEW.kind AND state = NEW.state;
END;
CREATE TRIGGER deliveries_recounted AFTER UPDATE OF state ON deliveries WHEN OLD.state <> NEW.state BEGIN
    UPDATE delivery_counts SET n = n - 1 WHERE kind = OLD.kind AND state = OLD.state;
    UPDATE delivery_counts SET n = n + 1 WHERE kind = NEW.kind AND state = NEW.state;
END;
CREATE TRIGGER deliveries_uncounted AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET n = n - 1 WHERE kind = OLD.kind AND state = OLD.state;
END;

-- As before: a number that belonged to a deleted delivery is not given out again.
CREATE TRIGGER deliveries_number_gone AFTER DELETE ON deliveries BEGIN
    INSERT INTO numbers_gone (name, last) VALUES ('deliveries', OLD.id)
        ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;
CREATE TRIGGER deliveries_number_given AFTER INSERT ON deliveries
WHEN NEW.id <= (SELECT last FROM numbers_gone WHERE name = 'deliveries') BEGIN
    UPDATE deliveries SET id = (SELECT last + 1 FROM numbers_gone WHERE name = 'deliveries') WHERE id = NEW.id;
END;

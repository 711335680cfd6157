-- A list that the other side refuses for what it says is divided until the report that it does not take is alone: `most` is
-- the length of the longest list in which a mail may still go out. And a doubt outlives a delivery that was given up: when
-- somebody asks for another try, it goes out under the name in which it may have arrived.
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
    most        INTEGER CHECK (most >= 1),
    body        BLOB,
    UNIQUE (report, kind),
    CHECK ((state = 'pending') = (concluded IS NULL)),
    CHECK ((state = 'pending') = (body IS NOT NULL)),
    CHECK (state = 'pending' OR under_way IS NULL),
    CHECK (state IN ('pending', 'failed') OR (doubt IS NULL AND most IS NULL))
) STRICT;
INSERT INTO deliveries_anew (id, report, kind, destination, message_id, state, attempts, created, since, next_at,
                             concluded, error, under_way, doubt, body)
    SELECT id, report, kind, destination, message_id, state, attempts, created, since, next_at, concluded, error,
           under_way, doubt, body FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE deliveries_anew RENAME TO deliveries;
CREATE INDEX deliveries_waiting ON deliveries (kind, destination, next_at, since, under_way) WHERE state = 'pending';
CREATE INDEX deliveries_lists ON deliveries (kind, destination, doubt, most, attempts) WHERE state = 'pending';
CREATE INDEX deliveries_late ON deliveries (kind, since) WHERE state = 'pending';
CREATE INDEX deliveries_troubled ON deliveries (kind, attempts) WHERE state = 'pending' AND error IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (kind, destination, id) WHERE state = 'failed';
CREATE INDEX deliveries_doubted ON deliveries (doubt) WHERE doubt IS NOT NULL;
CREATE INDEX deliveries_state ON deliveries (state, id);
CREATE INDEX deliveries_concluded ON deliveries (concluded) WHERE concluded IS NOT NULL;

-- How many messages a destination refused for what they say since something arrived there.
ALTER TABLE destinations ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0 CHECK (refusals >= 0);

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

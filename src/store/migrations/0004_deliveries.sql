-- What is to leave the newsroom because of a report: at most one mail and one call of the webhook each. `body` is sealed
-- under the operational key and is there as long as it is needed. `under_way` names the message that was being sent: set
-- by the claim, gone when its outcome is known, so that a row which still has it after a start was cut off in between.
-- `since` is when the row began to wait: its creation, or the last time somebody asked for another try.
CREATE TABLE deliveries (
    id          INTEGER NOT NULL PRIMARY KEY,
    report      TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('email', 'webhook')),
    destination TEXT    NOT NULL,
    message_id  TEXT    NOT NULL UNIQUE,
    state       TEXT    NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    created     INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    next_at     INTEGER NOT NULL,
    concluded   INTEGER,
    error       TEXT,
    under_way   TEXT,
    body        BLOB,
    UNIQUE (report, kind),
    CHECK ((state = 'pending') = (concluded IS NULL)),
    CHECK ((state = 'pending') = (body IS NOT NULL)),
    CHECK (state = 'pending' OR under_way IS NULL)
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (kind, destination, next_at, since, under_way) WHERE state = 'pending';
CREATE INDEX deliveries_troubled ON deliveries (id) WHERE state = 'pending' AND error IS NOT NULL;
CREATE INDEX deliveries_state ON deliveries (state, id);
CREATE INDEX deliveries_concluded ON deliveries (concluded) WHERE concluded IS NOT NULL;

CREATE TABLE delivery_counters (
    state TEXT    NOT NULL PRIMARY KEY,
    n     INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO delivery_counters (state, n) VALUES ('pending', 0), ('delivered', 0), ('failed', 0);

CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries BEGIN
    UPDATE delivery_counters SET n = n + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER deliveries_recounted AFTER UPDATE OF state ON deliveries WHEN OLD.state <> NEW.state BEGIN
    UPDATE delivery_counters SET n = n - 1 WHERE state = OLD.state;
    UPDATE delivery_counters SET n = n + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER deliveries_uncounted AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counters SET n = n - 1 WHERE state = OLD.state;
END;

-- How each destination answered lately: `failures` in a row, held back until `paused_until` because of them.
CREATE TABLE destinations (
    kind         TEXT    NOT NULL CHECK (kind IN ('email', 'webhook')),
    address      TEXT    NOT NULL,
    tried        INTEGER,
    sent         INTEGER,
    failures     INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    paused_until INTEGER,
    PRIMARY KEY (kind, address)
) STRICT, WITHOUT ROWID;

-- Times are milliseconds since 1970-01-01T00:00:00Z. Sealed columns hold one authenticated blob each (see `vault::row`).
PRAGMA application_id = 0x5345474E; -- "SEGN"

CREATE TABLE key_pairs (
    key_id     TEXT    NOT NULL PRIMARY KEY,
    public_key BLOB    NOT NULL CHECK (length(public_key) = 32),
    created    INTEGER NOT NULL,
    active     INTEGER NOT NULL CHECK (active IN (0, 1)),
    sealed     INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX key_pairs_one_active ON key_pairs (active) WHERE active = 1;

CREATE TABLE key_slots (
    key_id  TEXT    NOT NULL REFERENCES key_pairs (key_id),
    kind    TEXT    NOT NULL CHECK (kind IN ('password', 'recovery')),
    blob    BLOB    NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (key_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE epochs (
    id      INTEGER NOT NULL PRIMARY KEY,
    key_id  TEXT    NOT NULL REFERENCES key_pairs (key_id),
    born    INTEGER NOT NULL,
    sealed  BLOB    NOT NULL
) STRICT;

CREATE TABLE segnalazioni (
    seq                INTEGER NOT NULL PRIMARY KEY,
    id                 TEXT    NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 36),
    stato              TEXT    NOT NULL CHECK (stato IN ('Nuova', 'In lavorazione', 'Risolta', 'Archiviata')),
    data_creazione     INTEGER NOT NULL,
    data_aggiornamento INTEGER NOT NULL,
    versione           INTEGER NOT NULL DEFAULT 1,
    aperta             INTEGER,
    privacy_version    TEXT    NOT NULL,
    impronta           BLOB    NOT NULL CHECK (length(impronta) = 16),
    epoch              INTEGER NOT NULL REFERENCES epochs (id),
    contenuto          BLOB    NOT NULL,
    note_epoch         INTEGER REFERENCES epochs (id),
    note               BLOB,
    CHECK ((note IS NULL) = (note_epoch IS NULL))
) STRICT;
CREATE INDEX segnalazioni_stato ON segnalazioni (stato, seq DESC);
CREATE INDEX segnalazioni_data ON segnalazioni (data_creazione);

CREATE TABLE counters (
    stato TEXT    NOT NULL PRIMARY KEY,
    n     INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO counters (stato, n) VALUES ('Nuova', 0), ('In lavorazione', 0), ('Risolta', 0), ('Archiviata', 0);

CREATE TRIGGER segnalazioni_counted AFTER INSERT ON segnalazioni BEGIN
    UPDATE counters SET n = n + 1 WHERE stato = NEW.stato;
END;
CREATE TRIGGER segnalazioni_recounted AFTER UPDATE OF stato ON segnalazioni WHEN OLD.stato <> NEW.stato BEGIN
    UPDATE counters SET n = n - 1 WHERE stato = OLD.stato;
    UPDATE counters SET n = n + 1 WHERE stato = NEW.stato;
END;
CREATE TRIGGER segnalazioni_uncounted AFTER DELETE ON segnalazioni BEGIN
    UPDATE counters SET n = n - 1 WHERE stato = OLD.stato;
END;

CREATE TABLE history (
    id     INTEGER NOT NULL PRIMARY KEY,
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    kind   TEXT    NOT NULL CHECK (kind IN ('stato', 'note', 'esportata')),
    da     TEXT,
    a      TEXT
) STRICT;
CREATE INDEX history_report ON history (report, id);

CREATE TABLE settings (
    section TEXT    NOT NULL PRIMARY KEY CHECK (section IN ('security', 'system', 'prompts')),
    body    TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credential (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    body    TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    created    INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE login_attempts (
    id     INTEGER NOT NULL PRIMARY KEY,
    client BLOB    NOT NULL CHECK (length(client) = 16),
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX login_attempts_client ON login_attempts (client, at);

CREATE TABLE access_log (
    id         INTEGER NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL,
    action     TEXT    NOT NULL,
    ip         TEXT    NOT NULL,
    user_agent TEXT    NOT NULL,
    report     TEXT
) STRICT;

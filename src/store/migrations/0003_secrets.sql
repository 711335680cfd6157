-- Settings take a section for e-mail.
CREATE TABLE settings_anew (
    section TEXT    NOT NULL PRIMARY KEY CHECK (section IN ('security', 'system', 'prompts', 'email')),
    body    TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO settings_anew (section, body, updated) SELECT section, body, updated FROM settings;
DROP TABLE settings;
ALTER TABLE settings_anew RENAME TO settings;

-- Passwords and keys of mail server and webhook, each sealed twice: under the operational key of this machine, and to
-- the newsroom's key pair `key_id`, which a restore on another machine opens it with.
CREATE TABLE secrets (
    name        TEXT    NOT NULL PRIMARY KEY
                CHECK (name IN ('smtp_password', 'webhook_api_key', 'webhook_secret', 'webhook_secret_before')),
    operational BLOB    NOT NULL,
    newsroom    BLOB    NOT NULL,
    key_id      TEXT    NOT NULL REFERENCES key_pairs (key_id),
    -- From when on it counts no more; null for one that stays.
    until       INTEGER,
    updated     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

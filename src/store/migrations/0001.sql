-- The whole schema. Times are milliseconds since 1970-01-01T00:00:00Z. Sealed columns hold one authenticated blob each (see
-- `vault::epoch`). Where rows come by the thousand, words are checked by `=`: of a longer list of `IN`, SQLite makes an index
-- anew for each row. AUTOINCREMENT: a number of a deleted row is never given out again, because pages of the list, the search index
-- and messages on their way may still hold it.
PRAGMA application_id = 0x5345474E; -- "SEGN"

-- Keys ------------------------------------------------------------------------------------------------------------------

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
    kind    TEXT    NOT NULL CHECK (kind IN ('password', 'recovery', 'invitation', 'passkey')),
    owner   TEXT    NOT NULL,       -- id of the person or passkey that opens it; empty for the newsroom's own
    blob    BLOB    NOT NULL,
    created INTEGER NOT NULL,
    PRIMARY KEY (key_id, kind, owner)
) STRICT, WITHOUT ROWID;

CREATE TABLE epochs (
    id      INTEGER NOT NULL PRIMARY KEY,
    key_id  TEXT    NOT NULL REFERENCES key_pairs (key_id),
    born    INTEGER NOT NULL,
    sealed  BLOB    NOT NULL
) STRICT;

-- Passwords and keys of mail server and webhook, each sealed twice: under the operational key of this machine, and to
-- the newsroom's key pair `key_id`, which a restore on another machine opens it with.
CREATE TABLE secrets (
    name        TEXT    NOT NULL PRIMARY KEY,
    operational BLOB    NOT NULL,
    newsroom    BLOB    NOT NULL,
    key_id      TEXT    NOT NULL REFERENCES key_pairs (key_id),
    until       INTEGER,            -- when it expires; null for one that stays
    updated     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Reports ---------------------------------------------------------------------------------------------------------------

-- Departments of the newsroom's own, in its order. One that was removed keeps its row, for what was and so that its key is never
-- given again; while reports are on their way from it, `heir` says where to and `remover` who asked.
CREATE TABLE departments (
    key      TEXT    NOT NULL PRIMARY KEY CHECK (length(key) BETWEEN 2 AND 30),
    name     TEXT    NOT NULL,
    email    TEXT    NOT NULL DEFAULT '',
    keywords TEXT    NOT NULL DEFAULT '',
    matter   TEXT,                  -- of those that the model of `models/routing` knows
    place    INTEGER NOT NULL,
    gone     INTEGER,               -- when it was removed
    heir     TEXT    REFERENCES departments (key),
    remover  TEXT,                  -- a person's id; null for the shared password
    CHECK ((gone IS NULL) = (heir IS NULL)),
    CHECK (key <> 'generale' OR gone IS NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE segnalazioni (
    seq                INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id                 TEXT    NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 36),
    stato              TEXT    NOT NULL,
    department         TEXT    NOT NULL REFERENCES departments (key),
    urgente            INTEGER NOT NULL DEFAULT 0 CHECK (urgente IN (0, 1)), -- what an editor decided, else what the program read
    origine            TEXT    NOT NULL DEFAULT 'chat' CHECK (origine = 'chat' OR origine = 'telefono'
                       OR origine = 'lettera' OR origine = 'di persona'),
    data_creazione     INTEGER NOT NULL,
    data_aggiornamento INTEGER NOT NULL,
    versione           INTEGER NOT NULL DEFAULT 1,
    aperta             INTEGER,
    stato_dal          INTEGER,     -- when the status last changed; null while it never did
    risolta            INTEGER,     -- when it was resolved; kept by archiving, null again when work on it resumes
    assegnata          TEXT    REFERENCES people (id), -- the person that it is given to; null for nobody
    da_parte           TEXT,        -- the entry of `asides` by which its sender is set aside; null for none
    privacy_version    TEXT    NOT NULL,
    impronta           BLOB    NOT NULL CHECK (length(impronta) = 16),
    epoch              INTEGER NOT NULL REFERENCES epochs (id),
    riga               BLOB    NOT NULL DEFAULT x'', -- what a list shows of the content; before it, so that no list reads that
    contenuto          BLOB    NOT NULL,
    note_epoch         INTEGER REFERENCES epochs (id),
    note               BLOB,
    sospetta           INTEGER,     -- number of the group of near copies it was set aside with; null for what was not
    chiave             BLOB,        -- key of its receipt, sealed like `contenuto`; null without a receipt
    risposta           INTEGER,     -- since when the reporter waits for an answer; null once they got one
    fatta              INTEGER,     -- when staff said that nothing is left to do, or answered; null where they did not since its reporter wrote
    labels             INTEGER NOT NULL DEFAULT 0, -- bit n for the label with the number n
    prima_entro        INTEGER,     -- last instant by which its reporter was promised that somebody reads it; null for no promise
    esito_entro        INTEGER,     -- the same of being told what came of it
    ritiro             INTEGER,     -- since when its reporter waits that all of it be withdrawn; null while they do not
    tornata            INTEGER NOT NULL DEFAULT 0 CHECK (tornata IN (0, 1)), -- whether its code was used in the first days
    scritta            INTEGER,     -- when the newsroom first wrote to its reporter; null while it never did
    allegati           INTEGER NOT NULL DEFAULT 0, -- how many files it has
    rinviata           INTEGER,     -- until when it is out of the list; null where nobody put it off
    inchiesta          TEXT,        -- id of the callout that it answers; null for the usual conversation
    storia             TEXT,        -- id of the story that it belongs to; null for none
    consensi           INTEGER NOT NULL DEFAULT 0, -- bit n for the kind of consent with the number n, decided last as given
    -- By when what was promised next is due; null where nothing is. Being read is promised first, then being told what came of it.
    scade              INTEGER GENERATED ALWAYS AS (CASE
        WHEN stato = 'Risolta' OR stato = 'Archiviata' OR da_parte IS NOT NULL THEN NULL
        WHEN stato = 'Nuova' AND scritta IS NULL
            THEN min(coalesce(prima_entro, esito_entro), coalesce(esito_entro, prima_entro))
        ELSE esito_entro END) VIRTUAL,
    -- 1 where it is urgent and open; null where it is not. The list may show those first.
    preme              INTEGER GENERATED ALWAYS AS (CASE
        WHEN urgente = 1 AND stato <> 'Risolta' AND stato <> 'Archiviata' AND da_parte IS NULL THEN 1 END) VIRTUAL,
    -- Since when its reporter waits for an answer, for all that staff did since; null while they do not. Who closes a report decides
    -- about what was written until then.
    attende            INTEGER GENERATED ALWAYS AS (CASE
        WHEN fatta IS NULL AND da_parte IS NULL AND (stato <> 'Risolta' AND stato <> 'Archiviata' OR risposta > coalesce(stato_dal, 0))
            THEN risposta END) VIRTUAL,
    -- When it comes back or came back, unless it was dealt with since.
    rientra            INTEGER GENERATED ALWAYS AS (CASE
        WHEN stato <> 'Risolta' AND stato <> 'Archiviata' AND rinviata > max(coalesce(fatta, 0), coalesce(stato_dal, 0))
            THEN rinviata END) VIRTUAL,
    -- By when is due what was promised next and was not yet due (in its last 24 hours) when staff dealt with the report: `scade`, being
    -- told what came of it, and an answer to a request for withdrawal (seven days).
    impegno            INTEGER GENERATED ALWAYS AS (nullif(min(
        iif(scade - 86400000 > coalesce(fatta, 0), scade, 9223372036854775807),
        iif(stato <> 'Risolta' AND stato <> 'Archiviata' AND esito_entro - 86400000 > coalesce(fatta, 0), esito_entro, 9223372036854775807),
        iif(ritiro + 518400000 > coalesce(fatta, 0), ritiro + 604800000, 9223372036854775807)), 9223372036854775807)) VIRTUAL,
    -- From when on (ms) the newsroom has something to do about it; null where nothing is to come.
    da_fare            INTEGER GENERATED ALWAYS AS (CASE
        WHEN sospetta IS NOT NULL OR da_parte IS NOT NULL THEN NULL
        WHEN rientra IS NOT NULL THEN rientra
        WHEN attende IS NOT NULL OR stato = 'Nuova' AND fatta IS NULL THEN 0
        ELSE impegno - 86400000 END) VIRTUAL,
    CHECK ((note IS NULL) = (note_epoch IS NULL))
) STRICT;
-- The columns behind `seq` are for counting within a filter or the departments that somebody sees, which reads no report.
CREATE INDEX segnalazioni_stato ON segnalazioni (stato, seq DESC, data_creazione, da_parte);
CREATE INDEX segnalazioni_reparto ON segnalazioni (department, seq DESC, data_creazione, da_parte);
CREATE INDEX segnalazioni_reparto_stato ON segnalazioni (department, stato, seq DESC, data_creazione, da_parte);
CREATE INDEX segnalazioni_urgente ON segnalazioni (urgente, seq DESC, stato, department, data_creazione, rinviata, da_parte) WHERE urgente = 1;
CREATE INDEX segnalazioni_preme ON segnalazioni (preme, seq DESC, stato, department, da_parte) WHERE preme IS NOT NULL;
CREATE INDEX segnalazioni_origine ON segnalazioni (origine, seq DESC, stato, department, data_creazione, da_parte) WHERE origine <> 'chat';
CREATE INDEX segnalazioni_sospetta ON segnalazioni (sospetta, seq) WHERE sospetta IS NOT NULL;
CREATE INDEX segnalazioni_da_parte ON segnalazioni (seq DESC, stato, department, da_parte) WHERE sospetta IS NOT NULL;
CREATE INDEX segnalazioni_ignorate ON segnalazioni (seq DESC, stato, department, rinviata) WHERE da_parte IS NOT NULL;
CREATE INDEX segnalazioni_attende ON segnalazioni (seq) WHERE attende IS NOT NULL;
CREATE INDEX segnalazioni_da_fare ON segnalazioni (seq DESC, da_fare, stato, department, da_parte) WHERE da_fare IS NOT NULL;
CREATE INDEX segnalazioni_aperta ON segnalazioni (aperta, department) WHERE aperta IS NOT NULL;
CREATE INDEX segnalazioni_ritiro ON segnalazioni (seq) WHERE ritiro IS NOT NULL;
CREATE INDEX segnalazioni_tornata ON segnalazioni (tornata, data_creazione, department, da_parte) WHERE tornata = 1;
CREATE INDEX segnalazioni_senza_codice ON segnalazioni (chiave, data_creazione, department, da_parte) WHERE chiave IS NULL;
CREATE INDEX segnalazioni_non_lette ON segnalazioni (seq DESC, stato, department, rinviata, da_parte) WHERE aperta IS NULL;
CREATE INDEX segnalazioni_allegati ON segnalazioni (seq DESC, stato, department, rinviata, da_parte) WHERE allegati > 0;
CREATE INDEX segnalazioni_rinviata ON segnalazioni (seq DESC, rinviata, department, da_parte) WHERE rinviata IS NOT NULL;
CREATE INDEX segnalazioni_scade ON segnalazioni (scade, department, assegnata) WHERE scade IS NOT NULL;
CREATE INDEX segnalazioni_promesse ON segnalazioni (seq DESC, scade, stato, department, da_parte) WHERE scade IS NOT NULL;
CREATE INDEX segnalazioni_etichette ON segnalazioni (seq, labels) WHERE labels <> 0;
CREATE INDEX segnalazioni_consensi ON segnalazioni (seq, consensi) WHERE consensi <> 0;
-- The reporter was written to and has not answered since.
CREATE INDEX segnalazioni_in_attesa ON segnalazioni (seq DESC, department, da_parte)
    WHERE scritta IS NOT NULL AND risposta IS NULL AND stato <> 'Risolta' AND stato <> 'Archiviata';
CREATE INDEX segnalazioni_assegnata ON segnalazioni (assegnata, seq DESC, stato, department, data_creazione)
    WHERE assegnata IS NOT NULL;
CREATE INDEX segnalazioni_inchiesta ON segnalazioni (inchiesta, seq DESC, stato, department, data_creazione)
    WHERE inchiesta IS NOT NULL;
CREATE INDEX segnalazioni_storia ON segnalazioni (storia, seq DESC, stato, department, data_creazione, assegnata, labels)
    WHERE storia IS NOT NULL;
CREATE INDEX segnalazioni_data ON segnalazioni (data_creazione);
CREATE INDEX segnalazioni_risolta ON segnalazioni (risolta, seq, department) WHERE risolta IS NOT NULL;
CREATE INDEX segnalazioni_da_archiviare ON segnalazioni (stato_dal) WHERE stato = 'Risolta';
CREATE INDEX segnalazioni_in_scadenza ON segnalazioni (data_creazione)
    WHERE aperta IS NOT NULL AND stato IN ('Risolta', 'Archiviata');

-- What is kept of a report beside its own rows: files on their way to it, and how mails to its reporter went.
CREATE TRIGGER segnalazioni_gone AFTER DELETE ON segnalazioni BEGIN
    DELETE FROM asides WHERE id = OLD.da_parte AND NOT EXISTS (SELECT 1 FROM segnalazioni WHERE da_parte = OLD.da_parte);
    DELETE FROM attachments WHERE conversation = OLD.id;
    DELETE FROM destinations WHERE kind IN ('risposta', 'conferma') AND address = OLD.id;
    DELETE FROM stories WHERE id = OLD.storia AND NOT EXISTS (SELECT 1 FROM segnalazioni WHERE storia = OLD.storia);
END;

-- Senders that are set aside: what they send from then on to these departments (null for all) is set aside as it arrives, by the
-- telephone number and the address in `sealed`, which the operational key opens.
CREATE TABLE asides (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    departments TEXT    CHECK (json_array_length(departments) > 0),
    sealed      BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- Signatures (`search::signatures`): row 2048 * block + n holds bit n of the 4,096 reports of a block, sealed.
CREATE TABLE signatures (
    number INTEGER NOT NULL PRIMARY KEY,
    sealed BLOB    NOT NULL
) STRICT;
CREATE TRIGGER segnalazioni_unsigned AFTER DELETE ON segnalazioni BEGIN
    DELETE FROM signatures WHERE number BETWEEN OLD.seq / 4096 * 2048 AND OLD.seq / 4096 * 2048 + 2047;
END;
CREATE TRIGGER segnalazioni_unsigned_by_import AFTER UPDATE OF seq ON segnalazioni BEGIN
    DELETE FROM signatures WHERE number BETWEEN NEW.seq / 4096 * 2048 AND NEW.seq / 4096 * 2048 + 2047;
END;

-- What stories are found by (`search::stories`), a sealed sketch a report.
CREATE TABLE sketches (
    report INTEGER NOT NULL PRIMARY KEY REFERENCES segnalazioni (seq) ON DELETE CASCADE,
    sealed BLOB    NOT NULL
) STRICT;

CREATE TABLE history (
    id     INTEGER NOT NULL PRIMARY KEY,
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    kind   TEXT    NOT NULL CHECK (kind = 'stato' OR kind = 'note' OR kind = 'esportata' OR kind = 'reparto' OR kind = 'urgente'
           OR kind = 'inoltrata' OR kind = 'etichette' OR kind = 'messaggio' OR kind = 'risposta'
           OR kind = 'assegnata' OR kind = 'ricevuta' OR kind = 'aperta' OR kind = 'ritiro' OR kind = 'allegato'
           OR kind = 'rinviata' OR kind = 'storia' OR kind = 'fatta' OR kind = 'mittente' OR kind = 'consenso'),
    da     TEXT,
    a      TEXT,
    author TEXT                     -- id of a person; null for the shared password, a reporter and the program itself
) STRICT;
CREATE INDEX history_report ON history (report, id);

-- What reports are about that `segnalazioni.storia` joins; title and note are sealed together. With its last report a story goes.
CREATE TABLE stories (
    id      TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    version INTEGER NOT NULL,       -- grows with title and note alone: it tells of no report
    epoch   INTEGER NOT NULL REFERENCES epochs (id),
    sealed  BLOB    NOT NULL
) STRICT;
CREATE TRIGGER stories_left AFTER UPDATE OF storia ON segnalazioni WHEN OLD.storia IS NOT NULL BEGIN
    DELETE FROM stories WHERE id = OLD.storia AND NOT EXISTS (SELECT 1 FROM segnalazioni WHERE storia = OLD.storia);
END;

-- Reports that do not belong together, in the newsroom's opinion: the program does not propose it again.
CREATE TABLE apart (
    a INTEGER NOT NULL REFERENCES segnalazioni (seq) ON DELETE CASCADE,
    b INTEGER NOT NULL REFERENCES segnalazioni (seq) ON DELETE CASCADE,
    PRIMARY KEY (a, b),
    CHECK (a < b)
) STRICT, WITHOUT ROWID;
CREATE INDEX apart_b ON apart (b);

-- The newsroom's own marks for reports; the name is sealed.
CREATE TABLE labels (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id BETWEEN 1 AND 50),
    color TEXT    NOT NULL,
    epoch INTEGER NOT NULL REFERENCES epochs (id),
    name  BLOB    NOT NULL
) STRICT;

-- Changes of many reports at once, and how each report stood before, for as long as they can be taken back.
CREATE TABLE batches (
    id    INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at    INTEGER NOT NULL,
    total INTEGER NOT NULL,
    done  INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    session BLOB  NOT NULL,         -- hash of the session that began it
    person  TEXT,                   -- null for the shared password
    change  TEXT  NOT NULL          -- what was asked for
) STRICT;
CREATE TABLE batch_reports (
    batch      INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    versione   INTEGER NOT NULL,    -- that the change gave the report
    stato      TEXT    NOT NULL,
    department TEXT    NOT NULL,
    urgente    INTEGER NOT NULL,
    labels     INTEGER NOT NULL,
    sospetta   INTEGER,
    stato_dal  INTEGER,
    risolta    INTEGER,
    assegnata  TEXT,
    storia     TEXT,
    storia_a   TEXT,                -- that the change gave the report; the same where it gave none
    rinviata   INTEGER,
    rinviata_a INTEGER,             -- the same of this
    rinviata_da TEXT,               -- who had put it off; null for nobody
    fatta      INTEGER,
    fatta_a    INTEGER,             -- that the change gave the report
    PRIMARY KEY (batch, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER batch_reports_went AFTER DELETE ON segnalazioni BEGIN
    DELETE FROM batch_reports WHERE batch IN (SELECT id FROM batches) AND seq = OLD.seq;
END;

-- What newsroom and reporter write to each other. `key` is what a page calls its message, so that one which is sent again is told.
CREATE TABLE messages (
    n      INTEGER NOT NULL PRIMARY KEY,
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    author TEXT    NOT NULL CHECK (author IN ('redazione', 'segnalante')),
    text   BLOB    NOT NULL,  -- for the receipt of its report
    asks   BLOB,              -- its questions, for the same
    key    TEXT    CHECK (length(key) <= 36),
    batch  TEXT,              -- what went to many reporters at once has the same; null for all else
    read   INTEGER NOT NULL DEFAULT 0 CHECK (read IN (0, 1)), -- whether its reporter has seen it, of the newsroom's alone
    risposta INTEGER,         -- what the report had before it: given back when it is taken back
    fatta  INTEGER,           -- the same of this
    UNIQUE (report, author, key)
) STRICT;
CREATE INDEX messages_report ON messages (report, n);
CREATE INDEX messages_batch ON messages (batch, n) WHERE batch IS NOT NULL;
CREATE INDEX messages_asking ON messages (at, report, read) WHERE asks IS NOT NULL;

-- What reporters answered to the questions of a message, for the receipt of their report; `read`: they can no longer be changed.
CREATE TABLE answers (
    report  TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    message INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    read    INTEGER NOT NULL CHECK (read IN (0, 1)),
    body    BLOB    NOT NULL,
    PRIMARY KEY (report, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_message ON answers (message);

-- What a message asked its reporter to agree to; its words are those of the message. `given` is null before it is answered;
-- `given_at` stays when it is taken back.
CREATE TABLE consents (
    report   TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    message  INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
    kind     TEXT    NOT NULL CHECK (kind IN ('ricontatto', 'nome', 'voce', 'volto', 'documenti')),
    given    INTEGER CHECK (given IN (0, 1)),
    asked    INTEGER NOT NULL,
    answered INTEGER,
    given_at INTEGER,
    PRIMARY KEY (report, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX consents_message ON consents (message);
CREATE INDEX consents_asked ON consents (asked, report);

-- What staff say of a report among themselves, numbered by report. `author` is a person's id, null for the shared password.
CREATE TABLE comments (
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    n      INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    author TEXT,
    edited INTEGER,
    epoch  INTEGER NOT NULL REFERENCES epochs (id),
    text   BLOB    NOT NULL,
    key    TEXT    CHECK (length(key) <= 36),
    PRIMARY KEY (report, n)
) STRICT, WITHOUT ROWID;

-- What is covered in the clean copy of a report, sealed with a digest of the account it was made for.
CREATE TABLE masks (
    report   TEXT    NOT NULL PRIMARY KEY REFERENCES segnalazioni (id) ON DELETE CASCADE,
    versione INTEGER NOT NULL,
    epoch    INTEGER NOT NULL REFERENCES epochs (id),
    body     BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- Reports that are put off: the day stands in `segnalazioni.rinviata`, here who put it off (empty for the shared password) and a word.
CREATE TABLE snoozes (
    report TEXT    NOT NULL PRIMARY KEY REFERENCES segnalazioni (id) ON DELETE CASCADE,
    person TEXT    NOT NULL,
    epoch  INTEGER REFERENCES epochs (id),
    word   BLOB,
    CHECK ((word IS NULL) = (epoch IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX snoozes_person ON snoozes (person);

-- Who was named in a comment and has not opened the report since.
CREATE TABLE mentions (
    person TEXT    NOT NULL REFERENCES people (id),
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    PRIMARY KEY (person, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_report ON mentions (report);

-- When each (empty for the shared password) last opened a report, and the time before: what came since is new to them.
CREATE TABLE looks (
    report TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    person TEXT    NOT NULL,
    at     INTEGER NOT NULL,
    before INTEGER,
    PRIMARY KEY (report, person)
) STRICT, WITHOUT ROWID;

-- Filters of the list that editors keep, name and filter sealed together.
CREATE TABLE views (
    n           INTEGER NOT NULL PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
    departments TEXT    CHECK (json_array_length(departments) > 0), -- keys of those that whoever made it saw: it is there for who
                                  -- sees them all; null for all that there are
    epoch       INTEGER NOT NULL REFERENCES epochs (id),
    sealed      BLOB    NOT NULL
) STRICT;

-- Attachments ------------------------------------------------------------------------------------------------------------

-- Files that reporters attach; their bytes lie sealed in `allegati`, each under its id. `key` is the key of the file, sealed to the
-- newsroom: with this row the file is erased.
CREATE TABLE attachments (
    id           TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    conversation TEXT    NOT NULL,  -- id of the report that it is to belong to
    report       TEXT    REFERENCES segnalazioni (id) ON DELETE CASCADE, -- the same, once that is there
    n            INTEGER NOT NULL CHECK (n > 0),
    size         INTEGER NOT NULL CHECK (size > 0),
    arrived      INTEGER NOT NULL DEFAULT 0 CHECK (arrived BETWEEN 0 AND size), -- bytes of it that were acknowledged
    media_type   TEXT,              -- told from its first bytes; null before
    created      INTEGER NOT NULL,
    sent         INTEGER,           -- when it became the report's: with it, or with a later message
    epoch        INTEGER NOT NULL REFERENCES epochs (id),
    name         BLOB    NOT NULL,  -- under the key of the file
    key          BLOB    NOT NULL,
    copy         BLOB    NOT NULL,  -- the key, for the receipt's code
    onion        INTEGER NOT NULL DEFAULT 0 CHECK (onion IN (0, 1)), -- whether it came by the onion socket, while it waits
    UNIQUE (conversation, n),
    CHECK (report IS NULL OR (report = conversation AND arrived = size)),
    CHECK ((report IS NULL) = (sent IS NULL)),
    CHECK (arrived < size OR media_type IS NOT NULL)
) STRICT;
-- Also holds what the sums of bytes read, which every piece of an upload asks for.
CREATE INDEX attachments_report ON attachments (report, arrived);
CREATE INDEX attachments_waiting ON attachments (created) WHERE report IS NULL;

-- Files that are to be deleted, because their row was.
CREATE TABLE attachments_gone (
    id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TRIGGER attachments_went AFTER DELETE ON attachments BEGIN
    INSERT OR IGNORE INTO attachments_gone (id) VALUES (OLD.id);
    UPDATE segnalazioni SET allegati = allegati - 1 WHERE id = OLD.report;
END;
CREATE TRIGGER attachments_given AFTER UPDATE OF report ON attachments WHEN OLD.report IS NULL AND NEW.report IS NOT NULL BEGIN
    UPDATE segnalazioni SET allegati = allegati + 1 WHERE id = NEW.report;
END;

-- Counts of reports, kept by triggers, but for those that arrive (`store/reports.rs`) --------------------------------------

-- One table, so that a report that arrives writes one page of it: by status, and by quarter of an hour of UTC (`data_creazione` /
-- 900000), each by department: who sees some departments only has the sums over those. Every time zone in use begins its days on
-- a quarter, so that counts by local day need no zone here, and a change of the configured zone recounts nothing. 'risolta': how
-- many have been resolved, those archived since included.
CREATE TABLE counts (
    kind       TEXT    NOT NULL CHECK (kind = 'stato' OR kind = 'quarter' OR kind = 'risolta'),
    key        ANY     NOT NULL,
    department TEXT    NOT NULL,
    n          INTEGER NOT NULL CHECK (n >= 0),
    PRIMARY KEY (kind, key, department)
) STRICT, WITHOUT ROWID;

-- Its counts stand from the beginning, so that a report that arrives writes no new row.
CREATE TRIGGER departments_counted AFTER INSERT ON departments BEGIN
    INSERT INTO counts (kind, key, department, n) VALUES ('stato', 'Nuova', NEW.key, 0), ('stato', 'In lavorazione', NEW.key, 0),
        ('stato', 'Risolta', NEW.key, 0), ('stato', 'Archiviata', NEW.key, 0), ('risolta', 1, NEW.key, 0);
END;
INSERT INTO departments (key, name, keywords, matter, place) VALUES
    ('corruzione', 'Corruzione/Politica', 'corruzione, politica, sindaco, assessore, appalto, tangente, mazzetta, politico, voto di scambio', 'corruzione', 0),
    ('sanita', 'Sanità/Ospedali', 'ospedale, medico, sanità, dottore, infermiere, pronto soccorso, asl, clinica, malasanità, paziente', 'sanita', 1),
    ('lavoro', 'Lavoro/Sfruttamento', 'lavoro, sfruttamento, stipendio, contratto, caporalato, lavoro nero, licenziamento, sindacato, mobbing, operai', 'lavoro', 2),
    ('scuola', 'Scuola/Istruzione', 'scuola, insegnante, professore, studente, istruzione, università, maestra, preside, bullismo, asilo', 'scuola', 3),
    ('ambiente', 'Ambiente/Territorio', 'ambiente, inquinamento, rifiuti, discarica, territorio, amianto, roghi, abusivismo, veleni', 'ambiente', 4),
    ('criminalita', 'Criminalità/Sicurezza', 'droga, spaccio, furto, rapina, truffa, mafia, criminalità, sicurezza, violenza, usura', 'criminalita', 5),
    ('generale', 'Redazione Generale', '', NULL, 99);

CREATE TRIGGER segnalazioni_moved AFTER UPDATE OF stato, department ON segnalazioni
WHEN (OLD.stato <> NEW.stato OR OLD.department <> NEW.department) AND NEW.da_parte IS NULL BEGIN
    UPDATE counts SET n = n - 1 WHERE kind = 'stato' AND key = OLD.stato AND department = OLD.department;
    INSERT INTO counts (kind, key, department, n) VALUES ('stato', NEW.stato, NEW.department, 1)
        ON CONFLICT (kind, key, department) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER segnalazioni_handed_over AFTER UPDATE OF department ON segnalazioni
WHEN OLD.department <> NEW.department AND NEW.da_parte IS NULL BEGIN
    UPDATE counts SET n = n - 1
        WHERE kind = 'quarter' AND key = OLD.data_creazione / 900000 AND department = OLD.department;
    DELETE FROM counts WHERE kind = 'quarter' AND key = OLD.data_creazione / 900000 AND department = OLD.department AND n = 0;
    INSERT INTO counts (kind, key, department, n) VALUES ('quarter', NEW.data_creazione / 900000, NEW.department, 1)
        ON CONFLICT (kind, key, department) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER segnalazioni_resolved AFTER UPDATE OF risolta, department ON segnalazioni
WHEN ((OLD.risolta IS NULL) <> (NEW.risolta IS NULL) OR OLD.department <> NEW.department) AND NEW.da_parte IS NULL BEGIN
    UPDATE counts SET n = n - (OLD.risolta IS NOT NULL AND department = OLD.department)
            + (NEW.risolta IS NOT NULL AND department = NEW.department)
        WHERE kind = 'risolta' AND key = 1 AND (department = OLD.department OR department = NEW.department);
END;
-- What its sender sent is in no count while they are set aside.
CREATE TRIGGER segnalazioni_put_aside AFTER UPDATE OF da_parte ON segnalazioni WHEN (OLD.da_parte IS NULL) <> (NEW.da_parte IS NULL) BEGIN
    INSERT INTO counts (kind, key, department, n) VALUES ('quarter', NEW.data_creazione / 900000, NEW.department, 0)
        ON CONFLICT DO NOTHING;
    UPDATE counts SET n = n + iif(NEW.da_parte IS NULL, 1, -1)
        WHERE department = NEW.department AND (kind = 'stato' AND key = NEW.stato
        OR kind = 'quarter' AND key = NEW.data_creazione / 900000 OR kind = 'risolta' AND NEW.risolta IS NOT NULL);
    DELETE FROM counts WHERE kind = 'quarter' AND key = NEW.data_creazione / 900000 AND department = NEW.department AND n = 0;
END;
CREATE TRIGGER segnalazioni_uncounted AFTER DELETE ON segnalazioni WHEN OLD.da_parte IS NULL BEGIN
    UPDATE counts SET n = n - 1 WHERE kind = 'stato' AND key = OLD.stato AND department = OLD.department;
    UPDATE counts SET n = n - 1
        WHERE kind = 'quarter' AND key = OLD.data_creazione / 900000 AND department = OLD.department;
    DELETE FROM counts WHERE kind = 'quarter' AND key = OLD.data_creazione / 900000 AND department = OLD.department AND n = 0;
    UPDATE counts SET n = n - (OLD.risolta IS NOT NULL) WHERE kind = 'risolta' AND department = OLD.department;
END;

-- How conversations went, by local day: no content, no time finer than a day, nothing about who.
CREATE TABLE chat_stops (
    day     TEXT    NOT NULL CHECK (length(day) = 10),
    callout TEXT    NOT NULL, -- its id; empty for the usual conversation
    state   TEXT    NOT NULL,
    rule    TEXT    NOT NULL,
    n       INTEGER NOT NULL CHECK (n > 0),
    PRIMARY KEY (callout, day, state, rule)
) STRICT, WITHOUT ROWID;

-- Callouts ---------------------------------------------------------------------------------------------------------------

-- Questions that the newsroom puts to its public. What they ask is public, and is not sealed.
CREATE TABLE callouts (
    number     INTEGER PRIMARY KEY, -- in the order in which they were made
    id         TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
    slug       TEXT    NOT NULL UNIQUE,
    state      TEXT    NOT NULL CHECK (state IN ('bozza', 'aperta', 'chiusa')),
    department TEXT    REFERENCES departments (key), -- where its reports go; null for where routing sends them
    version    INTEGER NOT NULL,    -- that conversations begin with
    revision   INTEGER NOT NULL     -- grows with each change; the entity tag
) STRICT;
-- What a version asks. One that was open is never rewritten: conversations and reports refer to it.
CREATE TABLE callout_versions (
    callout TEXT    NOT NULL REFERENCES callouts (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    body    TEXT    NOT NULL,
    PRIMARY KEY (callout, version)
) STRICT, WITHOUT ROWID;

-- Erasure ---------------------------------------------------------------------------------------------------------------

-- Reports that were erased, and files that reporters took back: a digest of the id, when, and why. Nothing else of them is kept. A
-- restore lets none of them come back.
CREATE TABLE erased (
    trace BLOB    NOT NULL PRIMARY KEY CHECK (length(trace) = 32),
    at    INTEGER NOT NULL,
    cause TEXT    NOT NULL CHECK (cause IN ('richiesta', 'scadenza', 'ritiro'))
) STRICT, WITHOUT ROWID;

CREATE TABLE erased_counts (
    cause TEXT    NOT NULL PRIMARY KEY,
    n     INTEGER NOT NULL CHECK (n >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO erased_counts (cause, n) VALUES ('richiesta', 0), ('scadenza', 0);
CREATE TRIGGER erased_counted AFTER INSERT ON erased BEGIN
    UPDATE erased_counts SET n = n + 1 WHERE cause = NEW.cause;
END;

-- Since when the panel warns of what the age of reports will erase: the days in force, before when nothing may go, and
-- when the timed work last looked. No row while nothing is erased by age.
CREATE TABLE expiry (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    days       INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    seen       INTEGER NOT NULL
) STRICT;

-- Deliveries ------------------------------------------------------------------------------------------------------------

-- One row a message about a report; the two to its author ('conferma', 'risposta') are for its id, and their sealed body names
-- the address. A digest is not stored: it is every row that is 'sending' to one address. Rows that are
-- 'sending' at a start were cut off, and are sent again as the same set. `shown` is the state that people see.
CREATE TABLE deliveries (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    report      TEXT    NOT NULL REFERENCES segnalazioni (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,   -- any word: a new channel needs no other table
    destination TEXT    NOT NULL,
    message_id  TEXT    NOT NULL UNIQUE,
    state       TEXT    NOT NULL DEFAULT 'pending'
                CHECK (state = 'pending' OR state = 'sending' OR state = 'delivered' OR state = 'failed' OR state = 'ignored'),
    shown       TEXT    NOT NULL GENERATED ALWAYS AS (iif(state = 'sending', 'pending', state)) VIRTUAL,
    alone       INTEGER NOT NULL DEFAULT 0 CHECK (alone IN (0, 1)), -- not in a digest any more: one with it was refused
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    created     INTEGER NOT NULL,
    since       INTEGER NOT NULL,   -- when it was made, or when somebody last asked for another try
    next_at     INTEGER NOT NULL,   -- not tried before this
    concluded   INTEGER,
    error       TEXT,
    body        BLOB,
    UNIQUE (report, kind, destination),
    CHECK ((state IN ('pending', 'sending')) = (concluded IS NULL)),
    CHECK ((concluded IS NULL) = (body IS NOT NULL))
) STRICT;
CREATE INDEX deliveries_next ON deliveries (kind, destination, state, next_at) WHERE concluded IS NULL;
CREATE INDEX deliveries_since ON deliveries (kind, since) WHERE concluded IS NULL;
CREATE INDEX deliveries_retrying ON deliveries (kind) WHERE concluded IS NULL AND error IS NOT NULL;
CREATE INDEX deliveries_shown ON deliveries (shown, id);
CREATE INDEX deliveries_concluded ON deliveries (concluded) WHERE concluded IS NOT NULL;

CREATE TABLE delivery_counts (
    kind  TEXT    NOT NULL,
    state TEXT    NOT NULL,
    n     INTEGER NOT NULL CHECK (n >= 0),
    PRIMARY KEY (kind, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries BEGIN
    INSERT INTO delivery_counts (kind, state, n) VALUES (NEW.kind, NEW.shown, 1)
    ON CONFLICT (kind, state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER deliveries_recounted AFTER UPDATE OF state ON deliveries WHEN OLD.shown <> NEW.shown BEGIN
    UPDATE delivery_counts SET n = n - 1 WHERE kind = OLD.kind AND state = OLD.shown;
    INSERT INTO delivery_counts (kind, state, n) VALUES (NEW.kind, NEW.shown, 1)
    ON CONFLICT (kind, state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER deliveries_uncounted AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET n = n - 1 WHERE kind = OLD.kind AND state = OLD.shown;
END;

-- How a destination answered last: nothing goes to it before `open_at` (a minute after a mail, or the pause after failures).
CREATE TABLE destinations (
    kind     TEXT    NOT NULL,
    address  TEXT    NOT NULL,
    tried    INTEGER NOT NULL,
    open_at  INTEGER NOT NULL,
    failures INTEGER NOT NULL CHECK (failures >= 0),    -- attempts that failed since the last one that did not
    refused  INTEGER NOT NULL CHECK (refused >= 0),     -- of digests, refused for what they say since one was taken or divided
    PRIMARY KEY (kind, address)
) STRICT, WITHOUT ROWID;

-- Siege mode: when it was on, why, and what was done. One row at most has no end.
CREATE TABLE sieges (
    id           INTEGER NOT NULL PRIMARY KEY,
    began        INTEGER NOT NULL,
    ended        INTEGER,
    cause        TEXT    NOT NULL CHECK (cause IN ('giorno', 'raffica')),
    reports      INTEGER NOT NULL DEFAULT 0 CHECK (reports >= 0),       -- taken with a proof
    set_aside    INTEGER NOT NULL DEFAULT 0 CHECK (set_aside >= 0),
    mails_spared INTEGER NOT NULL DEFAULT 0 CHECK (mails_spared >= 0),
    restored     INTEGER NOT NULL DEFAULT 0 CHECK (restored >= 0),      -- of those set aside: what editors did with them together
    archived     INTEGER NOT NULL DEFAULT 0 CHECK (archived >= 0),
    erased       INTEGER NOT NULL DEFAULT 0 CHECK (erased >= 0)
) STRICT;
CREATE UNIQUE INDEX sieges_one_open ON sieges (ended IS NULL) WHERE ended IS NULL;

-- Routing ---------------------------------------------------------------------------------------------------------------

-- Reports that staff moved to another department than they arrived in, each with the sealed pieces of its text: near copies
-- follow them. The department is the report's own, and nothing of a move outlives its report.
CREATE TABLE routing_memory (
    id     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    report TEXT    NOT NULL UNIQUE REFERENCES segnalazioni (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    epoch  INTEGER NOT NULL REFERENCES epochs (id),
    pieces BLOB    NOT NULL
) STRICT;

-- Panel -----------------------------------------------------------------------------------------------------------------

CREATE TABLE settings (
    section TEXT    NOT NULL PRIMARY KEY CHECK (section IN ('security', 'system', 'prompts', 'email')),
    body    TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The newsroom's logo as it was handed in: the only picture there is. `hash` names its content in its address.
CREATE TABLE logo (
    id           INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    hash         TEXT    NOT NULL CHECK (length(hash) = 32),
    content_type TEXT    NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg', 'image/webp')),
    bytes        BLOB    NOT NULL CHECK (length(bytes) <= 524288),
    updated      INTEGER NOT NULL
) STRICT;

CREATE TABLE credential (
    id      INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    body    TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT;

-- Who logs in by a name of their own. A row stays when a person goes, so that what they did keeps their name; it opens nothing.
CREATE TABLE people (
    id          TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    name        TEXT    NOT NULL,
    user        TEXT    NOT NULL,
    role        TEXT    NOT NULL CHECK (role IN ('amministratore', 'redattore', 'lettore')),
    departments TEXT    CHECK (json_array_length(departments) > 0), -- keys of those that they see; null for all that there are
    credential  TEXT,               -- null until the invitation is answered
    totp        BLOB,               -- second factor, sealed under the key of the password's slot
    created     INTEGER NOT NULL,
    gone        INTEGER,
    last_login  INTEGER,
    invited_until INTEGER,
    invitation  BLOB    UNIQUE CHECK (length(invitation) = 32), -- a MAC of the link's token under the operational key
    CHECK ((invitation IS NULL) = (invited_until IS NULL)),
    CHECK (gone IS NULL OR (credential IS NULL AND totp IS NULL AND invitation IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX people_user ON people (user) WHERE gone IS NULL;
CREATE TRIGGER people_went AFTER UPDATE OF gone ON people BEGIN
    UPDATE snoozes SET person = '' WHERE person = NEW.id;
    DELETE FROM mentions WHERE person = NEW.id;
    DELETE FROM looks WHERE person = NEW.id;
    DELETE FROM notices WHERE person = NEW.id;
    DELETE FROM passkeys WHERE person = NEW.id;
END;

-- Passkeys of people. A slot of the newsroom's key that one opens goes with it, as do the sessions that began by it.
CREATE TABLE passkeys (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    person     TEXT    NOT NULL REFERENCES people (id),
    name       TEXT    NOT NULL CHECK (name <> ''),
    host       TEXT    NOT NULL,        -- where alone it is valid
    handle     BLOB    NOT NULL UNIQUE, -- by which authenticators name it
    credential TEXT    NOT NULL,        -- public key and counter, as the library writes them
    salt       BLOB    NOT NULL CHECK (length(salt) = 32), -- of the key of its slot
    created    INTEGER NOT NULL,
    last_used  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_person ON passkeys (person);
CREATE TRIGGER passkeys_went AFTER DELETE ON passkeys BEGIN
    DELETE FROM key_slots WHERE kind = 'passkey' AND owner = OLD.id;
END;

-- How people are told by mail what waits for them: `person` is empty for the newsroom's own, whose address is a setting.
CREATE TABLE notices (
    person TEXT    NOT NULL PRIMARY KEY,
    email  TEXT    NOT NULL,        -- confirmed; empty for none
    hours  TEXT    NOT NULL,        -- of the newsroom's day, with blanks between them
    urgent INTEGER NOT NULL CHECK (urgent IN (0, 1)), -- whether an urgent report is told at once
    told   INTEGER NOT NULL,        -- the hour of the last notice
    seen   INTEGER NOT NULL         -- arrival number of the last report that was there when they were told of urgent ones
) STRICT, WITHOUT ROWID;

-- A MAC under the operational key over what decides who gets in and where reports go: `key_pairs`, `key_slots`, `credential`,
-- `people`, `passkeys`, the addresses of `notices`, `settings` and `held` (`actions::authenticity`).
CREATE TABLE authenticity (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    held INTEGER NOT NULL CHECK (held IN (0, 1)), -- nothing is sent until an editor confirms where it goes
    mac  BLOB    NOT NULL CHECK (length(mac) = 32)
) STRICT;

-- `token_hash` is a MAC of the cookie under the operational key; `proof` one over that, the person, their rights, the verifier of
-- their password, and the passkey (`actions::sign_in`).
CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    proof      BLOB    NOT NULL CHECK (length(proof) = 32),
    person     TEXT    REFERENCES people (id), -- null for the shared password
    user_agent TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    newcomer   INTEGER,             -- when somebody logged in from an unknown browser meanwhile; null once told
    passkey    TEXT    REFERENCES passkeys (id) ON DELETE CASCADE -- by which it began; null for a password
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_person ON sessions (person);
CREATE INDEX sessions_passkey ON sessions (passkey);

CREATE TABLE login_attempts (
    id      INTEGER NOT NULL PRIMARY KEY,
    at      INTEGER NOT NULL,
    bucket  BLOB    CHECK (length(bucket) = 16),    -- of a client or a known browser; null once forgiven
    network BLOB    CHECK (length(network) = 16),   -- of a client's IPv6 /48
    account TEXT,                                   -- whose password was tried, as in `browsers`; null for nobody's
    known   INTEGER NOT NULL CHECK (known IN (0, 1))
) STRICT;

-- Which of the machines that have had this archive may serve it (RISERVA.md): raised when a standby takes over; without a row, 1.
CREATE TABLE generation (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    n  INTEGER NOT NULL CHECK (n > 0)
) STRICT;

-- Browsers that logged in before, the one of the latest login last, and login links that were not used: each for one account, the
-- id of a person or empty for the shared password; 'passkey' after the id where the login was by one.
CREATE TABLE browsers (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    token_hash BLOB    NOT NULL CHECK (length(token_hash) = 32),
    account    TEXT    NOT NULL,
    until      INTEGER NOT NULL,
    UNIQUE (token_hash, account)
) STRICT;

-- What staff did. Entries of a kind are numbered without a gap, each with a MAC under the operational key over itself and the one
-- before (`actions::log_chain`).
CREATE TABLE access_log (
    id         INTEGER NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    action     TEXT    NOT NULL,
    ip         TEXT    NOT NULL,
    user_agent TEXT    NOT NULL,
    report     TEXT    CHECK (report <> ''),
    person     TEXT    CHECK (person <> ''), -- null for the shared password and for a command on the server
    who        TEXT    CHECK (who <> ''),    -- the person's name at the time, or that it was the shared password
    about      TEXT    CHECK (about <> ''),  -- to whom something was done, and what
    times      INTEGER NOT NULL CHECK (times > 0),
    mac        BLOB    NOT NULL CHECK (length(mac) = 32)
) STRICT;
CREATE INDEX access_log_kind ON access_log (kind, n);

-- The ends of the chains of `access_log`, under one MAC.
CREATE TABLE access_ends (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    body TEXT    NOT NULL,
    mac  BLOB    NOT NULL CHECK (length(mac) = 32)
) STRICT;

-- The newsroom's logo as it was handed in: the only picture there is. `hash` names its content in its address.
CREATE TABLE logo (
    id           INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    hash         TEXT    NOT NULL CHECK (length(hash) = 32),
    content_type TEXT    NOT NULL CHECK (content_type IN ('image/png', 'image/jpeg', 'image/webp')),
    bytes        BLOB    NOT NULL CHECK (length(bytes) <= 524288),
    updated      INTEGER NOT NULL
) STRICT;

-- Thousands may wait through an outage, and each report and each attempt asks what waits: what is due first, what is newest and
-- what was cut off stand at the end of an index, whatever else waits. Calls of the webhook are asked for one by one, in
-- the same way. Mails are asked for by lists: of what waits for their address, and nothing else, one index is read.
DROP INDEX deliveries_waiting;
DROP INDEX deliveries_lists;
CREATE INDEX deliveries_waiting ON deliveries (kind, destination, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_newest ON deliveries (kind, destination, since) WHERE state = 'pending';
CREATE INDEX deliveries_lists ON deliveries (destination, doubt, most, id, attempts, next_at)
    WHERE state = 'pending' AND kind = 'email';
CREATE INDEX deliveries_calls ON deliveries (destination, attempts, next_at) WHERE state = 'pending' AND kind = 'webhook';
CREATE INDEX deliveries_under_way ON deliveries (kind, destination, under_way) WHERE under_way IS NOT NULL;

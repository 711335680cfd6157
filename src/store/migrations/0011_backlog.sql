-- Thousands may wait through an outage, and each report and each attempt asks what is to go next: every such question is
-- answered at the end of an index. Mails are asked for by lists, calls of the webhook one by one.
DROP INDEX deliveries_waiting;
DROP INDEX deliveries_lists;
DROP INDEX deliveries_late;
CREATE INDEX deliveries_waiting ON deliveries (kind, destination, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_late ON deliveries (kind, since, destination) WHERE state = 'pending';
CREATE INDEX deliveries_lists ON deliveries (destination, doubt, most, id, attempts, next_at)
    WHERE state = 'pending' AND kind = 'email';
CREATE INDEX deliveries_calls ON deliveries (destination, attempts, next_at) WHERE state = 'pending' AND kind = 'webhook';
CREATE INDEX deliveries_under_way ON deliveries (kind, destination, under_way) WHERE under_way IS NOT NULL;

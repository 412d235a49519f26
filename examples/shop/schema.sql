-- The shop's own tables. Money is integer cents beside its currency; every time has a zone.
CREATE SCHEMA shop AUTHORIZATION shop_owner;
SET ROLE shop_owner;
SET search_path = shop;

CREATE TABLE customers (
    id text PRIMARY KEY, tenant text NOT NULL, name text NOT NULL, email text NOT NULL,
    street text NOT NULL, postcode text NOT NULL, city text NOT NULL, country text NOT NULL,
    created_at timestamptz NOT NULL,
    locked_at timestamptz, unlocked_at timestamptz, failed_logins int NOT NULL DEFAULT 0, last_login_at timestamptz
);

CREATE TABLE orders (
    id text PRIMARY KEY, tenant text NOT NULL, customer_id text NOT NULL REFERENCES customers,
    state text NOT NULL CHECK (state IN ('placed', 'paid', 'packed', 'shipped', 'delivered', 'cancelled', 'returned')),
    total_cents bigint NOT NULL, currency text NOT NULL,
    placed_at timestamptz NOT NULL, shipped_at timestamptz,
    ship_to_name text NOT NULL, ship_to_street text NOT NULL, ship_to_postcode text NOT NULL, ship_to_city text NOT NULL
);
CREATE INDEX ON orders (customer_id, placed_at);

CREATE TABLE order_items (
    order_id text NOT NULL REFERENCES orders, position int NOT NULL, sku text NOT NULL, title text NOT NULL,
    quantity int NOT NULL, unit_cents bigint NOT NULL, PRIMARY KEY (order_id, position)
);

CREATE TABLE payments (
    id text PRIMARY KEY, order_id text NOT NULL REFERENCES orders,
    kind text NOT NULL CHECK (kind IN ('authorization', 'capture')),
    state text NOT NULL CHECK (state IN ('authorized', 'captured', 'voided', 'declined', 'expired', 'pending', 'settled')),
    amount_cents bigint NOT NULL, currency text NOT NULL, card_last4 text NOT NULL,
    created_at timestamptz NOT NULL, settled_at timestamptz
);
CREATE INDEX ON payments (order_id);

CREATE TABLE invoices (
    id text PRIMARY KEY, order_id text NOT NULL UNIQUE REFERENCES orders,
    total_cents bigint NOT NULL, currency text NOT NULL, issued_at timestamptz NOT NULL
);

CREATE TABLE refunds (
    id text PRIMARY KEY, order_id text NOT NULL REFERENCES orders, payment_id text NOT NULL REFERENCES payments,
    state text NOT NULL CHECK (state IN ('requested', 'approved', 'paid', 'rejected', 'returned_by_bank')),
    requested_cents bigint NOT NULL, paid_cents bigint NOT NULL, currency text NOT NULL,
    method text NOT NULL CHECK (method IN ('original_payment', 'voucher')),
    requested_at timestamptz NOT NULL, paid_at timestamptz
);
CREATE INDEX ON refunds (order_id);

CREATE TABLE shipments (
    id text PRIMARY KEY, order_id text NOT NULL REFERENCES orders, parcel int NOT NULL, parcels int NOT NULL,
    carrier text NOT NULL, tracking_number text NOT NULL,
    state text NOT NULL CHECK (state IN ('announced', 'in_transit', 'delivered', 'returning', 'returned')),
    shipped_at timestamptz
);
CREATE INDEX ON shipments (order_id);

CREATE TABLE shipment_events (
    shipment_id text NOT NULL REFERENCES shipments, at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('picked_up', 'in_transit', 'attempted', 'delivered', 'return_started', 'returned')),
    postcode text NOT NULL, handed_to text NOT NULL DEFAULT '', signed_by text NOT NULL DEFAULT '',
    PRIMARY KEY (shipment_id, at)
);

CREATE TABLE emails (
    id text PRIMARY KEY, order_id text NOT NULL REFERENCES orders, template text NOT NULL, to_address text NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'sent', 'delivered', 'bounced', 'complained')),
    queued_at timestamptz NOT NULL, delivered_at timestamptz, bounced_at timestamptz, bounce_reason text NOT NULL DEFAULT ''
);
CREATE INDEX ON emails (order_id);

CREATE TABLE jobs (
    id text PRIMARY KEY, tenant text NOT NULL, queue text NOT NULL, kind text NOT NULL, order_id text,
    state text NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'dead', 'purged')),
    attempts int NOT NULL, last_error_class text NOT NULL DEFAULT '', last_error text NOT NULL DEFAULT '',
    enqueued_at timestamptz NOT NULL, started_at timestamptz, finished_at timestamptz, rerun_of text
);
CREATE INDEX ON jobs (queue, finished_at);

CREATE TABLE queues (
    name text PRIMARY KEY, service text NOT NULL, warn_depth int NOT NULL, normal_depth int NOT NULL
);
CREATE TABLE queue_samples (
    queue text NOT NULL REFERENCES queues, at timestamptz NOT NULL,
    depth int NOT NULL, oldest_seconds int NOT NULL, consumers int NOT NULL, PRIMARY KEY (queue, at)
);

CREATE TABLE services (name text PRIMARY KEY, team text NOT NULL, does text NOT NULL);
CREATE TABLE service_samples (
    service text NOT NULL REFERENCES services, at timestamptz NOT NULL,
    requests int NOT NULL, errors int NOT NULL, probes int NOT NULL, probes_ok int NOT NULL, p95_ms int NOT NULL,
    PRIMARY KEY (service, at)
);

CREATE TABLE deploys (
    id text PRIMARY KEY, service text NOT NULL REFERENCES services, version text NOT NULL,
    state text NOT NULL CHECK (state IN ('rolling', 'succeeded', 'failed', 'rolled_back')),
    started_at timestamptz NOT NULL, finished_at timestamptz,
    pods_total int NOT NULL, pods_ready int NOT NULL, started_by text NOT NULL
);
-- Each build reports its counters under the names it likes: the shop never agreed on a schema for them.
CREATE TABLE deploy_counters (
    deploy_id text PRIMARY KEY REFERENCES deploys, reported_at timestamptz NOT NULL, counters jsonb NOT NULL
);

CREATE TABLE alert_rules (
    name text PRIMARY KEY, expression text NOT NULL, severity text NOT NULL, heartbeat text NOT NULL DEFAULT '', summary text NOT NULL
);
CREATE TABLE heartbeats (name text PRIMARY KEY, every_seconds int NOT NULL, watches text NOT NULL);
CREATE TABLE heartbeat_beats (
    heartbeat text NOT NULL REFERENCES heartbeats, at timestamptz NOT NULL, PRIMARY KEY (heartbeat, at)
);

CREATE TABLE certificates (
    host text PRIMARY KEY, served_serial text NOT NULL, issued_serial text NOT NULL,
    not_before timestamptz NOT NULL, not_after timestamptz NOT NULL, endpoints int NOT NULL, endpoints_serving int NOT NULL,
    checked_at timestamptz NOT NULL
);
CREATE TABLE disk_samples (
    instance text NOT NULL, mount text NOT NULL, at timestamptz NOT NULL,
    used_bytes bigint NOT NULL, size_bytes bigint NOT NULL, is_writable boolean NOT NULL, PRIMARY KEY (instance, mount, at)
);
CREATE TABLE maintenance_windows (
    id text PRIMARY KEY, service text NOT NULL REFERENCES services, work text NOT NULL, announced_at timestamptz NOT NULL,
    starts_at timestamptz NOT NULL, ends_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('planned', 'running', 'finished', 'cancelled'))
);
-- The monitoring's own record: one row each minute that an alert was evaluated, firing or not.
CREATE TABLE alert_samples (
    alertname text NOT NULL, instance text NOT NULL, at timestamptz NOT NULL, is_firing boolean NOT NULL,
    PRIMARY KEY (alertname, instance, at)
);
CREATE TABLE alert_tickets (
    id text PRIMARY KEY, alertname text NOT NULL, instance text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'closed')), opened_at timestamptz NOT NULL,
    taken_by text NOT NULL DEFAULT '', taken_at timestamptz
);
-- What the shop lets others write: a dead job is queued again, once for each key.
CREATE TABLE job_retries (key text PRIMARY KEY, job_id text NOT NULL REFERENCES jobs, at timestamptz NOT NULL);
CREATE PROCEDURE retry_job(wanted text, key text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = shop, pg_temp AS $$
BEGIN
    INSERT INTO job_retries VALUES (retry_job.key, wanted, now()) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE jobs SET state = 'queued', started_at = NULL, finished_at = NULL WHERE id = wanted AND state = 'dead';
    IF NOT FOUND THEN RAISE EXCEPTION 'job % is not dead', wanted; END IF;
END $$;
REVOKE ALL ON PROCEDURE retry_job(text, text) FROM PUBLIC;
RESET ROLE;

-- Switched endpoints, and the admin who turns them. Only adds: the release before this one goes on beside it.

-- ---- Grants

-- Access tokens carry the epoch they were made in; one of an earlier epoch is dead. Raising it ends all access tokens
-- issued so far and leaves the refresh token.
ALTER TABLE grants ADD COLUMN access_epoch integer NOT NULL DEFAULT 0;
-- Names of claims asked for beside the scope (Core §5.5); NULL: none.
ALTER TABLE grants ADD COLUMN userinfo_claims text[], ADD COLUMN id_token_claims text[];
ALTER TABLE authorization_codes ADD COLUMN userinfo_claims text[], ADD COLUMN id_token_claims text[];
-- Codes that could still be redeemed, for whoever ends what an account has given to a client.
CREATE INDEX authorization_codes_unspent ON authorization_codes (account_id) WHERE spent_at IS NULL;

-- Grants that are still to be ended, for who disables a client.
CREATE INDEX grants_client_live ON grants (client_id) WHERE ended_at IS NULL;

ALTER TABLE browser_sessions ADD COLUMN end_reason text;

-- For lists: of accounts page by page, and of who has granted what to a client.
CREATE INDEX accounts_page ON accounts (canonical_username COLLATE "C");
CREATE INDEX consents_client ON consents (client_id, account_id);

-- ---- Clients

-- As before, and a client that gets another id is news for both.
CREATE OR REPLACE FUNCTION notify_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb;
BEGIN
    IF TG_ARGV[0] <> 'client' THEN
        PERFORM pg_notify('seleid', TG_ARGV[0]);
        RETURN NULL;
    END IF;
    FOREACH changed IN ARRAY ARRAY[to_jsonb(OLD), to_jsonb(NEW)] LOOP
        CONTINUE WHEN changed IS NULL;
        PERFORM pg_notify('seleid', 'client:' || (changed ->> 'client_id'));
    END LOOP;
    RETURN NULL;
END $$;

ALTER TABLE client_secrets ADD COLUMN last_used_at timestamptz;
-- That a secret was used is no news for the nodes.
CREATE OR REPLACE TRIGGER client_secrets_notify AFTER INSERT OR DELETE OR UPDATE OF hash, expires_at ON client_secrets
    FOR EACH ROW EXECUTE FUNCTION notify_nodes('client');

-- Off means off: what a disabled client has ends, and enabling it again does not bring it back. Done once more on
-- enabling, for codes that a node gave out which had not yet heard.
-- A client of many people must be off at once too, so no more grants are ended here than take a moment; housekeeping ends
-- the rest, which is good for nothing while the client is disabled, and until then it cannot be enabled.
CREATE FUNCTION end_with_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE authorization_codes SET spent_at = now() WHERE client_id = NEW.client_id AND spent_at IS NULL;
    UPDATE grants SET ended_at = now(), end_reason = 'client_disabled' WHERE id = ANY (ARRAY(
        SELECT id FROM grants WHERE client_id = NEW.client_id AND ended_at IS NULL LIMIT 10000));
    IF NEW.enabled AND EXISTS (SELECT FROM grants WHERE client_id = NEW.client_id AND ended_at IS NULL) THEN
        RAISE EXCEPTION 'grants of the client are still to be ended' USING ERRCODE = 'object_in_use';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER clients_end AFTER UPDATE OF enabled ON clients
    FOR EACH ROW WHEN (NEW.enabled <> OLD.enabled) EXECUTE FUNCTION end_with_client();

-- ---- What people can end, or admins for them

-- Whoever locks several rows does it in this order: client, code, account, session, grants. These are functions, not
-- statements, because what ends must be looked for after the lock is had: what came before it is then seen, and what comes
-- later waits, and finds that there is nothing left to build on.

-- Ends a browser session and every grant made from it; false if there was nothing to end. A session that ended because
-- somebody else signed in with that browser may have grants still.
CREATE FUNCTION end_session(p_id bigint, p_reason text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    had boolean;
BEGIN
    UPDATE browser_sessions SET ended_at = now(), end_reason = p_reason WHERE id = p_id AND ended_at IS NULL;
    had := FOUND;
    UPDATE grants SET ended_at = now(), end_reason = p_reason WHERE session_id = p_id AND ended_at IS NULL;
    RETURN had OR FOUND;
END $$;

-- Ends all browser sessions and grants of an account; how many sessions and grants that were.
CREATE FUNCTION end_account_sessions(p_account_id bigint, p_reason text, OUT sessions bigint, OUT grants bigint)
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = p_account_id FOR NO KEY UPDATE;
    UPDATE browser_sessions SET ended_at = now(), end_reason = p_reason
        WHERE account_id = p_account_id AND ended_at IS NULL;
    GET DIAGNOSTICS sessions = ROW_COUNT;
    UPDATE grants SET ended_at = now(), end_reason = p_reason WHERE account_id = p_account_id AND ended_at IS NULL;
    GET DIAGNOSTICS grants = ROW_COUNT;
END $$;

-- The two ends of the first schema, now with a reason for the sessions too.
CREATE OR REPLACE FUNCTION set_password(p_username text, p_hash text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    account bigint;
BEGIN
    UPDATE accounts SET password_hash = p_hash, updated_at = now()
        WHERE canonical_username = canonical_username(p_username) RETURNING id INTO account;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM end_account_sessions(account, 'password_changed');
    RETURN true;
END $$;
CREATE OR REPLACE FUNCTION end_with_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM end_account_sessions(NEW.id, 'account_' || NEW.status);
    RETURN NULL;
END $$;

-- Forgets what a person has granted to a client, and ends what came of it; false if there was nothing.
CREATE FUNCTION withdraw_consent(p_account_id bigint, p_client_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    had boolean;
    ended bigint;
BEGIN
    UPDATE authorization_codes SET spent_at = now()
        WHERE account_id = p_account_id AND client_id = p_client_id AND spent_at IS NULL;
    -- Who redeems a code that was saved only now either holds the account, and its grant is seen below, or waits for us
    -- and finds no consent.
    PERFORM FROM accounts WHERE id = p_account_id FOR NO KEY UPDATE;
    DELETE FROM consents WHERE account_id = p_account_id AND client_id = p_client_id;
    had := FOUND;
    UPDATE grants SET ended_at = now(), end_reason = 'consent_withdrawn'
        WHERE account_id = p_account_id AND client_id = p_client_id AND ended_at IS NULL;
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN had OR ended > 0;
END $$;

-- ---- Audit

-- What happened, who did it, from where. Append-only; one partition a month (UTC).
CREATE TABLE audit_events (
    id bigint GENERATED ALWAYS AS IDENTITY,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    event text NOT NULL,
    -- 'person', 'client', 'admin_token', 'command', 'system' or 'anonymous', and its sub, client_id or name.
    actor_kind text NOT NULL,
    actor text,
    client_id text,
    subject text,
    address text,
    request_id text,
    -- Never a secret: reasons, and before and after of what an admin changed.
    detail jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (id, occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX audit_events_event ON audit_events (event, id);
CREATE INDEX audit_events_client ON audit_events (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX audit_events_subject ON audit_events (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX audit_events_request ON audit_events (request_id) WHERE request_id IS NOT NULL;
-- Few events are an admin's.
CREATE INDEX audit_events_actor ON audit_events (actor_kind, actor, id) WHERE actor_kind IN ('admin_token', 'command');

-- No role may change or delete an event, the owner of the table neither. Old months are dropped whole, by DDL.
CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit events can only be added' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_events_final BEFORE UPDATE OR DELETE ON audit_events
    FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audit_events_not_emptied BEFORE TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();

-- Takes what no month's partition takes, so that nothing is ever refused for want of one.
CREATE TABLE audit_events_other PARTITION OF audit_events DEFAULT;
CREATE TRIGGER audit_events_not_emptied BEFORE TRUNCATE ON audit_events_other
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit();

-- Makes the partitions of this month and the two after it, where they are missing. With its owner's rights, so that
-- the server's role needs none of its own.
-- Nobody waits for it. A table is made apart and then attached, which is in the way of no INSERT (but one into the default
-- partition, for as long as that is looked through); what cannot be locked at once is left for the next call.
CREATE FUNCTION prepare_audit_partitions() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
DECLARE
    month timestamptz;
    next_month timestamptz;
    name text;
BEGIN
    -- Who comes second leaves it to the first.
    IF NOT pg_try_advisory_xact_lock(7357004) THEN
        RETURN;
    END IF;
    FOR i IN 0..2 LOOP
        month := (date_trunc('month', now() AT TIME ZONE 'UTC') + i * interval '1 month') AT TIME ZONE 'UTC';
        next_month := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
        name := 'audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
        -- A month that the default partition holds events of already stays there to its end.
        CONTINUE WHEN to_regclass(name) IS NOT NULL OR EXISTS (
            SELECT FROM audit_events_other WHERE occurred_at >= month AND occurred_at < next_month);
        BEGIN
            EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS INCLUDING INDEXES)', name);
            EXECUTE format('CREATE TRIGGER audit_events_not_emptied BEFORE TRUNCATE ON %I
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit()', name);
            EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, month, next_month);
        EXCEPTION
            -- In use just now, or an event of that month has come into the default partition meanwhile.
            WHEN lock_not_available OR check_violation THEN NULL;
        END;
    END LOOP;
END $$;
-- A function with its owner's rights must not find what its caller has put in front: this schema only.
DO $$ BEGIN
    EXECUTE format('ALTER FUNCTION prepare_audit_partitions() SET search_path = %I, pg_temp', current_schema());
END $$;
SELECT prepare_audit_partitions();

-- ---- Admin tokens

CREATE TABLE admin_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'operator', 'auditor')),
    -- What it is narrowed to ('clients', 'accounts', ...); NULL: all that the role may.
    areas text[],
    -- Keyed SHA-256, with the name of its key in front.
    hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);

-- ---- Redeeming a code

-- As before, and: what was asked by the claims parameter goes along, a disabled client gets nothing, nor does one whose
-- consent was withdrawn meanwhile, and a replay is recorded in the same transaction that ends the grant.
CREATE FUNCTION redeem_code(
    p_code_hash bytea, p_client_id text, p_redirect_uri text, p_code_challenge text, p_redemption bytea,
    p_idle_seconds bigint, p_lifetime_seconds bigint, p_address text, p_request_id text,
    OUT outcome text, OUT grant_id bigint, OUT account_id bigint, OUT subject text, OUT scope text[], OUT nonce text,
    OUT auth_time timestamptz, OUT sid text, OUT acr text, OUT amr text[], OUT access_epoch integer,
    OUT id_token_claims text[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    code authorization_codes;
    needs_consent boolean;
BEGIN
    -- Each row that an end begins with is locked before it is looked at: who ends it now either came before and is seen,
    -- or waits and then ends the grant too.
    SELECT c.metadata -> 'first_party' IS DISTINCT FROM 'true' INTO needs_consent
        FROM clients c WHERE c.client_id = p_client_id AND c.enabled FOR SHARE;
    IF NOT FOUND THEN
        outcome := 'client_disabled';
        RETURN;
    END IF;
    UPDATE authorization_codes SET spent_at = now(), redemption = p_redemption
        WHERE code_hash = p_code_hash AND client_id = p_client_id
            AND (spent_at IS NULL OR redemption = p_redemption AND grant_id IS NOT NULL)
        RETURNING * INTO code;
    IF NOT FOUND THEN
        UPDATE grants g SET ended_at = now(), end_reason = 'code_reused'
            FROM authorization_codes c
            WHERE c.code_hash = p_code_hash AND c.client_id = p_client_id AND g.id = c.grant_id AND g.ended_at IS NULL
            RETURNING g.id, g.subject INTO grant_id, subject;
        IF FOUND THEN
            outcome := 'replayed';
            INSERT INTO audit_events (event, actor_kind, actor, client_id, subject, address, request_id, detail)
                VALUES ('code.replayed', 'client', p_client_id, p_client_id, redeem_code.subject, p_address,
                    p_request_id, jsonb_build_object('ended_grant', redeem_code.grant_id));
        ELSE
            outcome := 'unknown';
        END IF;
        RETURN;
    END IF;
    IF code.expires_at <= now() THEN
        outcome := 'expired';
        RETURN;
    END IF;
    IF code.redirect_uri IS DISTINCT FROM p_redirect_uri THEN
        outcome := 'wrong_redirect_uri';
        RETURN;
    END IF;
    IF code.code_challenge IS DISTINCT FROM p_code_challenge THEN
        outcome := 'wrong_verifier';
        RETURN;
    END IF;
    SELECT a.subject INTO subject FROM accounts a WHERE a.id = code.account_id AND a.status = 'active' FOR SHARE;
    IF FOUND THEN
        PERFORM FROM browser_sessions s WHERE s.id = code.session_id AND s.ended_at IS NULL FOR SHARE;
    END IF;
    IF NOT FOUND THEN
        outcome := 'signed_out';
        RETURN;
    END IF;
    IF needs_consent AND NOT EXISTS (SELECT FROM consents c
            WHERE c.account_id = code.account_id AND c.client_id = p_client_id) THEN
        outcome := 'consent_withdrawn';
        RETURN;
    END IF;
    grant_id := code.grant_id;
    IF grant_id IS NULL THEN
        INSERT INTO grants (client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr, expires_at,
                idle_expires_at, userinfo_claims, id_token_claims)
            VALUES (code.client_id, code.account_id, subject, code.session_id, code.sid, code.scope, code.auth_time,
                code.acr, code.amr,
                now() + p_lifetime_seconds * interval '1 second', now() + p_idle_seconds * interval '1 second',
                code.userinfo_claims, code.id_token_claims)
            RETURNING id, access_epoch INTO grant_id, access_epoch;
        UPDATE authorization_codes SET grant_id = redeem_code.grant_id WHERE code_hash = p_code_hash;
    ELSE
        SELECT g.access_epoch INTO access_epoch FROM grants g WHERE g.id = code.grant_id;
    END IF;
    outcome := 'fresh';
    account_id := code.account_id;
    scope := code.scope;
    nonce := code.nonce;
    auth_time := code.auth_time;
    sid := code.sid;
    acr := code.acr;
    amr := code.amr;
    id_token_claims := code.id_token_claims;
END $$;

-- The first schema: everything that must survive a node. Times are timestamptz; expiry is judged by this server's clock.

-- One spelling per person: compatibility form and lower case, so that "Alice" and "alice", or "é" in one code point and in
-- two, are the same account.
CREATE FUNCTION canonical_username(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN normalize(lower(normalize(name, NFKC) COLLATE "und-x-icu"), NFKC);

-- Tells all nodes what changed, once the change is committed: "<what>" or "<what>:<key>".
CREATE FUNCTION notify_nodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(COALESCE(NEW, OLD));
BEGIN
    PERFORM pg_notify('seleid', CASE TG_ARGV[0] WHEN 'client' THEN 'client:' || (changed ->> 'client_id') ELSE TG_ARGV[0] END);
    RETURN NULL;
END $$;

CREATE TABLE clients (
    client_id text PRIMARY KEY,
    metadata jsonb NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER clients_notify AFTER INSERT OR UPDATE OR DELETE ON clients
    FOR EACH ROW EXECUTE FUNCTION notify_nodes('client');

CREATE TABLE client_secrets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id text NOT NULL REFERENCES clients ON DELETE CASCADE,
    -- Keyed SHA-256, with the name of its key in front.
    hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
);
CREATE INDEX client_secrets_client ON client_secrets (client_id);
CREATE TRIGGER client_secrets_notify AFTER INSERT OR UPDATE OR DELETE ON client_secrets
    FOR EACH ROW EXECUTE FUNCTION notify_nodes('client');

CREATE TABLE accounts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- `sub`: random, never reassigned, unrelated to the username.
    subject text NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    username text NOT NULL,
    canonical_username text GENERATED ALWAYS AS (canonical_username(username)) STORED UNIQUE,
    password_hash text,
    claims jsonb NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled', 'closed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Sets the password; false if there is no such account. Its sessions and grants end.
-- A function, not a statement, because what ends must be looked for after the account is locked: a sign-in or a code
-- that came before then is seen, and one that comes later waits and sees the new password or the ended session.
CREATE FUNCTION set_password(p_username text, p_hash text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    account bigint;
BEGIN
    UPDATE accounts SET password_hash = p_hash, updated_at = now()
        WHERE canonical_username = canonical_username(p_username) RETURNING id INTO account;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE browser_sessions SET ended_at = now() WHERE account_id = account AND ended_at IS NULL;
    UPDATE grants SET ended_at = now(), end_reason = 'password_changed' WHERE account_id = account AND ended_at IS NULL;
    RETURN true;
END $$;

CREATE TABLE browser_sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Keyed SHA-256 of the cookie's value.
    secret_hash bytea NOT NULL UNIQUE,
    -- What ID Tokens call the session.
    sid text NOT NULL UNIQUE,
    account_id bigint NOT NULL REFERENCES accounts,
    auth_time timestamptz NOT NULL,
    acr text NOT NULL,
    amr text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
);
CREATE INDEX browser_sessions_account ON browser_sessions (account_id);
CREATE INDEX browser_sessions_expiry ON browser_sessions (expires_at);

CREATE TABLE consents (
    account_id bigint NOT NULL REFERENCES accounts,
    client_id text NOT NULL REFERENCES clients ON DELETE CASCADE,
    scope text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, client_id)
);

-- One row per sign-in of a person at an app: the refresh-token family. Refreshing updates it in place; no column that
-- changes then is indexed and each page keeps room, so the new version stays on its page.
CREATE TABLE grants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id bigint NOT NULL REFERENCES accounts,
    session_id bigint NOT NULL,
    auth_time timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The end in all, fixed at the start.
    expires_at timestamptz NOT NULL,
    -- The end if nothing is refreshed before.
    idle_expires_at timestamptz NOT NULL,
    rotated_at timestamptz,
    ended_at timestamptz,
    -- The generation of the newest refresh token.
    generation integer NOT NULL DEFAULT 0,
    -- How often the newest refresh token was handed out once more.
    retries integer NOT NULL DEFAULT 0,
    -- What the last refresh did: 'fresh', 'retried' or 'reused'.
    last_refresh text,
    end_reason text,
    client_id text NOT NULL REFERENCES clients ON DELETE CASCADE,
    -- The account's, which never changes: a refresh needs no other row.
    subject text NOT NULL,
    sid text NOT NULL,
    acr text NOT NULL,
    scope text[] NOT NULL,
    amr text[] NOT NULL
) WITH (fillfactor = 75);
CREATE INDEX grants_account ON grants (account_id);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_session ON grants (session_id);
CREATE INDEX grants_expiry ON grants (expires_at);
CREATE INDEX grants_ended ON grants (ended_at) WHERE ended_at IS NOT NULL;

-- Off means off: an account that is not active any more takes its sessions and grants with it, whoever changes it and how,
-- and activating it again does not bring them back.
CREATE FUNCTION end_with_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE browser_sessions SET ended_at = now() WHERE account_id = NEW.id AND ended_at IS NULL;
    UPDATE grants SET ended_at = now(), end_reason = 'account_' || NEW.status WHERE account_id = NEW.id AND ended_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER accounts_end AFTER UPDATE OF status ON accounts
    FOR EACH ROW WHEN (NEW.status <> 'active') EXECUTE FUNCTION end_with_account();

CREATE TABLE authorization_codes (
    -- Keyed SHA-256 of the code.
    code_hash bytea PRIMARY KEY,
    client_id text NOT NULL REFERENCES clients ON DELETE CASCADE,
    account_id bigint NOT NULL REFERENCES accounts,
    session_id bigint NOT NULL,
    sid text NOT NULL,
    redirect_uri text NOT NULL,
    scope text[] NOT NULL,
    nonce text,
    code_challenge text,
    auth_time timestamptz NOT NULL,
    acr text NOT NULL,
    amr text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    spent_at timestamptz,
    -- Which redemption spent it: the same one asked again, after a lost answer of this server, gets the same grant.
    redemption bytea,
    -- What the code gave: a second use ends it.
    grant_id bigint
);
CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at);

-- Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.6). One winner: the code is spent by one UPDATE, right or wrong verifier
-- alike. A later use by the same client ends what the first gave. Another client's attempt touches nothing.
-- A function, not a statement, because the loser of a race must see what the winner committed while it waited.
CREATE FUNCTION redeem_code(
    p_code_hash bytea, p_client_id text, p_redirect_uri text, p_code_challenge text, p_redemption bytea,
    p_idle_seconds bigint, p_lifetime_seconds bigint,
    OUT outcome text, OUT grant_id bigint, OUT account_id bigint, OUT subject text, OUT scope text[], OUT nonce text,
    OUT auth_time timestamptz, OUT sid text, OUT acr text, OUT amr text[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    code authorization_codes;
BEGIN
    UPDATE authorization_codes SET spent_at = now(), redemption = p_redemption
        WHERE code_hash = p_code_hash AND client_id = p_client_id
            AND (spent_at IS NULL OR redemption = p_redemption AND grant_id IS NOT NULL)
        RETURNING * INTO code;
    IF NOT FOUND THEN
        UPDATE grants g SET ended_at = now(), end_reason = 'code_reused'
            FROM authorization_codes c
            WHERE c.code_hash = p_code_hash AND c.client_id = p_client_id AND g.id = c.grant_id AND g.ended_at IS NULL
            RETURNING g.id INTO grant_id;
        outcome := CASE WHEN FOUND THEN 'replayed' ELSE 'unknown' END;
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
    -- Locked, the account first: who ends these now either came before and is seen, or waits and then ends the grant too.
    SELECT a.subject INTO subject FROM accounts a WHERE a.id = code.account_id AND a.status = 'active' FOR SHARE;
    IF FOUND THEN
        PERFORM FROM browser_sessions s WHERE s.id = code.session_id AND s.ended_at IS NULL FOR SHARE;
    END IF;
    IF NOT FOUND THEN
        outcome := 'signed_out';
        RETURN;
    END IF;
    grant_id := code.grant_id;
    IF grant_id IS NULL THEN
        INSERT INTO grants (client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr, expires_at,
                idle_expires_at)
            VALUES (code.client_id, code.account_id, subject, code.session_id, code.sid, code.scope, code.auth_time,
                code.acr, code.amr,
                now() + p_lifetime_seconds * interval '1 second', now() + p_idle_seconds * interval '1 second')
            RETURNING id INTO grant_id;
        UPDATE authorization_codes SET grant_id = redeem_code.grant_id WHERE code_hash = p_code_hash;
    END IF;
    outcome := 'fresh';
    account_id := code.account_id;
    scope := code.scope;
    nonce := code.nonce;
    auth_time := code.auth_time;
    sid := code.sid;
    acr := code.acr;
    amr := code.amr;
END $$;

-- States follow from the times: published, then signing (signs_from), then retired (retired_at), then gone (gone_at).
CREATE TABLE signing_keys (
    key_id text PRIMARY KEY,
    algorithm text NOT NULL,
    -- PKCS #8, sealed under the master key.
    sealed_private_key bytea NOT NULL,
    modulus bytea NOT NULL,
    exponent bytea NOT NULL,
    published_at timestamptz NOT NULL DEFAULT now(),
    signs_from timestamptz NOT NULL,
    retired_at timestamptz,
    gone_at timestamptz,
    revoked_at timestamptz
);
CREATE TRIGGER signing_keys_notify AFTER INSERT OR UPDATE OR DELETE ON signing_keys
    FOR EACH ROW EXECUTE FUNCTION notify_nodes('keys');

CREATE TABLE switches (
    name text PRIMARY KEY,
    state text NOT NULL CHECK (state IN ('off', 'per_client', 'on')),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER switches_notify AFTER INSERT OR UPDATE OR DELETE ON switches
    FOR EACH ROW EXECUTE FUNCTION notify_nodes('switches');

-- Failed sign-ins of an account from a network, and of a network: guessing is slowed down where it comes from, and the
-- person can still sign in from elsewhere. The key is a keyed hash, so that the table names nobody.
CREATE TABLE sign_in_failures (
    key bytea PRIMARY KEY,
    failures integer NOT NULL DEFAULT 1,
    last_failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_failures_time ON sign_in_failures (last_failed_at);

-- Audit log: actions of staff, of users on their own accounts, and of commands and background tasks. Entries of the table
-- `audit_log` cannot be changed; entries older than `AUDIT_LOG_DAYS` are deleted.

create table audit_log (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- `audit_log.act`: name of the action, such as `days.exclude`.
    act text not null,
    -- `audit_log.actor_id`: user who performed the action; NULL for commands and background tasks, and after the account was
    -- erased.
    actor_id bigint references users on delete set null,
    -- `audit_log.user_id`, `audit_log.post_id`: user and post that the action affected; NULL if the action affected none. Not
    -- foreign keys, because an entry is kept after the user or post was deleted.
    user_id bigint,
    post_id bigint,
    -- `audit_log.details`: values before and after the action, and its reason.
    details jsonb not null default '{}',
    -- `audit_log.network`: network of the client, in the format of `sign_ins.network`; NULL without a request, and after the
    -- account was erased.
    network text,
    -- `audit_log.request_id`: id of the request in the log file; NULL without a request.
    request_id text,
    constraint act_is_a_name check (act ~ '^[a-z_]+\.[a-z_]+$')
);
create index audit_log_of_actor on audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_of_user on audit_log (user_id, id desc) where user_id is not null;
create index audit_log_of_post on audit_log (post_id, id desc) where post_id is not null;
create index audit_log_of_act on audit_log (act, id desc);
create index audit_log_by_time on audit_log (at);

-- Function `words_of_entry`: search terms of an audit log entry: strings and numbers of `details`, `network` and `request_id`.
create function words_of_entry(details jsonb, network text, request_id text) returns tsvector
    language sql immutable parallel safe
    return jsonb_to_tsvector('simple', details, '["string", "numeric"]')
        || to_tsvector('simple', coalesce(network, '') || ' ' || coalesce(request_id, ''));
create index audit_log_words on audit_log using gin (words_of_entry(details, network, request_id));

-- Trigger `audit_log_stays`: rejects updates of audit log entries, except setting `actor_id` and `network` to NULL.
create function audit_log_stays() returns trigger language plpgsql as $$
begin
    if (new.id, new.at, new.act, new.user_id, new.post_id, new.details, new.request_id)
        is distinct from (old.id, old.at, old.act, old.user_id, old.post_id, old.details, old.request_id)
        or (new.actor_id is not null and new.actor_id is distinct from old.actor_id)
        or (new.network is not null and new.network is distinct from old.network) then
        raise exception 'an entry of the audit log cannot be changed';
    end if;
    return new;
end $$;
create trigger audit_log_stays before update on audit_log for each row execute function audit_log_stays();

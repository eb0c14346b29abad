-- Outgoing mail. Table `outbox`: a row is inserted in the transaction of the action that causes the mail. It is deleted when the
-- mail was sent or has expired, because the mail may contain a link that only its recipient may see.
create table outbox (
    id bigint generated always as identity primary key,
    -- `outbox.kind`: kind of mail for the log, such as `password_reset`.
    kind text not null,
    recipient text not null,
    subject text not null,
    body_text text not null,
    body_html text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    -- `outbox.pace`: state of the `Pacer` that computes the retry backoff; NULL before the first failed attempt.
    pace jsonb,
    next_at timestamptz not null,
    -- `outbox.leased_until`: end of the lease of the instance that is sending the mail; NULL if the mail is not being sent.
    leased_until timestamptz,
    -- `outbox.handed_over`: true from just before the text is sent to the mail server. A mail with this flag may have been
    -- delivered, and is never sent again.
    handed_over boolean not null default false
);
create index outbox_due on outbox (next_at);
create index outbox_by_expiry on outbox (expires_at);
create index outbox_failed on outbox (id) where pace is not null;
create index outbox_handed_over on outbox (id) where handed_over;

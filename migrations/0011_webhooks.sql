-- Webhooks: HTTP requests that tell other servers about events of the site.

create table webhooks (
    id bigint generated always as identity primary key,
    url text not null,
    -- `webhooks.secret`: random key of the signatures.
    secret bytea not null,
    -- `webhooks.events`: names of the events that are sent.
    events text[] not null,
    created_at timestamptz not null,
    -- `webhooks.disabled_at`: time since which no events are sent; NULL if the webhook is enabled. `webhooks.disabled_reason`: NULL
    -- if staff disabled it; `failing` if no delivery has succeeded for three days; `gone` if the receiver responded with status 410.
    disabled_at timestamptz,
    disabled_reason text,
    constraint webhook_disabled_reason check (disabled_reason is null or disabled_at is not null)
);

-- Table `webhook_deliveries`: events for each webhook. A row is inserted in the transaction of the action that causes the event,
-- and deleted 30 days later.
create table webhook_deliveries (
    id bigint generated always as identity primary key,
    webhook_id bigint not null references webhooks on delete cascade,
    -- `webhook_deliveries.message_id`: identifier of the event, the same for all webhooks, by which the receiver recognizes repetitions.
    message_id uuid not null default gen_random_uuid(),
    event text not null,
    data jsonb not null,
    created_at timestamptz not null,
    -- `webhook_deliveries.expires_at`: time of the last attempt. `webhook_deliveries.attempts`: number of attempts so far.
    expires_at timestamptz not null,
    attempts integer not null default 0,
    -- `webhook_deliveries.pace`: state of the `Pacer` that computes the retry backoff; NULL before the first failed attempt.
    pace jsonb,
    next_at timestamptz not null,
    -- `webhook_deliveries.leased_until`: end of the lease of the instance that is sending the event.
    leased_until timestamptz,
    delivered_at timestamptz,
    failed_at timestamptz,
    -- Outcome of the latest attempt. `webhook_deliveries.response_status`: HTTP status; NULL if there was no response.
    response_status smallint,
    error text,
    constraint webhook_delivery_has_one_end check (delivered_at is null or failed_at is null)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where delivered_at is null and failed_at is null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where leased_until is not null;
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Table `rating_surges`: posts with unusual rating activity whose beginning was sent to webhooks.
create table rating_surges (
    blog_id bigint primary key references blog_posts (id) on delete cascade,
    began_at timestamptz not null
);
